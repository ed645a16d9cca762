import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { bindCardForm } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockOf,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  later,
  open,
  posted,
  settled,
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

test('restart() without a key: the error says so, and the next press asks again, or says reload', async () => {
  const [page, fixed] = [open(), open()];
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

  await expect(bind(fixed.form, { key: freshKey() }).restart()).rejects.toMatchObject({
    code: 'key_unavailable',
    message: expect.stringContaining('reload the page'),
  });
});

test.each<[string, (key: ReturnType<typeof deferred<CardEncryptionKey>>) => void]>([
  ['comes', (key) => key.resolve(freshKey())],
  ['fails', (key) => key.reject(new Error('the network'))],
])('restart(): a key of the time before that %s late concerns nobody', async (_, answer) => {
  const page = open();
  const old = deferred<CardEncryptionKey>();
  const ask = vi.fn(() =>
    ask.mock.calls.length === 1 ? old.promise : new Promise<never>(() => {}),
  );
  const binding = bind(page.form, { key: ask });
  binding.restart();
  answer(old);
  await binding.ready.catch(() => {});
  await settled(page);
  expect([page.errors, page.ready, ask.mock.calls.length]).toEqual([[], 0, 2]);
});

test('when the page goes away, what is marked but no control does not keep the rest from being emptied', async () => {
  const page = open(`<textarea autocomplete="cc-number"></textarea>${html()}`);
  const uncaught = vi.fn((event: Event) => event.preventDefault());
  addEventListener('error', uncaught);
  await bind(page.form).ready.catch(() => {});
  for (const control of page.controls()) control.value = '4929';
  away(false);
  removeEventListener('error', uncaught);
  expect([values(page).slice(1), uncaught.mock.calls]).toEqual([EMPTY, []]);
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
  expect([values(page), [...new FormData(page.form)]]).toEqual([EMPTY, []]);
  expect(ask).toHaveBeenCalledTimes(3);
  await vi.waitUntil(() => page.ready === 3);
  fill(page, { ...TYPED, cvv: '999' });
  const [, sent] = await posted(page);
  expect((await decrypt(blockOf(sent!))).cvv).toBe('999');
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

test('a polluted Object.prototype sets no option, and keeps no listener from hearing again', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const pollution = { onEncrypted: vi.fn(), fieldName: 'polluted', once: true, passive: true };
  Object.assign(Object.prototype, pollution);
  try {
    const binding = bindCardForm(page.form, { key: ask });
    await binding.ready;
    for (const asked of [2, 3]) {
      fill(page);
      away(true);
      expect(values(page)).toEqual(EMPTY);
      back(true);
      expect(ask).toHaveBeenCalledTimes(asked);
    }
    fill(page);
    const [sent] = await posted(page);
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
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
  page.control('number').name = 'number';
  expect(new FormData(page.form).has('number')).toBe(true);
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

test('a form that is not bound works as before beside one that is', () => {
  const failed = vi.fn();
  addEventListener('error', failed);
  later(() => removeEventListener('error', failed));
  bind(open().form);
  const page = open(`${html()}<button type="reset">Reset</button>`);
  page.form.addEventListener('submit', (event) => event.preventDefault());
  fill(page);
  page.button().click();
  expect([page.passes, values(page)]).toEqual([1, KEPT]);
  page.button('Reset').click();
  expect(values(page)).toEqual(EMPTY);
  expect(failed).not.toHaveBeenCalled();
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
