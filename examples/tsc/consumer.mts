import { type EncryptedCard, encryptCard } from 'cardseal';
import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { browserKey } from 'cardseal/server';

declare const form: HTMLFormElement;
const key = browserKey({ id: 'cek_1', scheme: 'RSA_OAEP_SHA256_V1', public_key: '' });
export const binding: CardFormBinding = bindCardForm(form, { key });
export const block: Promise<EncryptedCard> = encryptCard(key, {
  number: '4929119283746509',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2049',
  cvv: '583',
});
