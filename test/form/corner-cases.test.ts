/** Sequences of events that one does not think of first. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  CONTROLS,
  deferred,
  fill,
  html,
  idle,
  open,
  type Page,
  posted,
  pressEnter,
  refused,
  settled,
  statusOf,
  TYPED,
} from '../tools/support/form.ts';

const SHARED_NAME = '<input name="billing_name" autocomplete="cc-name" data-cardseal-shared>';

test('a name that the shop needs itself does not make another way to pay a card payment', async () => {
  const page = open(html({ name: SHARED_NAME }));
  bind(page.form);
  fill(page);
  for (const field of ['number', 'expiry', 'cvv']) page.control(field).disabled = true;
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([['billing_name', TYPED.name]]);
});

test('a card that was begun and cleared again does not bring back the one before', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => blocks.length === 1);
  await idle(page);
  for (const value of ['4', '']) {
    page.control('number').value = value;
    page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  }
  expect((await refused(page)).code).toBe('invalid_card');
  expect(blocks.length).toBe(1);
});

test('a hidden block that the server has rendered again never goes with another way to pay', async () => {
  const hidden = '<input type="hidden" name="encrypted_card" value="an old block">';
  const page = open(html() + hidden);
  bind(page.form, { when: () => false });
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([['encrypted_card', '']]);
});

test('a message at a control that was disabled meanwhile does not block the form for ever', async () => {
  const page = open();
  const binding = bind(page.form);
  fill(page, { ...TYPED, number: '1' });
  await refused(page);
  page.control('number').disabled = true;
  await binding.restart();
  page.control('number').disabled = false;
  expect(page.control('number').validity.valid).toBe(true);
});

test('a key is spent when a card was encrypted under it, even if the press had ended by then', async () => {
  const page = open();
  const keys: CardEncryptionKey[] = [];
  const ask = () => {
    keys.push(freshKey());
    return keys.at(-1)!;
  };
  let paysByCard = true;
  await bind(page.form, { key: ask, when: () => paysByCard }).ready;
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const encrypting = deferred<void>();
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce(async (...given) => {
    await encrypting.promise;
    return encrypt(...given);
  });
  fill(page);
  page.button().click();
  await new Promise((resolve) => setTimeout(resolve, 20));
  paysByCard = false;
  page.button().click(); // ends the press that encrypts
  encrypting.resolve();
  await new Promise((resolve) => setTimeout(resolve, 20));
  paysByCard = true;
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  expect([page.encrypted, page.errors]).toEqual([[keys[1]!.id], []]);
});

test('the placeholder of a mask in a hidden panel is no card', async () => {
  const page = open(`<div hidden>${Object.values(CONTROLS).join('')}</div><button>Pay</button>`);
  bind(page.form);
  fill(page, { number: '____ ____', cvv: '___' });
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([]);
});

test('a message that asks to wait goes when the wait is over', async () => {
  const page = open(`${html()}<p data-cardseal-status></p>`);
  const accepted = deferred<void>();
  bind(page.form, { onEncrypted: () => accepted.promise });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  await settled(page);
  pressEnter(page); // a submit by a script would be sent
  const status = page.form.querySelector('[data-cardseal-status]')!;
  expect(status.textContent).toBe('Your payment is under way. Please wait.');
  accepted.resolve();
  await vi.waitUntil(() => status.textContent === '');
});

test('a button that the page disables for a while is left alone', async () => {
  const enabled = '<button disabled autocomplete="off" data-cardseal-enable>Pay</button>';
  const page = open(Object.values(CONTROLS).join('') + enabled);
  bind(page.form);
  expect(page.button().disabled).toBe(false);
  page.button().disabled = true; // a spinner
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(page.button().disabled).toBe(true);
  page.form.removeAttribute('novalidate'); // a morph: the form is as the server renders it
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(page.button().disabled).toBe(false);
});

test.each<[string, (page: Page) => void]>([
  ['makes the fields read-only', (page) => setAll(page, 'readOnly', true)],
  ['disables the fields', (page) => setAll(page, 'disabled', true)],
  ['empties the fields', (page) => fill(page, { number: '', name: '', expiry: '', cvv: '' })],
  ['masks the number', (page) => fill(page, { number: '**** 6509' })],
  ['removes the fields', (page) => page.controls().forEach((control) => void control.remove())],
  ['resets the form', (page) => page.form.reset()],
])('a page that %s in its submit listener sends the block', async (_, lock) => {
  const page = open();
  bind(page.form);
  page.form.addEventListener('submit', () => lock(page));
  fill(page);
  const [sent] = await posted(page);
  const [[name, block]] = sent!.body as [[string, string]];
  expect(name).toBe('encrypted_card');
  expect(await decrypt(JSON.parse(block))).toEqual(CARD);
});

test('a second press that comes while the page has locked its fields posts nothing', async () => {
  const page = open();
  fill(page);
  await bind(page.form, { onEncrypted: () => new Promise(() => {}) }).ready;
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  await settled(page);
  setAll(page, 'disabled', true);
  pressEnter(page); // a submit by a script would be sent
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, 'Your payment is under way. Please wait.']);
});

test('a press that is interrupted by binding the form again ends in a message', async () => {
  const page = open();
  bind(page.form, { key: () => new Promise(() => {}) });
  fill(page);
  page.button().click();
  bind(page.form); // as a component that renders again because of the press
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect((await posted(page)).length).toBe(1);
  expect(statusOf(page)).toBe(undefined);
});

test.each([
  ['in a hidden part', '<div hidden><p data-cardseal-status></p></div>'],
  ['hidden by a style', '<p data-cardseal-status style="display: none"></p>'],
])('a status element %s is not used', async (_, element) => {
  const page = open(html() + element);
  bind(page.form, { key: () => Promise.reject(new Error()) }).ready.catch(() => {});
  fill(page);
  await refused(page);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(page.form.querySelector('[data-cardseal-status]')!.textContent).toBe('');
});

function setAll(page: Page, name: 'readOnly' | 'disabled', value: boolean): void {
  for (const control of page.controls()) Reflect.set(control, name, value);
}

test('a message that month and year share is hidden again when it is corrected', async () => {
  const expiry =
    '<input autocomplete="cc-exp-month" aria-label="Month" aria-describedby="shared-message">' +
    '<input autocomplete="cc-exp-year" aria-label="Year" aria-describedby="shared-message">' +
    '<p id="shared-message" data-cardseal-message hidden></p>';
  const page = open(html({ expiry }));
  bind(page.form);
  fill(page, { number: TYPED.number, name: TYPED.name, cvv: TYPED.cvv });
  await refused(page);
  const message = page.form.querySelector<HTMLElement>('#shared-message')!;
  expect([message.hidden, message.textContent]).toEqual([false, 'Enter the expiry date']);
  page.control('exp_month').value = '11';
  page.control('exp_month').dispatchEvent(new Event('input', { bubbles: true }));
  expect([message.hidden, message.textContent]).toEqual([true, '']);
});

test('two fields that share a message show the first text, and leave no empty box', async () => {
  const shared = 'aria-describedby="both"';
  const number = `<input autocomplete="cc-number" aria-label="Number" ${shared}>`;
  const cvv = `<input autocomplete="cc-csc" aria-label="Code" ${shared}>`;
  const page = open(html({ number, cvv: `${cvv}<p id="both" data-cardseal-message hidden></p>` }));
  bind(page.form);
  fill(page, { name: TYPED.name, expiry: TYPED.expiry });
  await refused(page);
  const message = page.form.querySelector<HTMLElement>('#both')!;
  expect([message.hidden, message.textContent]).toEqual([false, 'Enter the card number']);
  for (const field of ['number', 'cvv']) {
    page.control(field).dispatchEvent(new Event('input', { bubbles: true }));
  }
  expect([message.hidden, message.textContent]).toEqual([true, '']);
});

test('unbind() disables a button again only if it was disabled before', async () => {
  const buttons =
    '<button data-cardseal-enable>Pay</button><button data-cardseal-enable disabled>Later</button>';
  const page = open(html() + buttons);
  const [first, second] = page.form.querySelectorAll<HTMLButtonElement>('[data-cardseal-enable]');
  const binding = bind(page.form);
  expect([first!.disabled, second!.disabled]).toEqual([false, false]);
  binding.unbind();
  expect([first!.disabled, second!.disabled]).toEqual([false, true]);
});

test('what the shopper types changes no attribute of the form: pages watch them', async () => {
  const page = open();
  await bind(page.form).ready;
  const observer = new MutationObserver(() => {});
  observer.observe(page.form, { attributes: true });
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(observer.takeRecords()).toEqual([]);
  page.form.removeAttribute('novalidate'); // as a page that renders the form anew
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(observer.takeRecords().map(({ attributeName }) => attributeName)).toEqual([
    'novalidate',
    'novalidate',
  ]);
});
