/** What happens while the key of a press is awaited, or its card is encrypted. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockOf,
  CARD,
  cancelling,
  countEncryptions,
  deferred,
  fill,
  html,
  idle,
  OTHER,
  OTHER_CARD,
  open,
  passed,
  posted,
  settled,
  statusOf,
  TYPED,
  values,
} from '../tools/support/form.ts';

const AGAIN = 'Nothing was sent. Press the button again.';

/** A form whose press waits for its key. */
function waiting(content = html(), options: Partial<CardFormOptions> = {}) {
  const page = open(content);
  const key = deferred<CardEncryptionKey>();
  const ask = vi.fn(() => freshKey() as CardEncryptionKey | Promise<CardEncryptionKey>);
  ask.mockReturnValueOnce(key.promise);
  const binding = bind(page.form, { key: ask, ...options });
  fill(page);
  page.button().click();
  return { page, key, binding };
}

test('another name typed: nothing is sent, and the shopper is asked to press again', async () => {
  const { page, key } = waiting();
  fill(page, { name: 'Ada Lovelace' });
  key.resolve(freshKey());
  await idle(page);
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, AGAIN]);
  expect(values(page)).toEqual([TYPED.number, 'Ada Lovelace', TYPED.expiry, TYPED.cvv]);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual({ ...CARD, name: 'Ada Lovelace' });
});

test('fields that the page makes read-only: the card is sent', async () => {
  const { page, key } = waiting();
  for (const control of page.controls()) control.setAttribute('readonly', '');
  key.resolve(freshKey());
  await idle(page);
  expect([page.passes, statusOf(page)]).toEqual([1, undefined]);
});

test('a control replaced by a re-render: the new one is read, and both are emptied', async () => {
  const { page, key } = waiting();
  const old = page.control('cvv') as HTMLInputElement;
  const arrived = page.arrived();
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = TYPED.cvv;
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect((await decrypt(blockOf(sent!))).cvv).toBe(TYPED.cvv);
  expect([old.value, fresh.value]).toEqual(['', '']);
});

test('Pay, then Cancel: that passes without a block, and nothing is charged', async () => {
  const encryptions = countEncryptions();
  const { page, key } = waiting(
    `${html()}<button name="how" value="cancel" data-cardseal-skip>Cancel</button>`,
  );
  const arrived = page.arrived();
  page.button('Cancel').click();
  expect(statusOf(page)).toBe(AGAIN);
  key.resolve(freshKey());
  expect((await arrived).map(({ body }) => body)).toEqual([[['how', 'cancel']]]);
  await settled(page);
  expect([page.passes, encryptions(), page.form.hasAttribute('aria-busy')]).toEqual([1, 0, false]);
});

test('a page that makes its button another kind while it waits still sends, and the next card is its own', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  const button = page.button();
  page.form.addEventListener('cardseal:submit', () => {
    button.type = 'button';
  });
  fill(page);
  await passed(page, button);
  await idle(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
  button.type = 'submit';
  fill(page, OTHER);
  await passed(page, button);
  expect(await decrypt(JSON.parse(blocks[1]!))).toEqual(OTHER_CARD);
});

test('a key is spent when a card was encrypted under it, even if the press had ended by then', async () => {
  const page = open();
  const keys = [freshKey(), freshKey()];
  const ask = vi.fn(() => keys[ask.mock.calls.length - 1]!);
  let isCard = true;
  await bind(page.form, { key: ask, when: () => isCard }).ready;
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const mayEncrypt = deferred<void>();
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  const encrypting = vi.spyOn(crypto.subtle, 'encrypt');
  encrypting.mockImplementationOnce(async (...given) => {
    await mayEncrypt.promise;
    return encrypt(...given);
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => encrypting.mock.calls.length === 1);
  isCard = false;
  page.button().click(); // ends the press that encrypts
  mayEncrypt.resolve();
  await encrypting.mock.results[0]!.value;
  await settled(page);
  isCard = true;
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  expect([page.encrypted, page.errors]).toEqual([[keys[1]!.id], []]);
});
