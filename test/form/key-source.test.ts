/** Where the key of a press comes from, how long it is waited for, and when another one is asked for. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  CardEncryptionError,
  type CardEncryptionKey,
  type EncryptedCard,
} from '../../src/core/index.ts';
import type { CardFormBinding } from '../../src/form/index.ts';
import { keySource } from '../../src/form/key-source.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  bind,
  blockOf,
  deferred,
  fill,
  idle,
  KEPT,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  values,
} from '../support/form.ts';

const codes = (page: Page) => page.errors.map(({ code }) => code);
const NEVER = Number.POSITIVE_INFINITY;

describe('a key function', () => {
  const secret = new Error('secret detail');
  const aboutCard = new CardEncryptionError('invalid_card', 'secret detail', { field: 'number' });
  const ownError = new CardEncryptionError('insecure_context', 'of the page');

  test.each<[string, () => CardEncryptionKey | Promise<CardEncryptionKey>, string, Error[]]>([
    ['that rejects', () => Promise.reject(secret), 'key_unavailable', [secret]],
    [
      'that throws',
      () => {
        throw secret;
      },
      'key_unavailable',
      [secret],
    ],
    [
      'that rejects with an error about a card',
      () => Promise.reject(aboutCard),
      'key_unavailable',
      [aboutCard],
    ],
    [
      'that rejects with an error of the library',
      () => Promise.reject(ownError),
      'insecure_context',
      [],
    ],
    ['that gives nothing', () => undefined as never, 'invalid_key', []],
  ])(
    '%s: the error says so, its developer gets what it threw, and it is asked again',
    async (_, failing, code, reported) => {
      const key = freshKey();
      const ask = vi.fn(failing);
      const keys = keySource(ask, 15_000, NEVER);
      const error = await keys.get().catch((error: CardEncryptionError) => error);
      expect(error).toMatchObject({ code });
      expect(`${error}${(error as Error).stack}`).not.toContain('secret detail');
      expect(vi.mocked(reportError).mock.calls.flat()).toEqual(reported);
      ask.mockReturnValueOnce(key);
      expect((await keys.get()).key.id).toBe(key.id);
      expect(ask).toHaveBeenCalledTimes(2);
    },
  );

  test('that never answers fails after what timers count at most, and its signal is aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const late = deferred<CardEncryptionKey>();
    const second = freshKey();
    const ask = vi.fn((signal?: AbortSignal) => signal && late.promise);
    const keys = keySource(ask as never, NEVER, NEVER);
    const failed = vi.fn();
    keys.get().catch(failed);
    const signal = ask.mock.calls[0]![0]!;
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
    expect([failed.mock.calls, signal.aborted]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failed.mock.calls[0]![0]).toMatchObject({
      code: 'key_unavailable',
      message: 'The key did not come: the next press asks again',
    });
    expect(signal.aborted).toBe(true);
    late.resolve(freshKey()); // which is not taken
    ask.mockReturnValueOnce(second as never);
    expect((await keys.get()).key.id).toBe(second.id);
  });

  test('is dropped, given up and fails alike in a browser without AbortController', async () => {
    vi.stubGlobal('AbortController', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ask = vi.fn((): Promise<CardEncryptionKey> => new Promise(() => {}));
    const keys = keySource(ask, 50, NEVER);
    keys.get();
    keys.drop();
    const failed = vi.fn();
    keys.get().catch(failed);
    await vi.advanceTimersByTimeAsync(50); // rejects if a timer throws
    expect(failed).toHaveBeenCalledOnce();
    ask.mockRejectedValueOnce(secret);
    await expect(keys.get()).rejects.toMatchObject({ code: 'key_unavailable' });
    expect(reportError).toHaveBeenLastCalledWith(secret);
  });

  test('that has answered keeps its signal: neither time nor a later request aborts it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const signals: AbortSignal[] = [];
    const ask = (signal: AbortSignal | undefined) => {
      signals.push(signal!);
      return freshKey();
    };
    const keys = keySource(ask, 15_000, NEVER);
    await keys.get();
    await vi.advanceTimersByTimeAsync(15_000);
    keys.drop();
    await keys.get();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test('is asked once for all who wait, and again for a key that is dropped or was on its way then', async () => {
    const [first, second] = [deferred<CardEncryptionKey>(), deferred<CardEncryptionKey>()];
    const ask = vi.fn().mockReturnValueOnce(first.promise).mockReturnValueOnce(second.promise);
    const keys = keySource(ask, 15_000, NEVER);
    const failed = keys.get().catch(() => 'failed');
    keys.get().catch(() => {});
    expect(ask).toHaveBeenCalledTimes(1);
    keys.drop();
    const next = keys.get();
    first.reject(new Error('the network')); // late: it does not end the request of now
    expect(await failed).toBe('failed');
    second.resolve(freshKey());
    const ready = await next;
    keys.drop({ ...ready }); // another one, which was used
    expect(await keys.get()).toBe(ready);
    expect(ask).toHaveBeenCalledTimes(2);
    keys.drop(ready);
    ask.mockReturnValueOnce(freshKey());
    await keys.get();
    expect(ask).toHaveBeenCalledTimes(3);
  });
});

describe('a key that is too old', () => {
  test('is replaced, one on its way is not, and without a limit none is', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const ask = vi.fn(() => freshKey() as CardEncryptionKey | Promise<CardEncryptionKey>);
    const [keys, unlimited] = [keySource(ask, 15_000, 60_000), keySource(ask, 15_000, NEVER)];
    const [first, kept] = [await keys.get(), await unlimited.get()];
    vi.setSystemTime(Date.now() + 60_000);
    expect(await keys.get()).toBe(first);
    vi.setSystemTime(Date.now() + 1);
    const slow = deferred<CardEncryptionKey>();
    ask.mockReturnValueOnce(slow.promise);
    const [asked, again] = [keys.get(), keys.get()];
    slow.resolve(freshKey());
    expect(await asked).toBe(await again);
    expect(await asked).not.toBe(first);
    vi.setSystemTime(Date.now() + 30 * 24 * 3_600_000);
    expect(await unlimited.get()).toBe(kept);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  test('is replaced at the press: the option keyMaxAgeMs', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const page = open();
    const keys = [freshKey(), freshKey()];
    const ask = vi.fn(() => keys[ask.mock.calls.length - 1]!);
    await bind(page.form, { key: ask, keyMaxAgeMs: 60_000 }).ready;
    vi.setSystemTime(Date.now() + 60_001);
    fill(page);
    await posted(page);
    expect(page.encrypted).toEqual([keys[1]!.id]);
  });

  test('G16: after lunch, the press asks for a fresh one by default, if it can', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const keys = [freshKey(), freshKey(), freshKey()];
    const minutes = (count: number) => vi.setSystemTime(Date.now() + count * 60_000 + 1);
    const ask = vi.fn(() => keys[ask.mock.calls.length - 1]!);
    const pages = [open(), open()];
    await bind(pages[0]!.form, { key: ask }).ready;
    await bind(pages[1]!.form, { key: keys[2]! }).ready; // the page's only one
    minutes(9);
    expect(ask).toHaveBeenCalledTimes(1);
    minutes(1);
    for (const page of pages) {
      fill(page);
      await posted(page);
    }
    expect(pages.map(({ encrypted }) => encrypted[0])).toEqual([keys[1]!.id, keys[2]!.id]);
  });
});

describe('a form', () => {
  test('without a key says so at binding and at the press, keeps the values, and asks again', async () => {
    const page = open();
    const ask = vi.fn((): Promise<CardEncryptionKey> => Promise.reject(new Error('the network')));
    const key = () => ask();
    await expect(bind(page.form, { key, keyTimeoutMs: 60_000 }).ready).rejects.toMatchObject({
      code: 'key_unavailable',
    });
    expect([codes(page), page.ready, statusOf(page)]).toEqual([['key_unavailable'], 0, undefined]);
    fill(page);
    const error = await refused(page);
    expect(error.code).toBe('key_unavailable');
    expect(console.error).toHaveBeenLastCalledWith(error);
    await idle(page);
    expect([values(page), page.passes, ask.mock.calls.length]).toEqual([KEPT, 0, 2]);
    ask.mockResolvedValueOnce(freshKey());
    page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(3));
    expect((await posted(page)).length).toBe(1);
  });

  test('gives up a key after keyTimeoutMs, 15 s by default', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const pages = [open(), open()];
    const key = () => new Promise<never>(() => {});
    bind(pages[0]!.form, { key });
    bind(pages[1]!.form, { key, keyTimeoutMs: 50 });
    const failed = () => pages.map(codes);
    await vi.advanceTimersByTimeAsync(50);
    expect(failed()).toEqual([[], ['key_unavailable']]);
    await vi.advanceTimersByTimeAsync(15_000 - 51);
    expect(failed()).toEqual([[], ['key_unavailable']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failed()).toEqual([['key_unavailable'], ['key_unavailable']]);
  });

  test('tells of a key that fails while a submit waits for it by one error, not two', async () => {
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

  test.each<[string, (binding: CardFormBinding) => unknown]>([
    ['unbind()', (binding) => binding.unbind()],
    ['restart()', (binding) => void binding.restart().catch(() => {})],
  ])('has its request aborted by %s, and its error goes no further', async (_, end) => {
    const page = open();
    const signals: AbortSignal[] = [];
    const key = (signal: AbortSignal | undefined) => {
      signals.push(signal!);
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

  test('keeps the values when WebCrypto fails, and asks for another key at the next press', async () => {
    const page = open();
    const ask = vi.fn(() => freshKey());
    await bind(page.form, { key: ask }).ready;
    fill(page);
    const failure = new DOMException('', 'OperationError');
    vi.spyOn(crypto.subtle, 'encrypt').mockRejectedValueOnce(failure);
    expect((await refused(page)).code).toBe('encryption_failed');
    await idle(page);
    expect([values(page), page.passes, ask.mock.calls.length]).toEqual([KEPT, 0, 1]);
    page.form.addEventListener('submit', () => expect(ask).toHaveBeenCalledTimes(2));
    await posted(page);
  });

  test('has left the form as its encryption begins: a press after a reset meanwhile has a key of its own', async () => {
    const page = open();
    const ask = vi.fn(() => freshKey());
    const blocks: EncryptedCard[] = [];
    await bind(page.form, { key: ask, onEncrypted: (block) => void blocks.push(block) }).ready;
    const begun = deferred<void>();
    const late = deferred<void>();
    const { encrypt } = crypto.subtle;
    vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce(async (...given) => {
      begun.resolve();
      await late.promise;
      return encrypt.apply(crypto.subtle, given);
    });
    fill(page);
    page.button().click();
    await begun.promise;
    page.form.reset();
    await settled(page);
    fill(page, OTHER);
    page.button().click();
    await vi.waitUntil(() => blocks.length > 0 || page.errors.length > 0);
    late.resolve();
    expect([page.errors, ask.mock.calls.length]).toEqual([[], 2]);
    expect(await decrypt(blocks[0]!)).toEqual(OTHER_CARD);
  });

  test('keeps the key and the values if the name is longer than the key takes', async () => {
    const page = open();
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
    expect((await decrypt(blockOf(sent!))).name).toBe('é'.repeat(82));
  });
});
