/** What engines without `TextEncoder.encodeInto` do instead, and that others do not do it. */
import { describe, expect, test, vi } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import {
  card,
  decrypt,
  freshKey,
  isEmpty,
  outcome,
  type StringCard,
} from '../tools/support/core.ts';

describe('without TextEncoder.encodeInto', () => {
  /** What the call came to, and every array that `TextEncoder.encode` returned during the call. */
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

  test('any name comes to the same, and every copy is zeroed', async () => {
    const names = [
      'Zoë O’Hara-水 𝒵',
      'x'.repeat(446),
      'x'.repeat(447),
      `${'x'.repeat(445)}é`,
      '𝒵'.repeat(100_000),
      'a\ud800b',
      '',
    ];
    for (const name of names) {
      const result = encryptWithoutEncodeInto(card({ name }));
      const old = await outcome(result);
      expect(old).toBe(await outcome(encryptCard(freshKey(), card({ name }))));
      if (old === 'ok') expect(await decrypt(await result)).toEqual(card({ name }));
    }
    // The longest name that this key takes.
    const name = 'x'.repeat(165);
    expect(await decrypt(await encryptWithoutEncodeInto(card({ name })))).toEqual(card({ name }));
  });

  test('control: a copy that is not zeroed would be noticed', async () => {
    const fill = vi.spyOn(Uint8Array.prototype, 'fill').mockImplementation(function (
      this: Uint8Array,
    ) {
      return this;
    });
    await expect(encryptWithoutEncodeInto(card())).rejects.toThrow();
    expect(fill).toHaveBeenCalled();
  });
});

test('with TextEncoder.encodeInto there is no other copy that would have to be zeroed', async () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encode');
  const [key, given] = [freshKey(), card()];
  try {
    expect(await outcome(encryptCard(key, given))).toBe('ok');
    expect(encode).not.toHaveBeenCalled();
  } finally {
    encode.mockRestore();
  }
});
