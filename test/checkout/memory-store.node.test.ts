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

test('lists the orders that are due, by id, in parts', async () => {
  const { write, list } = memoryStore();
  const prefix = `0-${crypto.randomUUID()}-`; // sorts before any letter
  const ids = ['a', 'b', 'c', 'd', 'e'].map((id) => prefix + id);
  for (const id of [...ids].reverse()) await write(id, id, 0, id !== ids[1]);
  const idsOf = async (after: string) =>
    (await list({ limit: 2, after })).map(({ orderId }) => orderId);
  expect(await idsOf(prefix)).toEqual([ids[0], ids[2]]);
  expect((await idsOf(ids[2]!)).slice(0, 2)).toEqual([ids[3], ids[4]]);
  expect((await list({ limit: 1, after: prefix }))[0]).toMatchObject({ value: ids[0], version: 1 });
  const all = (await list({ limit: 1000 })).map(({ orderId }) => orderId);
  expect(all.filter((id) => id.startsWith(prefix))).toEqual([ids[0], ids[2], ids[3], ids[4]]);
  await write(ids[1]!, 'due by default', 1);
  expect(await idsOf(prefix)).toEqual([ids[0], ids[1]]);
  await write(ids[1]!, 'done', 2, false);
  await write(ids[0]!, 'done', 1, false);
  expect(await idsOf(prefix)).toEqual([ids[2], ids[3]]);
});

const refusing = {
  get env() {
    throw new Error('NotCapable: Requires env access');
  },
};

test.each([
  ['production', { env: { NODE_ENV: 'production' } }, 1],
  ['a server whose environment nobody has named', { env: {} }, 1],
  ['a Workers runtime without an environment', {}, 1],
  ['a runtime without process', undefined, 1],
  ['Deno without the permission to read it', refusing, 1],
  ['development', { env: { NODE_ENV: 'development' } }, 0],
  ['tests', { env: { NODE_ENV: 'test' } }, 0],
  ['the tests of Node', { env: { NODE_TEST_CONTEXT: 'child-v8' } }, 0],
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
    'cardseal: orders are kept in the memory of this process. After a restart, or with several ' +
    'processes or isolates, a shopper can be charged twice. Give createCheckout a store that ' +
    'lasts, for example postgresStore(pool).';
  expect(warn.mock.calls).toEqual(Array(times).fill([text]));
  warn.mockRestore();
});
