/** `encrypt()`: a script of the page gets the block, and sends it by itself. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  CARD,
  CONTROLS,
  cancelled,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  open,
  type Page,
  settled,
  statusOf,
  textRead,
  values,
} from '../tools/support/form.ts';

const FIELDS = Object.values(CONTROLS).join('');

test('encrypt() resolves to nothing if a listener of the emptied fields starts again', async () => {
  const page = open(FIELDS);
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const binding = bind(page.form);
  fill(page);
  page.control('cvv').addEventListener('input', () => void binding.restart(), { once: true });
  expect(await binding.encrypt()).toBe(undefined);
});

test('encrypt() resolves to the block, with the fields empty, and submits nothing', async () => {
  const page = open();
  const onEncrypted = vi.fn();
  const asked = vi.fn();
  page.form.addEventListener('cardseal:submit', asked);
  const binding = bind(page.form, { onEncrypted });
  fill(page);
  const block = await binding.encrypt();
  expect(values(page)).toEqual(EMPTY);
  expect(await decrypt(block!)).toEqual(CARD);
  await settled(page);
  expect([page.passes, onEncrypted.mock.calls, asked.mock.calls.length]).toEqual([0, [], 1]);
  expect(await binding.encrypt()).toEqual(block);
});

test('encrypt() after a submit that the page has cancelled resolves to the same block', async () => {
  const encryptions = countEncryptions();
  const { page, binding } = await cancelled();
  const block = JSON.parse(blockIn(page)!);
  expect(await binding.encrypt()).toEqual(block);
  expect(encryptions()).toBe(1);
});

test('encrypt() does not ask when(): the page has decided', async () => {
  const page = open();
  const binding = bind(page.form, { when: () => false });
  fill(page);
  expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
});

test('encrypt() works in a form that could not be submitted', async () => {
  const page = open(FIELDS, 'method="get"');
  const binding = bind(page.form);
  binding.ready.catch(() => {});
  fill(page);
  expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
});

test.each<
  [string, (page: Page) => void, () => CardEncryptionKey | Promise<CardEncryptionKey>, string]
>([
  ['a wrong card', (page) => fill(page, { number: '1' }), freshKey, 'invalid_card'],
  [
    'a name on a control',
    (page) => page.control('cvv').setAttribute('name', 'c'),
    freshKey,
    'invalid_form',
  ],
  ['no key', () => {}, () => Promise.reject(new Error()), 'key_unavailable'],
  ['a broken key', () => {}, () => ({ ...freshKey(), public_key: '' }), 'invalid_key'],
])(
  'encrypt() never rejects: with %s it resolves to undefined, and the shopper reads why',
  async (_, change, key, code) => {
    const page = open();
    const binding = bind(page.form, { key: () => key() });
    await binding.ready.catch(() => {});
    page.errors.length = 0;
    fill(page);
    change(page);
    const before = values(page);
    expect(await binding.encrypt()).toBe(undefined);
    expect([page.errors.map((error) => error.code), values(page)]).toEqual([[code], before]);
    if (code === 'invalid_card') expect(textRead(page)).toBe('Check the card number');
    else expect(statusOf(page)).toMatch(/Nothing was sent/);
  },
);

test('encrypt() resolves to undefined when cardseal:submit is cancelled, when a press is under way, and after unbind()', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise });
  fill(page);
  page.form.addEventListener('cardseal:submit', (event) => event.preventDefault(), { once: true });
  expect(await binding.encrypt()).toBe(undefined);
  const first = binding.encrypt();
  expect(await binding.encrypt()).toBe(undefined);
  expect(statusOf(page)).toBe('One moment, please.');
  key.resolve(freshKey());
  expect(await decrypt((await first)!)).toEqual(CARD);
  binding.unbind();
  expect(await binding.encrypt()).toBe(undefined);
});

test('encrypt() resolves to undefined when restart() ends it', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const ask = vi.fn().mockReturnValueOnce(key.promise).mockImplementation(freshKey);
  const binding = bind(page.form, { key: ask });
  fill(page);
  const encrypted = binding.encrypt();
  binding.restart();
  key.resolve(freshKey());
  expect(await encrypted).toBe(undefined);
});

test('encrypt(): a block that is older than keyMaxAgeMs is still the one of the empty fields', async () => {
  const page = open(FIELDS);
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const binding = bind(page.form, { keyMaxAgeMs: 60_000 });
  await binding.ready;
  fill(page);
  const block = await binding.encrypt();
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  expect(await binding.encrypt()).toEqual(block);
});
