import creditCardType from 'credit-card-type';
import IMask from 'imask';

/** Groups the digits as they are printed on the card, and shows its brand: docs/masks.md. */
export function formatCard(form: HTMLFormElement): void {
  const control = (id: string) => form.querySelector<HTMLInputElement>(`#${id}`)!;
  const number = IMask(control('number'), { mask: groupsOf('') });
  IMask(control('expiry'), { mask: '00 / 00[00]' }); // browsers may fill in four digits
  IMask(control('code'), { mask: '000[0]' });

  number.on('accept', () => {
    const digits = number.unmaskedValue;
    const brands = digits ? creditCardType(digits) : [];
    control('brand').value = brands.length === 1 ? brands[0]!.niceType : '';
    number.updateOptions({ mask: groupsOf(digits) });
  });
}

/** `0000 000000 00000` for American Express. */
function groupsOf(digits: string): string {
  const [brand] = digits ? creditCardType(digits) : [];
  const { gaps, lengths } = brand ?? { gaps: [4, 8, 12, 16], lengths: [19] };
  const all = Array.from({ length: Math.max(...lengths) }, (_, i) => i);
  return all.map((i) => (gaps.includes(i) ? ' 0' : '0')).join('');
}
