import { type CardEncryptionError, type EncryptedCard, encryptCard } from 'cardseal';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout } from '../src/TypedCheckout';
import { cardKey, decrypt } from './card-key';

const ARRIVED = {
  Pan: '4929119283746509',
  Name: 'Zoë Quillow',
  ExpMonth: '11',
  ExpYear: '2049',
  Cvc: '583',
};

test('the core: the card arrives as it was given', async () => {
  const card = {
    number: '4929119283746509',
    name: 'Zoë Quillow',
    exp_month: '11',
    exp_year: '2049',
    cvv: '583',
  };
  expect(decrypt(await encryptCard(cardKey(), card))).toEqual(ARRIVED);
});

test('the form: the card arrives as it was typed, and the parent may render during the press', async () => {
  const host = document.body.appendChild(document.createElement('main'));
  let send: (card: EncryptedCard) => void = () => {};
  const sent = new Promise<EncryptedCard>((resolve) => {
    send = resolve;
  });
  const root = createRoot(host);
  await act(async () => root.render(<Checkout getKey={cardKey} send={() => {}} />));
  ['4929 1192 8374 6509', 'Zoë Quillow', '11/49', '583'].forEach((text, i) => {
    host.querySelectorAll('input')[i]!.value = text;
  });
  host.querySelector('button')!.click();
  await act(async () => root.render(<Checkout getKey={() => cardKey()} send={send} />));
  expect(decrypt(await sent)).toEqual(ARRIVED);
  const fields = host.querySelectorAll<HTMLInputElement>('input:not([type=hidden])');
  expect(Array.from(fields, ({ value }) => value)).toEqual(['', '', '', '']);
});

test('the form: a wrong number is refused', async () => {
  const host = document.body.appendChild(document.createElement('main'));
  const send = jest.fn();
  await act(async () => createRoot(host).render(<Checkout getKey={cardKey} send={send} />));
  host.querySelector('input')!.value = '4929 1192 8374 650';
  const refused = new Promise<CardEncryptionError>((resolve) => {
    host.addEventListener('cardseal:error', (event) => resolve(event.detail));
  });
  host.querySelector('button')!.click();
  expect(await refused).toMatchObject({ code: 'invalid_card', field: 'number' });
  expect(send).not.toHaveBeenCalled();
});
