/** The store of one process. `npm run interop` tries the stores of several. */
import { expect, test } from 'vitest';
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
  expect((await one.read(id))?.value).toBe('second');
});
