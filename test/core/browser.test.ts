/** What a browser may lack. A whole global that it lacks is left to Node and to test/old-browsers. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { encryptCard, prepareKey } from '../../src/core/index.ts';
import { card, decrypt, freshKey, isEmpty, outcome, type StringCard } from '../support/core.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('without crypto it is insecure_context, and the key is not used up', async () => {
  const [key, given, prepared] = [freshKey(), card(), await prepareKey(freshKey())];
  // Not crypto itself: code that WebKitGTK 2.50 has compiled by now goes on seeing the old one.
  Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true });
  try {
    await expect(prepareKey(key)).rejects.toMatchObject({
      code: 'insecure_context',
      message: expect.stringContaining('test environments'),
    });
    expect(await outcome(prepareKey({ ...key, public_key: 'bad' }))).toBe('insecure_context');
    expect(await outcome(prepareKey({ ...key, scheme: 'another' }))).toBe('unsupported_scheme');
    expect(await outcome(encryptCard(key, given))).toBe('insecure_context');
    expect(isEmpty(given)).toBe(true);
    expect(await outcome(encryptCard(key, card({ cvv: 'bad' })))).toBe('invalid_card cvv');
    expect(await outcome(encryptCard(prepared, card()))).toBe('ok');
  } finally {
    Reflect.deleteProperty(crypto, 'subtle');
  }
  expect(await outcome(encryptCard(key, card()))).toBe('ok');
});

describe('without TextEncoder.encodeInto', () => {
  /** What the call came to. Every array that `TextEncoder.encode` returned during it is zeroed. */
  async function encryptWithoutEncodeInto(given: StringCard) {
    const { encode, encodeInto } = TextEncoder.prototype;
    const encoded: Uint8Array[] = [];
    Reflect.deleteProperty(TextEncoder.prototype, 'encodeInto');
    TextEncoder.prototype.encode = function (text) {
      const bytes = encode.call(this, text);
      encoded.push(bytes);
      return bytes;
    };
    const key = freshKey();
    try {
      const result = encryptCard(key, given);
      expect(encoded).toHaveLength(5);
      expect(encoded.filter((bytes) => bytes.some((byte) => byte !== 0))).toEqual([]);
      expect(isEmpty(given)).toBe(true);
      return result;
    } finally {
      Object.assign(TextEncoder.prototype, { encode, encodeInto });
      vi.restoreAllMocks();
    }
  }

  test.each([
    'Zoë O’Hara-水 𝒵',
    'x'.repeat(165), // the longest name that this key takes
    'x'.repeat(446),
    `${'x'.repeat(445)}é`,
    'a\ud800b',
    '',
  ])('a name comes to the same, and every copy is zeroed: %o', async (name) => {
    const result = encryptWithoutEncodeInto(card({ name }));
    const old = await outcome(result);
    expect(old).toBe(await outcome(encryptCard(freshKey(), card({ name }))));
    if (old === 'ok') expect(await decrypt(await result)).toEqual(card({ name }));
  });

  test('control: a copy that is not zeroed would be noticed', async () => {
    const fill = vi.spyOn(Uint8Array.prototype, 'fill').mockReturnThis();
    await expect(encryptWithoutEncodeInto(card())).rejects.toThrow();
    expect(fill).toHaveBeenCalled();
  });
});

test('with TextEncoder.encodeInto there is no other copy that would have to be zeroed', async () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encode');
  expect(await outcome(encryptCard(freshKey(), card()))).toBe('ok');
  expect(encode).not.toHaveBeenCalled();
});
