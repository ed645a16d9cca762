/** The store of one process. `npm run interop` tries the stores of several. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryStore } from '../../src/checkout/index.ts';

test('of two writes to the version that both have read, only the first one counts', async () => {
  const id = crypto.randomUUID();
  const [one, other] = [memoryStore(), memoryStore()]; // two bundles of one process
  expect(await one.read(id)).toBeUndefined();
  expect(await one.write(id, 'first', 0)).toBe(true);
  expect(await other.write(id, 'lost', 0)).toBe(false);
  const first = await other.read(id);
  expect(first).toEqual({ value: 'first', version: expect.any(Number) });
  expect(await other.write(id, 'second', first!.version)).toBe(true);
  expect(await one.write(id, 'lost', first!.version)).toBe(false);
  const last = await one.read(id);
  expect(last?.value).toBe('second');
  expect(last!.version).toBeGreaterThan(first!.version);
});

test.each([
  ['production', { env: { NODE_ENV: 'production' } }, 1],
  ['development', { env: {} }, 0],
  ['a runtime without an environment', {}, 0],
  ['a runtime without process', undefined, 0],
])('in %s it says once, or not, that a restart forgets orders', (_, process, times) => {
  const orders = Symbol.for('cardseal.checkout.memoryStore');
  const before = Reflect.get(globalThis, orders);
  onTestFinished(() => void Reflect.set(globalThis, orders, before));
  Reflect.deleteProperty(globalThis, orders);
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('process', process);
  try {
    memoryStore();
    memoryStore();
  } finally {
    vi.unstubAllGlobals();
  }
  const text =
    'cardseal: orders are kept in memory. After a restart a shopper can be charged twice. ' +
    'Give createCheckout a store that lasts, for example postgresStore(pool).';
  expect(warn.mock.calls).toEqual(Array(times).fill([text]));
  warn.mockRestore();
});
