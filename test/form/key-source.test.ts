import { expect, test, vi } from 'vitest';
import {
  CardEncryptionError,
  type CardEncryptionKey,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
import type { CardFormBinding } from '../../src/form/index.ts';
import { card, decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  deferred,
  fill,
  html,
  idle,
  KEPT,
  next,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  values,
} from '../tools/support/form.ts';

const codes = (page: Page) => page.errors.map(({ code }) => code);

test('asks for a key when it is bound, says when it is there, and encrypts under it', async () => {
  const page = open();
  const key = freshKey();
  const ask = vi.fn(() => key);
  const binding = bind(page.form, { key: ask });
  expect(ask).toHaveBeenCalledTimes(1);
  await binding.ready;
  expect(page.ready).toBe(1);
  fill(page);
  page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(1));
  await posted(page);
  expect(page.encrypted).toEqual([key.id]);
});

test('takes a key as it is, and a prepared one', async () => {
  for (const key of [freshKey(), await prepareKey(freshKey())]) {
    const page = open();
    bind(page.form, { key });
    fill(page);
    await posted(page);
    expect(page.encrypted).toEqual([key.id]);
  }
});

test('a key that restart() has requested during an encryption is the next one', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask });
  await binding.ready;
  const ciphertext = deferred<ArrayBuffer>();
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt').mockReturnValueOnce(ciphertext.promise);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => encrypt.mock.calls.length === 1);
  await binding.restart();
  ciphertext.resolve(new ArrayBuffer(256));
  await settled(page);
  expect(ask).toHaveBeenCalledTimes(2);
  fill(page);
  let asked = 0;
  page.form.addEventListener('submit', () => {
    asked = ask.mock.calls.length;
  });
  await posted(page);
  expect(asked).toBe(2);
});

test('a key that comes after the button was pressed is waited for', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const arrived = page.arrived();
  page.button().click();
  expect(page.form.getAttribute('aria-busy')).toBe('true');
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(CARD);
  await idle(page);
});

const FAILING: [string, () => CardEncryptionKey | Promise<CardEncryptionKey>, string][] = [
  ['that rejects', () => Promise.reject(new Error('secret detail')), 'key_unavailable'],
  [
    'that throws',
    () => {
      throw new Error('secret detail');
    },
    'key_unavailable',
  ],
  [
    'that rejects with an error about a card',
    () =>
      Promise.reject(new CardEncryptionError('invalid_card', 'secret detail', { field: 'number' })),
    'key_unavailable',
  ],
  ['that gives nothing', () => undefined as never, 'invalid_key'],
  ['that gives nonsense', () => ({ ...freshKey(), public_key: 'AAAA' }), 'invalid_key'],
  [
    'that gives another scheme',
    () => ({ ...freshKey(), scheme: 'RSA_OAEP_SHA256_V99' }),
    'unsupported_scheme',
  ],
];

test.each(FAILING)(
  'a key function %s: the error says so, the values stay, the next submit asks again',
  async (_, failing, code) => {
    const page = open();
    let fails = true;
    const ask = vi.fn(() => (fails ? failing() : freshKey()));
    await expect(bind(page.form, { key: ask }).ready).rejects.toMatchObject({ code });
    expect([codes(page), page.ready]).toEqual([[code], 0]);
    fill(page);
    const error = await refused(page);
    expect(error.code).toBe(code);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('secret detail');
    expect(console.error).toHaveBeenLastCalledWith(error);
    expect(statusOf(page)).toContain('Nothing was sent.');
    await idle(page);
    expect([values(page), page.passes, ask.mock.calls.length]).toEqual([KEPT, 0, 2]);
    fails = false;
    page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(3));
    expect((await posted(page)).length).toBe(1);
  },
);

test('of a request from before the page was left, the page hears nothing', async () => {
  const page = open();
  const keys = [deferred<CardEncryptionKey>(), deferred<CardEncryptionKey>()];
  let asked = 0;
  bind(page.form, { key: () => keys[asked++]!.promise });
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  expect(asked).toBe(2);
  keys[0]!.reject(new Error('the network was off'));
  await settled(page);
  expect([codes(page), page.ready]).toEqual([[], 0]);
  keys[1]!.resolve(freshKey());
  await vi.waitUntil(() => page.ready > 0);
  await settled(page);
  expect([codes(page), page.ready]).toEqual([[], 1]);
});

test('a key that fails while a submit waits for it is one error, not two', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const { ready } = bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  key.reject(new Error('the network'));
  await expect(ready).rejects.toMatchObject({ code: 'key_unavailable' });
  await idle(page);
  expect(codes(page)).toEqual(['key_unavailable']);
});

test.each([
  [undefined, 15_000],
  [50, 50],
])(
  'a key that never comes, with keyTimeoutMs %s: key_unavailable after %i ms; what comes later is not taken',
  async (keyTimeoutMs, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const page = open();
    const late = deferred<CardEncryptionKey>();
    const second = freshKey();
    const ask = vi.fn().mockReturnValueOnce(late.promise).mockReturnValueOnce(second);
    bind(page.form, keyTimeoutMs ? { key: ask, keyTimeoutMs } : { key: ask });
    fill(page);
    const error = refused(page);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(codes(page)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await error).toMatchObject({
      code: 'key_unavailable',
      message: 'The key did not come: the next press asks again',
    });
    vi.useRealTimers();
    late.resolve(freshKey());
    await idle(page);
    expect(values(page)).toEqual(KEPT);
    await posted(page);
    expect(page.encrypted).toEqual([second.id]);
  },
);

test('a key function that throws leaves no rejection unhandled when its time is over', async () => {
  const unhandled = vi.fn((event: Event) => event.preventDefault());
  addEventListener('unhandledrejection', unhandled);
  const page = open();
  const key = () => {
    throw new Error('secret detail');
  };
  await bind(page.form, { key, keyTimeoutMs: 1 }).ready.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  removeEventListener('unhandledrejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('a limit beyond what timers count is no limit', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const { ready } = bind(page.form, {
    key: () => key.promise,
    keyTimeoutMs: Number.POSITIVE_INFINITY,
  });
  await new Promise((resolve) => setTimeout(resolve)); // when a timer that overflowed would have fired
  key.resolve(freshKey());
  await ready;
});

test('a key that is too old is replaced before anything is encrypted', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const page = open();
  const keys = [freshKey(), freshKey(), freshKey(), freshKey()];
  const ask = vi.fn(() => keys[ask.mock.calls.length - 1]!);
  const binding = bind(page.form, { key: ask, keyMaxAgeMs: 60_000, onEncrypted: () => {} });
  await binding.ready;
  vi.setSystemTime(Date.now() + 60_000);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  expect(page.encrypted).toEqual([keys[0]!.id]);

  await binding.restart();
  vi.setSystemTime(Date.now() + 60_001);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 2);
  expect(page.encrypted).toEqual([keys[0]!.id, keys[2]!.id]);
  expect(ask).toHaveBeenCalledTimes(3);
});

test('a key on its way is not too old because the one before it was', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const page = open();
  const [first, second] = [freshKey(), deferred<CardEncryptionKey>()];
  const ask = vi.fn().mockReturnValueOnce(first).mockReturnValueOnce(second.promise);
  const binding = bind(page.form, { key: ask, keyMaxAgeMs: 60_000 });
  await binding.ready;
  vi.setSystemTime(Date.now() + 60_001);
  const restarted = binding.restart();
  fill(page);
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  const key = freshKey();
  second.resolve(key);
  await Promise.all([restarted, encrypted]);
  expect([page.encrypted, ask.mock.calls.length]).toEqual([[key.id], 2]);
});

test('without keyMaxAgeMs a key is never too old', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const page = open();
  const ask = vi.fn(() => freshKey());
  await bind(page.form, { key: ask }).ready;
  vi.setSystemTime(Date.now() + 30 * 24 * 3_600_000);
  fill(page);
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
  expect(ask).toHaveBeenCalledTimes(1);
});

test('a fixed key that is too old: key_unavailable, the form stays blocked, the message says reload', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const page = open();
  await bind(page.form, { key: freshKey(), keyMaxAgeMs: 60_000 }).ready;
  vi.setSystemTime(Date.now() + 60_001);
  fill(page);
  for (let i = 0; i < 2; i++) {
    const error = await refused(page);
    expect([error.code, error.message]).toEqual([
      'key_unavailable',
      expect.stringContaining('reload the page'),
    ]);
    await idle(page);
  }
  expect([values(page), page.passes]).toEqual([KEPT, 0]);
});

test('two forms with one key: the second gets key_already_used, and asks for another the next time', async () => {
  const shared = freshKey();
  const [first, second] = [open(), open()];
  const ask = vi.fn().mockReturnValueOnce(shared).mockReturnValueOnce(freshKey());
  bind(first.form, { key: () => shared });
  bind(second.form, { key: ask });
  fill(first);
  fill(second);
  await posted(first);
  expect((await refused(second)).code).toBe('key_already_used');
  await idle(second);
  expect([values(second), second.passes]).toEqual([KEPT, 0]);
  expect((await posted(second)).length).toBe(1);
});

test('a fixed key that was used elsewhere: key_already_used, then reload', async () => {
  const key = freshKey();
  await encryptCard(key, card());
  const page = open();
  await bind(page.form, { key }).ready;
  fill(page);
  expect((await refused(page)).code).toBe('key_already_used');
  await idle(page);
  expect((await refused(page)).message).toContain('reload the page');
});

test('when WebCrypto fails, the values stay and the next submit asks for another key', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  await bind(page.form, { key: ask }).ready;
  fill(page);
  vi.spyOn(crypto.subtle, 'encrypt').mockRejectedValueOnce(new DOMException('', 'OperationError'));
  expect((await refused(page)).code).toBe('encryption_failed');
  await idle(page);
  expect([values(page), page.passes, ask.mock.calls.length]).toEqual([KEPT, 0, 1]);
  page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(2));
  await posted(page);
});

test('a name that is longer than the key takes: the key is kept, and so are the values', async () => {
  const page = open(html());
  const ask = vi.fn(() => freshKey());
  bind(page.form, { key: ask });
  const name = 'é'.repeat(83); // 190 bytes, less 25 for the rest, are left for the name
  fill(page, { ...TYPED, name });
  const error = await refused(page);
  expect([error.code, error.field, error.limit]).toEqual(['card_too_long', 'name', 165]);
  await idle(page);
  expect(values(page)).toEqual([TYPED.number, name, TYPED.expiry, TYPED.cvv]);
  fill(page, { name: 'é'.repeat(82) });
  page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(1));
  const [sent] = await posted(page);
  expect((await decrypt(JSON.parse(sent!.body[0]![1]))).name).toBe('é'.repeat(82));
});

test.each<[string, (binding: CardFormBinding) => unknown]>([
  ['unbind()', (binding) => binding.unbind()],
  ['restart()', (binding) => void binding.restart().catch(() => {})],
])('the signal of a request is aborted by %s, and its error goes no further', async (_, end) => {
  const page = open();
  const signals: (AbortSignal | undefined)[] = [];
  const key = (signal: AbortSignal | undefined) => {
    signals.push(signal);
    return new Promise<never>((_, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason));
    });
  };
  const binding = bind(page.form, { key });
  binding.ready.catch(() => {});
  expect(signals[0]!.aborted).toBe(false);
  end(binding);
  expect(signals[0]!.aborted).toBe(true);
  await settled(page);
  expect([page.errors, vi.mocked(reportError).mock.calls]).toEqual([[], []]);
});

test('the signal of a request is aborted when its time is over', async () => {
  const page = open();
  const signals: (AbortSignal | undefined)[] = [];
  const key = (signal: AbortSignal | undefined) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  await bind(page.form, { key, keyTimeoutMs: 20 }).ready.catch(() => {});
  expect(signals.map((signal) => signal!.aborted)).toEqual([true]);
});

test('what the key function throws reaches its developer once, as it is, and nobody else', async () => {
  const page = open();
  const reason = new Error('secret detail');
  bind(page.form, { key: () => Promise.reject(reason) });
  await vi.waitUntil(() => page.errors.length === 1);
  expect(vi.mocked(reportError).mock.calls).toEqual([[reason]]);
  expect(page.errors[0]).toMatchObject({ code: 'key_unavailable' });
  expect(`${page.errors[0]!.message}${page.errors[0]!.stack}`).not.toContain('secret');
});
