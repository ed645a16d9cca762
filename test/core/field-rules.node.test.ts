/**
 * The rules of the card fields, over all bytes that make a difference. encrypt-card.test.ts shows
 * that each field has its rule and its bounds.
 */
import { describe, expect, test } from 'vitest';
import { isDigits, isMonth, isName } from '../../src/core/field-rules.ts';
import { utf8 } from '../support/core.ts';

const BYTES = [...Array(256).keys()];

test('digits are ASCII digits: every other byte is refused at every place', () => {
  const digits = BYTES.filter((byte) => isDigits(Uint8Array.of(byte)));
  expect(String.fromCharCode(...digits)).toBe('0123456789');
  for (const place of [0, 1, 2]) {
    const taken = BYTES.filter((byte) => isDigits(utf8('000').with(place, byte)));
    expect(taken).toEqual(digits);
  }
});

test('of all that two bytes can write, twelve are a month', () => {
  const taken = BYTES.flatMap((a) =>
    BYTES.filter((b) => isMonth(Uint8Array.of(a, b))).map((b) => String.fromCharCode(a, b)),
  );
  const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'];
  expect(taken).toEqual(months);
});

describe('a name', () => {
  /** The rule by Unicode's own properties. */
  const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u;

  test('takes every code point but controls, line separators, bidi embeddings, overrides, isolates and U+FFFD', () => {
    // All of the Basic Multilingual Plane, in which the rule has its edges; of the others the ends.
    const points = [...Array(0x10000).keys()].filter((point) => point < 0xd800 || point > 0xdfff);
    for (let plane = 0x10000; plane <= 0x100000; plane += 0x10000) {
      points.push(plane, plane + 0xffff);
    }
    const chars = points.map((point) => String.fromCodePoint(point));
    const refused = chars.filter((char) => !isName(utf8(char)));
    expect(refused).toEqual(chars.filter((char) => forbidden.test(char)));
    expect(refused).toHaveLength(65 + 2 + 5 + 4 + 1);
    for (const char of refused) {
      expect([`x${char}`, `${char}x`].map((name) => isName(utf8(name)))).toEqual([false, false]);
    }
  });

  test('takes well-formed UTF-8 alone, as the platform decodes it', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const isWellFormed = (bytes: Uint8Array) => {
      try {
        return !forbidden.test(decoder.decode(bytes));
      } catch {
        return false;
      }
    };
    // The bytes at which something changes: ASCII, continuation, overlong, surrogates, beyond
    // U+10FFFF, no lead byte at all.
    const edges = [
      0x1f, 0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
      0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xf8, 0xff,
    ];
    const tails = [0x20, 0x80, 0xbf, 0xc2];
    const rests = [
      [],
      ...edges.map((c) => [c]),
      ...tails.flatMap((c) => tails.map((d) => [c, d])),
      [0x80, 0x80, 0x80], // of five bytes
    ];
    const all = edges.flatMap((a) =>
      edges.flatMap((b) => rests.map((rest) => Uint8Array.of(a, b, ...rest))),
    );
    expect(all.filter((bytes) => isName(bytes) !== isWellFormed(bytes))).toEqual([]);
    expect(all.filter(isName).length).toBeGreaterThan(100);
  });
});
