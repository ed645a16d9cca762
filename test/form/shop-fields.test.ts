/** Fields as real shops have them. */
import { expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  CONTROLS,
  clickAsShopper,
  fill,
  html,
  open,
  type Page,
  pay,
  posted,
  refused,
  settled,
  TYPED,
  testRealInput,
  textRead,
  wrongFields,
} from '../tools/support/form.ts';

const SHARED =
  '<label>Name <input name="billing_name" autocomplete="cc-name" data-cardseal-shared></label>';

test('a shared name is encrypted, is sent as before, and is never emptied', async () => {
  const page = open(html({ name: SHARED }));
  const binding = bind(page.form);
  fill(page);
  const name = page.control('name') as HTMLInputElement;
  name.setAttribute('value', 'Zoë');
  const [sent] = await posted(page);
  const { encrypted_card, ...others } = Object.fromEntries(sent!.body);
  expect(others).toEqual({ billing_name: TYPED.name });
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  await vi.waitUntil(() => page.control('number').value === '');
  await binding.restart();
  binding.unbind();
  expect([name.value, name.getAttribute('value')]).toEqual([TYPED.name, 'Zoë']);
});

test('a shared name in parts: both are sent, and both are in the block', async () => {
  const parts = ['given', 'family'].map(
    (part) => `<input name="${part}" data-cardseal-shared autocomplete="cc-${part}-name">`,
  );
  const page = open(html({ name: parts.join('') }));
  bind(page.form);
  fill(page, { ...TYPED, given_name: 'Zoë', family_name: 'Quillow' });
  const [sent] = await posted(page);
  const { encrypted_card, ...others } = Object.fromEntries(sent!.body);
  expect(others).toEqual({ given: 'Zoë', family: 'Quillow' });
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
});

testRealInput(
  'with a shared name, a block that was spent is sent again for empty fields',
  async () => {
    const page = open(html({ name: SHARED }));
    const blocks: object[] = [];
    bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
    fill(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 1);
    await settled(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 2);
    expect(blocks[1]).toEqual(blocks[0]);
  },
);

test.each(['number', 'expiry', 'cvv'] as const)('%s cannot be shared', async (field) => {
  const page = open(
    html({ [field]: CONTROLS[field].replace('<input', '<input data-cardseal-shared name="x"') }),
  );
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining(
      `The card form's ${field} control must not have data-cardseal-shared`,
    ),
  });
  fill(page);
  expect(new FormData(page.form).has('x')).toBe(false); // a script may send what it finds
});

const BOX = (maxlength: number) => `<input data-cardseal-field="number" maxlength="${maxlength}">`;

test('a number in four boxes is read in the order of the page, and all are emptied', async () => {
  const page = open(html({ number: BOX(4).repeat(4) }));
  fill(page, { ...TYPED, number: '' });
  page
    .controls()
    .slice(0, 4)
    .forEach((box, i) => {
      box.value = CARD.number.slice(4 * i, 4 * i + 4);
    });
  expect(await decrypt(await pay(page, {}))).toEqual(CARD);
  expect(
    page
      .controls()
      .map(({ value }) => value)
      .join(''),
  ).toBe('');
});

test('a number in boxes of which one is empty is wrong, and each box says so until one is corrected', async () => {
  const page = open(html({ number: BOX(6).repeat(3) }));
  bind(page.form);
  fill(page);
  const boxes = page.controls().slice(0, 3);
  boxes[0]!.value = '492911';
  expect((await refused(page)).field).toBe('number');
  expect(wrongFields(page)).toEqual(['number', 'number', 'number']);
  expect(textRead(page)).toBe('Check the card number');
  boxes[2]!.dispatchEvent(new Event('input', { bubbles: true }));
  expect(wrongFields(page)).toEqual([]);
});

test.each([
  ['seven characters each', BOX(7).repeat(2)],
  ['no maxlength', '<input data-cardseal-field="number">'.repeat(2)],
  ['a maxlength of nothing', BOX(4) + BOX(0)],
  ['one of them whole', BOX(4) + BOX(19)],
  ['one of them by autocomplete only', `${BOX(4)}<input autocomplete="cc-number" maxlength="4">`],
])('number boxes with %s are refused', async (_, number) => {
  const page = open(html({ number }));
  await expect(bind(page.form).ready).rejects.toMatchObject({
    message: expect.stringContaining('must occur only once'),
  });
});

test('an additional name stands between given and family name, wherever its control is', async () => {
  const name = ['additional', 'family', 'given']
    .map((part) => `<input autocomplete="cc-${part}-name">`)
    .join('');
  const page = open(html({ name }));
  const [additional, family, given] = page.form.querySelectorAll<HTMLInputElement>(
    'input[autocomplete*=name]',
  );
  [given!.value, additional!.value, family!.value] = ['Zoë', 'van der', 'Quillow'];
  expect((await decrypt(await pay(page, TYPED))).name).toBe('Zoë van der Quillow');
  expect([additional!.value, family!.value, given!.value]).toEqual(['', '', '']);
});

test('an additional name with a name attribute is refused: it would be sent in clear text', async () => {
  const name =
    '<input autocomplete="cc-given-name"><input name="middle" autocomplete="cc-additional-name"><input autocomplete="cc-family-name">';
  const page = open(html({ name }));
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining('additional_name control must have no name'),
  });
});

const months = (values: (string | number)[]) => {
  const options = values.map((value) => `<option value="${value}">${value}</option>`).join('');
  return html({
    expiry: `<select autocomplete="cc-exp-month">${options}</select><input autocomplete="cc-exp-year">`,
  });
};
const count = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

test.each<[string, string, RegExp]>([
  [
    'type="date"',
    html({ expiry: '<input type="date" autocomplete="cc-exp">' }),
    /not have type="date".*use type="month" or text/,
  ],
  [
    'months from 0 to 11',
    months(count(0, 11)),
    /must have options with the values 1 to 12 or 01 to 12/,
  ],
  ['months from 0 to 11 after a placeholder', months(['', ...count(0, 11)]), /values 1 to 12/],
  [
    'months from 00 to 11',
    months(count(0, 11).map((month) => String(month).padStart(2, '0'))),
    /values 1 to 12/,
  ],
  [
    'names of months',
    months('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')),
    /values 1 to 12/,
  ],
])('%s is refused at binding, with what to change', async (_, content, message) => {
  const page = open(content);
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringMatching(message),
  });
});

test.each<[string, (string | number)[], string]>([
  ['1 to 12', count(1, 12), '11'],
  ['01 to 12', count(1, 12).map((month) => String(month).padStart(2, '0')), '11'],
  ['a placeholder without a value', ['', ...count(1, 12)], '11'],
  ['a placeholder of value 0', [0, ...count(1, 12)], '11'],
  ['a placeholder of words', ['Month', ...count(1, 12)], '11'],
  ['the last months of a year', ['', 10, 11], '11'],
])('a list of months with %s is read', async (_, values, exp_month) => {
  const page: Page = open(months(values));
  expect(await decrypt(await pay(page, { ...TYPED, exp_month }))).toEqual(CARD);
});
