import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { bindCardForm } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  later,
  next,
  open,
  posted,
  refused,
  TYPED,
  values,
  wrongFields,
} from '../tools/support/form.ts';

const away = (persisted: boolean) =>
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted }));
const back = (persisted: boolean) =>
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted }));

test('restart() after a decline: another card under another key', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const blocks: EncryptedCard[] = [];
  const binding = bind(page.form, { key: ask, onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => blocks.length === 1);
  await binding.restart();
  fill(page, { ...TYPED, cvv: '999' });
  page.button().click();
  await vi.waitUntil(() => blocks.length === 2);
  const [first, second] = blocks;
  expect(first!.key_id).not.toBe(second!.key_id);
  expect((await decrypt(second!)).cvv).toBe('999');
  expect([ask.mock.calls.length, page.ready, page.encrypted.length]).toEqual([2, 2, 2]);
});

test('restart() with a fixed key: key_unavailable, the form stays blocked, the message says reload', async () => {
  const page = open();
  const binding = bind(page.form, { key: freshKey() });
  fill(page);
  await posted(page);
  await expect(binding.restart()).rejects.toMatchObject({
    code: 'key_unavailable',
    message: expect.stringContaining('reload the page'),
  });
  fill(page);
  const error = await refused(page);
  expect([error.code, error.message]).toEqual([
    'key_unavailable',
    expect.stringContaining('reload the page'),
  ]);
  await idle(page);
  expect([values(page), page.passes]).toEqual([KEPT, 1]);
});

test('restart() whose key does not come: the error says so, the next submit asks again', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask });
  fill(page);
  await posted(page);
  ask.mockImplementationOnce(() => {
    throw new Error('the network');
  });
  await expect(binding.restart()).rejects.toMatchObject({ code: 'key_unavailable' });
  expect(page.errors.map(({ code }) => code)).toEqual(['key_unavailable']);
  fill(page);
  expect((await posted(page)).length).toBe(2);
});

// Changed: restart() empties the fields in every case.
test('restart() ends what is under way, and empties the fields', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const first = deferred<CardEncryptionKey>();
  const second = freshKey();
  const ask = vi.fn().mockReturnValueOnce(first.promise).mockReturnValueOnce(second);
  const binding = bind(page.form, { key: ask });
  fill(page);
  page.button().click();
  const restarted = binding.restart();
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
  first.resolve(freshKey());
  await restarted;
  await binding.ready;
  expect([page.encrypted, page.passes, page.ready, values(page), encryptions()]).toEqual([
    [],
    0,
    1,
    EMPTY,
    0,
  ]);
  expect(wrongFields(page)).toEqual([]);
  fill(page);
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
  expect(page.encrypted).toEqual([second.id]);
});

test('what restart() has ended does not end what is under way since', async () => {
  const page = open();
  const keys = [deferred<CardEncryptionKey>(), deferred<CardEncryptionKey>()];
  const ask = vi.fn(() => keys[ask.mock.calls.length - 1]?.promise ?? freshKey());
  const binding = bind(page.form, { key: ask });
  fill(page);
  page.button().click();
  binding.restart();
  fill(page);
  page.button().click();
  keys[0]!.reject(new Error('the network'));
  await expect(binding.ready).rejects.toMatchObject({ code: 'key_unavailable' });
  expect([page.form.getAttribute('aria-busy'), page.errors]).toEqual(['true', []]);
  const arrived = page.arrived();
  page.button().click();
  page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(2));
  keys[1]!.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect(page.errors).toEqual([]);
});

test('a key that fails after restart() asked for another does not make the form ask for a third', async () => {
  const page = open();
  const first = deferred<CardEncryptionKey>();
  const ask = vi
    .fn()
    .mockReturnValueOnce(first.promise)
    .mockImplementation(() => freshKey());
  const binding = bind(page.form, { key: ask });
  await binding.restart();
  first.reject(new Error('the network'));
  await binding.ready.catch(() => {});
  fill(page);
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
  expect(ask).toHaveBeenCalledTimes(2);
});

test('when the page goes away, with a submit under way, nothing is encrypted and the controls are emptied', async () => {
  const page = open(
    html({
      expiry:
        '<select autocomplete="cc-exp-month"><option>11</select><select autocomplete="cc-exp-year"><option>2049</select>',
    }),
  );
  const key = deferred<CardEncryptionKey>();
  const encryptions = countEncryptions();
  const binding = bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  away(false);
  expect(page.controls().map(({ value }) => value)).toEqual(['', '', '', '', '']);
  key.resolve(freshKey());
  await binding.ready;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([page.encrypted, page.passes, page.form.hasAttribute('aria-busy'), encryptions()]).toEqual(
    [[], 0, false, 0],
  );
});

test('when the page goes away, what is marked but no control does not keep the rest from being emptied', async () => {
  const page = open(`<textarea autocomplete="cc-number"></textarea>${html()}`);
  const uncaught = vi.fn((event: Event) => event.preventDefault());
  addEventListener('error', uncaught);
  await bind(page.form).ready.catch(() => {});
  for (const control of page.controls()) control.value = '4929';
  away(false);
  removeEventListener('error', uncaught);
  expect([
    page
      .controls()
      .slice(1)
      .map(({ value }) => value),
    uncaught.mock.calls.length,
  ]).toEqual([EMPTY, 0]);
});

test('when the page goes away after success, the block goes, too', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  await posted(page);
  away(false);
  expect([...new FormData(page.form)]).toEqual([]);
});

test('back out of the back/forward cache: nothing of the card is there, a new key is asked for, paying works', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  bind(page.form, { key: ask });
  fill(page);
  await posted(page);
  await vi.waitUntil(() => page.ready === 2); // the answer went into a frame: a new key was asked for
  away(true);
  fill(page); // as a browser may that restores what was typed
  back(true);
  expect([values(page), [...new FormData(page.form)], ask.mock.calls.length]).toEqual([
    EMPTY,
    [],
    3,
  ]);
  await vi.waitUntil(() => page.ready === 3);
  fill(page, { ...TYPED, cvv: '999' });
  const [, sent] = await posted(page);
  expect((await decrypt(JSON.parse(sent!.body[0]![1]))).cvv).toBe('999');
});

test('back out of the back/forward cache: a form that has left the page asks for no key', async () => {
  const [left, stays] = [open(), open()];
  const asks = [left, stays].map(({ form }) => {
    const ask = vi.fn(() => freshKey());
    bind(form, { key: ask });
    return ask;
  });
  const counts = () => asks.map(({ mock }) => mock.calls.length);
  expect(counts()).toEqual([1, 1]);
  left.form.remove();
  away(true);
  back(true);
  expect(counts()).toEqual([1, 2]);
  left.host.append(left.form); // its first key is old by now
  fill(left);
  await posted(left);
  expect(left.encrypted.length).toBe(1);
  expect(asks[0]!.mock.calls.length).toBeGreaterThan(1);
});

test('back out of the back/forward cache with a fixed key: key_unavailable, blocked, the message says reload', async () => {
  const page = open();
  await bind(page.form, { key: freshKey() }).ready;
  away(true);
  back(true);
  await vi.waitUntil(() => page.errors.length === 1);
  fill(page);
  await refused(page);
  for (const { code, message } of page.errors)
    expect([code, message]).toEqual([
      'key_unavailable',
      expect.stringContaining('reload the page'),
    ]);
  expect(page.passes).toBe(0);
});

test('a polluted Object.prototype sets no option, and keeps no listener from hearing again', async () => {
  const page = open();
  const elsewhere = open();
  elsewhere.form.action = 'https://elsewhere.example/pay';
  const ask = vi.fn(() => freshKey());
  const pollution = {
    allowCrossOriginAction: true,
    onEncrypted: vi.fn(),
    once: true,
    passive: true,
    number: 'polluted',
  };
  Object.assign(Object.prototype, pollution);
  try {
    await expect(bindCardForm(elsewhere.form, { key: ask }).ready).rejects.toMatchObject({
      code: 'invalid_form',
    });
    const binding = bindCardForm(page.form, { key: ask });
    await binding.ready;
    const asked = ask.mock.calls.length;
    for (const round of [1, 2]) {
      fill(page);
      away(true);
      expect(values(page)).toEqual(EMPTY);
      back(true);
      expect(ask.mock.calls.length - asked).toBe(2 * round); // for both forms
    }
    bindCardForm(elsewhere.form, { key: ask }).unbind();
    binding.unbind();
  } finally {
    for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name);
  }
});

test('a page that is shown for the first time keeps its key and its values', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  await bind(page.form, { key: ask }).ready;
  fill(page);
  back(false);
  expect([values(page), ask.mock.calls.length]).toEqual([KEPT, 1]);
});

test('bound twice: the second works, the late cleanup of the first does nothing', async () => {
  const page = open();
  const keys = [freshKey(), freshKey()];
  const first = bindCardForm(page.form, { key: keys[0]! });
  bind(page.form, { key: keys[1]!, fieldName: 'second' });
  first.unbind();
  await first.restart();
  fill(page);
  const [sent, more] = await posted(page);
  expect(more).toBeUndefined();
  expect(sent!.body.map(([name]) => name)).toEqual(['second']);
  expect(page.encrypted).toEqual([keys[1]!.id]);
});

test('bound, unbound and bound again, as in StrictMode', async () => {
  const page = open();
  bindCardForm(page.form, { key: () => freshKey() }).unbind();
  const binding = bind(page.form);
  await binding.ready;
  expect(page.ready).toBe(1);
  fill(page);
  const sent = await posted(page);
  expect(sent.length).toBe(1);
  expect(await decrypt(JSON.parse(sent[0]!.body[0]![1]))).toEqual(CARD);
  binding.unbind();
});

test('unbind() leaves a form as it was', async () => {
  const page = open();
  page.control('cvv').setAttribute('aria-invalid', 'false');
  const before = page.form.outerHTML;
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask });
  page.button().click();
  await idle(page);
  expect(wrongFields(page)).toEqual(['number', 'name', 'expiry', 'cvv']);
  fill(page);
  binding.unbind();
  expect([page.form.outerHTML, values(page)]).toEqual([before, KEPT]);

  away(false);
  back(true);
  await binding.restart();
  expect([values(page), ask.mock.calls.length]).toEqual([KEPT, 1]);
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([]); // by the browser alone: no card, since no control has a name, and no block
  expect([page.encrypted, page.errors.length]).toEqual([[], 1]);
});

test('unbind() with a submit under way: it comes to nothing, and nothing is said', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const before = { ready: page.ready, errors: page.errors.length };
  binding.unbind();
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
  key.resolve({ ...freshKey(), public_key: '' });
  await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_key' });
  expect({ ready: page.ready, errors: page.errors.length }).toEqual(before);
  expect([page.encrypted, page.passes, values(page)]).toEqual([[], 0, KEPT]);
});

test.each([
  ['in the element of the page', '<p data-cardseal-status></p>', '[data-cardseal-status]'],
  ['in a line of the library', '', '[data-cardseal-line]'],
])(
  'a form that is bound anew while the key is awaited says so %s, until it is pressed again',
  async (_, status, place) => {
    const page = open(html() + status);
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    bind(page.form, { key: () => freshKey(), onEncrypted: () => {} });
    const text = () => page.form.querySelector(place)?.textContent ?? '';
    expect(text()).toBe('Nothing was sent. Press the button again.');
    page.button().click();
    await vi.waitUntil(() => page.encrypted.length === 1);
    expect(text()).toBe('');
  },
);

test('a page with a bound form can be kept in the back/forward cache: nothing listens for unload', async () => {
  const added = vi.spyOn(window, 'addEventListener');
  const page = open();
  bind(page.form);
  fill(page);
  await posted(page);
  const types = added.mock.calls.map(([type]) => type);
  expect(types).toContain('pagehide');
  expect(types.filter((type) => ['beforeunload', 'unload'].includes(type))).toEqual([]);
});

test('restart() while the card is being encrypted: what is typed since stays', async () => {
  const page = open();
  const binding = bind(page.form);
  await binding.ready;
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce((...given) => {
    binding.restart();
    fill(page, { ...TYPED, cvv: '999' });
    return encrypt(...given);
  });
  fill(page);
  page.button().click();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([values(page), page.encrypted]).toEqual([
    [TYPED.number, TYPED.name, TYPED.expiry, '999'],
    [],
  ]);
});

test('unbind() leaves form data alone', async () => {
  const page = open();
  const binding = bind(page.form);
  binding.unbind();
  page.control('number').name = 'number';
  expect(new FormData(page.form).has('number')).toBe(true);
});

test('unbind() drops the block', async () => {
  const page = open();
  const binding = bind(page.form);
  fill(page);
  await posted(page);
  binding.unbind();
  expect([...new FormData(page.form)]).toEqual([]);
});

test.each([
  ['input', 'at once', 'by onEncrypted'],
  ['cardseal:encrypted', 'at once', 'natively'],
  ['cardseal:encrypted', 'at once', 'by onEncrypted'],
  ['cardseal:encrypted', 'in the next task', 'natively'],
])(
  'a listener of %s that unbinds the form %s keeps it from being sent %s',
  async (type, when, how) => {
    const page = open();
    const onEncrypted = vi.fn();
    const binding = bind(page.form, how === 'natively' ? {} : { onEncrypted });
    fill(page);
    const unbound = deferred<void>();
    const unbind = () => {
      binding.unbind();
      unbound.resolve();
    };
    page.form.addEventListener(type, when === 'at once' ? unbind : () => setTimeout(unbind));
    page.button().click();
    await unbound.promise;
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve)); // past the turn in which it would have been sent
    expect([onEncrypted.mock.calls, page.passes, await page.sent()]).toEqual([[], 0, []]);
  },
);

// Changed: `cardseal:encrypted` is raised before the fields are emptied.
test('a listener that restarts while the controls are emptied: the block of before is not handed over', async () => {
  const page = open();
  const keys = [freshKey(), freshKey()];
  const ask = vi.fn(() => keys[ask.mock.calls.length - 1]!);
  const handed: string[] = [];
  const onEncrypted = ({ key_id }: EncryptedCard) => void handed.push(key_id);
  const binding = bind(page.form, { key: ask, onEncrypted });
  fill(page);
  page.form.addEventListener('input', () => binding.restart(), { once: true });
  page.button().click();
  await vi.waitUntil(() => ask.mock.calls.length === 2);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => handed[0]);
  expect(handed).toEqual([keys[1]!.id]);
});

test('a form that is not bound works as before beside one that is', () => {
  const failed: string[] = [];
  const note = ({ message }: ErrorEvent) => failed.push(message);
  window.addEventListener('error', note);
  later(() => window.removeEventListener('error', note));
  bind(open().form);
  const page = open(`${html()}<button type="reset">Reset</button>`);
  page.form.addEventListener('submit', (event) => event.preventDefault());
  fill(page);
  page.button().click();
  expect([page.passes, values(page)]).toEqual([1, KEPT]);
  new FormData(page.form);
  page.button('Reset').click();
  expect(values(page)).toEqual(EMPTY);
  expect(failed).toEqual([]);
});

test('no rejection of ready is ever unhandled', async () => {
  const unhandled: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    unhandled.push(event.reason);
  };
  addEventListener('unhandledrejection', listener, { capture: true });
  try {
    const page = open(html({ cvv: '' }));
    bind(page.form);
    await vi.waitUntil(() => page.errors.length === 1);
    Promise.reject('planted'); // what shows that such a rejection is seen
    await vi.waitUntil(() => unhandled.length > 0);
    expect(unhandled).toEqual(['planted']);
  } finally {
    removeEventListener('unhandledrejection', listener, { capture: true });
  }
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
