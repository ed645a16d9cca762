/** `encrypt()`: a script of the page gets the block, and sends it by itself. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  deferred,
  EMPTY,
  fill,
  html,
  open,
  settled,
  statusOf,
  TYPED,
  textRead,
  values,
} from '../tools/support/form.ts';

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

test('encrypt() works in a form that could not be submitted, and does not ask when(): the page has decided', async () => {
  const page = open(html(), 'method="get"');
  const binding = bind(page.form, { when: () => false });
  binding.ready.catch(() => {});
  fill(page);
  expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
});

test.each<[string, Record<string, string>, CardFormOptions['key'], string]>([
  ['a wrong card', { number: '1' }, () => freshKey(), 'Check the card number'],
  ['no key', {}, () => Promise.reject(new Error()), 'Nothing was sent. Press the button again.'],
])(
  'encrypt() never rejects: with %s it resolves to undefined, and the shopper reads why',
  async (_, typed, key, text) => {
    const page = open();
    const binding = bind(page.form, { key });
    await binding.ready.catch(() => {});
    fill(page, { ...TYPED, ...typed });
    const before = values(page);
    expect(await binding.encrypt()).toBe(undefined);
    expect([textRead(page), values(page)]).toEqual([text, before]);
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
