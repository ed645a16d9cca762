import { afterAll, beforeAll, expect, test } from 'vitest';
import { heapSnapshot, openPage } from '../../tools/memory/chromium.ts';
import { digits } from '../../tools/memory/digits.ts';
import { BITS, freshKey } from '../support/core.ts';
import { findCard } from '../support/find-card.ts';

let chromium: Awaited<ReturnType<typeof openPage>>;
beforeAll(async () => {
  chromium = await openPage();
});
afterAll(() => chromium?.close());

/** As in the page: sixteen digits, and the same as letters. */
const number = (seed: number) => Buffer.from(digits(seed)).toString();
const name = (seed: number) => Buffer.from(digits(seed).map((byte) => byte + 0x11)).toString();

// Control no-string-left
// Claim no-string-left. Why: `takeOver` in src/core/card.ts copies bytes to bytes and makes no
// string of them.
test('in a Chromium page that encrypted bytes, no string holds the card, and strings that were planted are found', async () => {
  const [asString, inClosure] = [1, 2];
  await chromium.act('keepString', asString);
  await chromium.act('keepInClosure', inClosure);
  const seeds = BITS.map((_, i) => 10 + i);
  for (const [i, bits] of BITS.entries())
    await chromium.act('encryptBytes', seeds[i]!, freshKey(bits));

  const snapshot = await heapSnapshot(chromium.cdp);
  expect(JSON.parse(snapshot).strings.length).toBeGreaterThan(1000);
  expect(findCard(snapshot, { asString: number(asString) })).toContain('asString, plain in it');
  expect(findCard(snapshot, { inClosure: number(inClosure) })).not.toEqual([]);
  for (const seed of seeds)
    expect(findCard(snapshot, { number: number(seed), name: name(seed) })).toEqual([]);
});
