/** `encrypt()`: a script of the page gets the block, and sends it by itself. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  deferred,
  EMPTY,
  fill,
  html,
  KEPT,
  open,
  settled,
  statusOf,
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

test('encrypt() resolves to undefined when the card is wrong, no key comes, cardseal:submit is cancelled, a press is under way, and after unbind()', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const ask = vi.fn(() => key.promise);
  ask.mockRejectedValueOnce(new Error('the network'));
  const binding = bind(page.form, { key: ask });
  await binding.ready.catch(() => {});
  expect(await binding.encrypt()).toBe(undefined);
  expect(textRead(page)).toBe('Enter the card number');
  fill(page);
  ask.mockRejectedValueOnce(new Error('the network'));
  expect(await binding.encrypt()).toBe(undefined);
  expect([statusOf(page), values(page)]).toEqual([expect.stringContaining('again'), KEPT]);
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
