/** What happens while the key of a press is awaited. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormBinding, CardFormOptions } from '../../src/form/index.ts';
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
  later,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  passed,
  posted,
  settled,
  statusOf,
  TYPED,
  textRead,
  values,
  wrongFields,
} from '../tools/support/form.ts';

/** A form whose press waits for its key. */
function waiting(content = html(), options: Partial<CardFormOptions> = {}) {
  const page = open(content);
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise, ...options });
  fill(page);
  page.button().click();
  return { page, key, binding };
}

test.each([
  ['another card', { ...TYPED, cvv: '999' }],
  ['another name', { ...TYPED, name: 'Ada Lovelace' }],
])(
  '%s typed while the key is awaited: nothing is sent, and the shopper is asked to press again',
  async (_, typed) => {
    const encryptions = countEncryptions();
    const page = open();
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    fill(page, typed);
    key.resolve(freshKey());
    await idle(page);
    await settled(page);
    expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
    expect([page.passes, encryptions(), values(page)]).toEqual([
      0,
      0,
      [typed.number, typed.name, typed.expiry, typed.cvv],
    ]);
    const [sent] = await posted(page);
    const card = { ...CARD, name: typed.name, cvv: typed.cvv };
    expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(card);
  },
);

test('a card that becomes invalid while the key is awaited is refused, with its own message', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  fill(page, { cvv: '1' });
  key.resolve(freshKey());
  await idle(page);
  expect(page.errors.map(({ code, field }) => [code, field])).toEqual([['invalid_card', 'cvv']]);
  expect(textRead(page)).toBe('Check the security code');
  expect(encryptions()).toBe(0);
});

test('a shopper who types elsewhere while the key is awaited does not end the press', async () => {
  const page = open(`${html()}<input name="comment">`);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const comment = page.form.querySelector<HTMLInputElement>('[name=comment]')!;
  comment.dispatchEvent(new Event('input', { bubbles: true }));
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect(Object.fromEntries((await arrived)[0]!.body).encrypted_card).toBeTruthy();
});

test('a when() that restarts the form while the key is awaited ends the press without a word', async () => {
  const page = open();
  const answer = deferred<void>();
  let isAwaited = false;
  const binding: CardFormBinding = bind(page.form, {
    key: () => answer.promise.then(() => freshKey()),
    when() {
      if (isAwaited) binding.restart();
      return !isAwaited;
    },
  });
  fill(page);
  page.button().click();
  isAwaited = true;
  answer.resolve();
  await vi.waitUntil(() => values(page)[0] === '');
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
});

test('a name that cannot be encrypted is not reported any more when the press has ended', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  let isAwaited = false;
  const binding: CardFormBinding = bind(page.form, {
    key: () => key.promise,
    when() {
      if (isAwaited) queueMicrotask(() => binding.restart()); // before the encryption has failed
      return true;
    },
  });
  fill(page, { ...TYPED, name: 'Z\u0001' });
  page.button().click();
  isAwaited = true;
  key.resolve(freshKey());
  await vi.waitUntil(() => values(page)[0] === '');
  await settled(page);
  expect(wrongFields(page)).toEqual([]);
});

test('restart() before the submit is repeated ends the press without a word', async () => {
  const page = open();
  const binding = bind(page.form);
  page.form.addEventListener('cardseal:encrypted', () => {
    setTimeout(() => binding.restart());
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.ready === 2);
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
});

test('another payment method chosen while the key is awaited: nothing is sent, and the shopper is asked to press again', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  let isCard = true;
  bind(page.form, { key: () => key.promise, when: () => isCard });
  fill(page);
  page.button().click();
  isCard = false;
  key.resolve(freshKey());
  await idle(page);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect([page.passes, encryptions()]).toEqual([0, 0]);
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([]);
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

test('the card is changed during its encryption: no script gets a block, and the shopper reads why', async () => {
  const page = open();
  const binding = bind(page.form);
  await binding.ready;
  const ciphertext = deferred<ArrayBuffer>();
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt').mockReturnValueOnce(ciphertext.promise);
  fill(page);
  const block = binding.encrypt();
  await vi.waitUntil(() => encrypt.mock.calls.length === 1);
  fill(page, OTHER);
  ciphertext.resolve(new ArrayBuffer(256));
  expect(await block).toBe(undefined);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
});

test('takes a control that a re-render has put in place of another', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  const old = page.control('cvv') as HTMLInputElement;
  old.value = 'x';
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = '999';
  const [sent] = await posted(page);
  expect((await decrypt(blockOf(sent!))).cvv).toBe('999');
});

test('empties both controls when a re-render replaces one while the key is on its way', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const old = page.control('cvv') as HTMLInputElement;
  const arrived = page.arrived();
  page.button().click();
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = TYPED.cvv;
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect((await decrypt(blockOf(sent!))).cvv).toBe(TYPED.cvv);
  expect([old.value, fresh.value]).toEqual(['', '']);
});

const CANCEL = `${html()}<button name="how" value="cancel" data-cardseal-skip>Cancel</button>`;

test.each<[string, (page: Page) => void]>([
  ['the shopper', (page) => page.button('Cancel').click()],
  ['a script', (page) => page.form.requestSubmit(page.button('Cancel'))],
])(
  'Pay, then Cancel by %s: that passes without a block, and nothing is charged',
  async (_, cancel) => {
    const encryptions = countEncryptions();
    const { page, key } = waiting(CANCEL);
    const arrived = page.arrived();
    cancel(page);
    expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
    key.resolve(freshKey());
    expect((await arrived).map(({ body }) => body)).toEqual([[['how', 'cancel']]]);
    await settled(page);
    expect([page.passes, encryptions(), page.form.hasAttribute('aria-busy')]).toEqual([
      1,
      0,
      false,
    ]);
  },
);

test('Pay, then invoice, which a submit listener of the page refuses: nothing is charged', async () => {
  const encryptions = countEncryptions();
  let isCard = true;
  const { page, key } = waiting(html(), { when: () => isCard });
  page.form.addEventListener('submit', (event) => event.preventDefault());
  isCard = false;
  page.button().click();
  isCard = true;
  key.resolve(freshKey());
  await settled(page);
  expect([page.passes, encryptions()]).toEqual([1, 0]);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
});

test('the form is removed: the shopper is asked to press again', async () => {
  const { page, key } = waiting();
  page.form.remove();
  key.resolve(freshKey());
  const line = await vi.waitUntil(() => {
    const last = document.body.querySelector('[data-cardseal-line]');
    return last?.textContent ? last : undefined;
  });
  later(() => line.remove());
  expect([line.textContent, page.passes]).toEqual(['Nothing was sent. Press the button again.', 0]);
});
