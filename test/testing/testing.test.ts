/** `cardseal/testing` in a real browser, as Vitest's browser mode has it. docs/testing.md has jsdom. */
import { expect, test, vi } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import { bindCheckout } from '../../src/pay/index.ts';
import { fakeCheckout, openBlock, type Play, testKey, typeCard } from '../../src/testing/index.ts';
import { readIn } from '../pay/shop.ts';
import { html, later } from '../support/form.ts';

test('a block under a key of it can be opened, and each key has an id of its own', async () => {
  const card = { number: '4242424242424242', name: 'Zoë', cvv: '1234' };
  const dated = { ...card, exp_month: '01', exp_year: '2049' };
  const [key, other] = [await testKey(), await testKey()];
  expect(key.id).not.toBe(other.id);
  expect(await openBlock(await encryptCard(key, { ...dated }))).toEqual(dated);
});

function openPage(...plays: Play[]) {
  const shop = fakeCheckout(...plays);
  vi.spyOn(window, 'fetch').mockImplementation(shop.fetch);
  const host = document.body.appendChild(document.createElement('main'));
  later(() => host.remove());
  host.innerHTML = `<form>${html()}</form>`;
  const form = host.querySelector('form')!;
  const binding = bindCheckout(form, { url: '/checkout' });
  later(() => binding.unbind());
  const press = () => form.querySelector('button')!.click();
  const reads = (text: string) => vi.waitFor(() => expect(readIn(host)).toContain(text));
  return { shop, form, press, reads };
}

test.each<[Play, string]>([
  ['committed', 'You have paid.'],
  ['authorized', 'reserved'],
  ['failed', 'declined'],
  ['not_paid', 'could not be made'],
  ['retry_is_safe', 'you cannot pay twice'],
  ['not_certain', 'contact us'],
])('plays %s', async (play, text) => {
  const { shop, form, press, reads } = openPage(play);
  typeCard(form);
  press();
  await reads(text);
  expect(shop.charges).toBe(['committed', 'authorized'].includes(play) ? 1 : 0);
});

test.each(['click', 'requestSubmit'] as const)(
  'a press again by %s, after a response that was lost, pays once',
  async (how) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { shop, form, press, reads } = openPage('lost');
    typeCard(form);
    press();
    await reads('Press the button again');
    if (how === 'click') press();
    else form.requestSubmit();
    await reads('You have paid.');
    expect(shop.charges).toBe(1);
  },
);

test('a form without a control for a field is told of', () => {
  const form = document.createElement('form');
  expect(() => typeCard(form)).toThrow('The form has no control for number');
});
