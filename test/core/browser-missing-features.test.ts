/**
 * What happens to a card where the browser lacks a feature. Each case removes features from a new worker and then loads the library
 * there. Old versions of Firefox and Safari cannot be installed, so today's engines without these features stand in for them.
 */
import { expect, test } from 'vitest';
import type { EncryptedCard } from '../../src/core/index.ts';
import { byteCard, card, decrypt, freshKey } from '../tools/support/core.ts';

/** What the library did in the worker. */
interface Report {
  /** The features that could not be removed. */
  left: string[];
  prepared: string;
  results: { outcome: string; values: unknown[]; block?: EncryptedCard }[];
  /** Rejections that nothing handled. */
  unhandled: number;
}

/** Runs in the worker. `features` are paths, such as `Uint8Array.prototype.toBase64`. */
const WORKER = `
  let unhandled = 0;
  self.addEventListener('unhandledrejection', () => { unhandled++; });

  /** The object that holds the last name of the path, seen from the global object; undefined if there is none. */
  function ownerOf(path) {
    const names = path.split('.');
    const name = names.pop();
    let object = self;
    for (const part of names) object = object?.[part];
    while (object && !Object.prototype.hasOwnProperty.call(object, name)) object = Object.getPrototypeOf(object);
    return object && { object, name };
  }

  self.onmessage = async ({ data: { url, features, key, keys, cards } }) => {
    const { setTimeout } = self;
    for (const path of features) {
      for (let owner = ownerOf(path); owner && delete owner.object[owner.name]; owner = ownerOf(path));
    }
    const left = features.filter(ownerOf);
    const { encryptCard, prepareKey } = await import(url);
    const codeOf = (error) => (error?.name === 'CardEncryptionError' ? error.code : 'another error: ' + error);
    const prepared = await prepareKey(key).then(() => 'ok', codeOf);
    const results = [];
    for (const [i, card] of cards.entries()) {
      const promise = encryptCard(keys[i], card);
      const values = Object.values(card); // in the turn of the call
      results.push(await promise.then((block) => ({ outcome: 'ok', values, block }), (error) => ({ outcome: codeOf(error), values })));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    self.postMessage({ left, prepared, results, unhandled });
  };
`;

async function runWithout(
  features: string[],
  url = new URL('../../src/core/index.ts', import.meta.url).href,
): Promise<Report> {
  const script = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }));
  const worker = new Worker(script, { type: 'module' });
  const report = new Promise<Report>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
  worker.postMessage({
    url,
    features,
    key: freshKey(),
    keys: [freshKey(), freshKey()],
    cards: [card(), byteCard()],
  });
  try {
    return await report;
  } finally {
    worker.terminate();
    URL.revokeObjectURL(script);
  }
}

/** Whatever the outcome is, the card objects are empty when the calls return, and no rejection is unhandled. */
async function expectOutcome(features: string[], expected: string) {
  const { left, prepared, results, unhandled } = await runWithout(features);
  expect({ left, unhandled }).toEqual({ left: [], unhandled: 0 });
  expect(prepared).toBe(expected);
  expect(results.map(({ outcome }) => outcome)).toEqual([expected, expected]);
  for (const { values, block } of results) {
    expect(values).toHaveLength(5);
    for (const value of values)
      expect(value === '' || (value as Uint8Array).every((byte) => byte === 0)).toBe(true);
    if (expected === 'ok') expect(await decrypt(block!)).toEqual(card());
  }
}

test.each(['TextEncoder', 'WeakMap', 'atob', 'btoa'])(
  'without %s it is unsupported_browser',
  async (feature) => {
    await expectOutcome([feature], 'unsupported_browser');
  },
);

test.each(['crypto', 'Crypto.prototype.subtle'])(
  'without %s it is insecure_context',
  async (feature) => {
    await expectOutcome([feature], 'insecure_context');
  },
);

test('without TextEncoder and crypto it is unsupported_browser: features are looked for first', async () => {
  await expectOutcome(['TextEncoder', 'crypto'], 'unsupported_browser');
});

/** With the first versions of Chrome, Firefox and Safari that have them (MDN's browser-compat-data). */
const NEWER_FEATURES = [
  'globalThis', // 71, 65, 12.1
  'queueMicrotask', // 71, 69, 12.1
  'Array.prototype.flat', // 69, 62, 12
  'Array.prototype.flatMap', // 69, 62, 12
  'Object.fromEntries', // 73, 63, 12.1
  'String.prototype.matchAll', // 73, 67, 13
  'TextEncoder.prototype.encodeInto', // 74, 66, 14.1
  'Promise.allSettled', // 76, 71, 13
  'BigInt', // 67, 68, 14
  'WeakRef', // 84, 79, 14.1
  'String.prototype.replaceAll', // 85, 77, 13.1
  'Promise.any', // 85, 79, 14
  'Array.prototype.at', // 92, 90, 15.4
  'String.prototype.at',
  'Object.hasOwn', // 93, 92, 15.4
  'structuredClone', // 98, 94, 15.4
  'Array.prototype.findLast', // 97, 104, 15.4
  'ArrayBuffer.prototype.resizable', // 111, 128, 16.4
  'ArrayBuffer.prototype.transfer', // 114, 122, 17.4
  'ArrayBuffer.prototype.detached',
  'Array.prototype.with', // 110, 115, 16
  'Object.groupBy', // 117, 119, 17.4
  'Promise.withResolvers', // 119, 121, 17.4
  'Uint8Array.prototype.toBase64', // 140, 133, 18.2
  'Uint8Array.fromBase64',
  'SharedArrayBuffer', // not without cross-origin isolation
];

test('without any of them, as in Chrome 64, Firefox 60 and Safari 12.2, it encrypts', async () => {
  await expectOutcome(NEWER_FEATURES, 'ok');
});

test('control: a feature that is needed and not looked for would be noticed', async () => {
  const { results } = await runWithout(['Uint8Array.prototype.fill']);
  expect(results.map(({ outcome }) => outcome)).not.toEqual(['ok', 'ok']);
  expect(results.every(({ values }) => values.every((value) => value === ''))).toBe(false);
});
