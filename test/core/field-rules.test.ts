/** Which cards are taken. Each value is tried as a string and as bytes. */
import { describe, expect, test } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import {
  byteCard,
  card,
  decrypt,
  FIELD_NAMES,
  type Field,
  freshKey,
  outcome,
  utf8,
} from '../tools/support/core.ts';

/**
 * A card is validated before a key is prepared: with this one, a card that is taken ends as invalid_key at once and leaves the key unused.
 * It makes tens of thousands of cards affordable. The first test holds it against real encryptions.
 */
const hollowKey = { ...freshKey(), public_key: 'AAAA' };
async function verdictOn(field: Field, value: string | Uint8Array): Promise<string> {
  const result = await outcome(encryptCard(hollowKey, { ...card(), [field]: value }));
  return result === 'invalid_key' ? 'taken' : result;
}

/** The values among these with another verdict. */
async function wrongVerdicts(expected: string, field: Field, values: Iterable<string>) {
  const wrong = [];
  for (const value of values) {
    for (const given of [value, utf8(value)]) {
      const verdict = await verdictOn(field, given);
      if (verdict !== expected)
        wrong.push(`${JSON.stringify(value.slice(0, 30))} as ${typeof given}: ${verdict}`);
    }
  }
  return wrong.slice(0, 9);
}

const taken: Record<Field, string[]> = {
  number: ['0'.repeat(12), '9'.repeat(13), '4111111111111111', '9'.repeat(19)],
  name: [
    'x',
    ' ',
    '-',
    '4111111111111111',
    "Zoë O'Hara-水 𝒵",
    '\u{10ffff}',
    '\u00a0',
    '\u200b\u200e\u200f\u2060\ufeff\ufffe',
    'x'.repeat(165),
  ],
  exp_month: ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'],
  exp_year: ['0000', '1999', '2030', '9999'],
  cvv: ['000', '999', '0000', '9999'],
};

const refused: Record<Field, string[]> = {
  number: [
    '',
    '4',
    '4'.repeat(11),
    '4'.repeat(20),
    '4'.repeat(447),
    '4'.repeat(100_000),
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4.1e15aaaaaa',
  ],
  name: [''],
  exp_month: ['', '1', '001', '010', '1'.repeat(600)],
  exp_year: ['', '3', '30', '030', '02030', '20300', '2'.repeat(600)],
  cvv: ['', '1', '12', '12345', '1'.repeat(600)],
};

test.each(FIELD_NAMES)('a hollow key and a real one agree on %s', async (field) => {
  for (const make of [card, byteCard]) {
    for (const value of taken[field]) {
      expect(await decrypt(await encryptCard(freshKey(), make({ [field]: value })))).toEqual(
        card({ [field]: value }),
      );
    }
    for (const value of refused[field])
      expect(await outcome(encryptCard(freshKey(), make({ [field]: value })))).toBe(
        `invalid_card ${field}`,
      );
  }
  expect(await wrongVerdicts('taken', field, taken[field])).toEqual([]);
  expect(await wrongVerdicts(`invalid_card ${field}`, field, refused[field])).toEqual([]);
});

test('of all months that two digits can write, twelve are taken', async () => {
  const months = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(2, '0'));
  expect(await wrongVerdicts('taken', 'exp_month', months.slice(1, 13))).toEqual([]);
  expect(
    await wrongVerdicts('invalid_card exp_month', 'exp_month', [months[0]!, ...months.slice(13)]),
  ).toEqual([]);
});

describe.each(['number', 'exp_month', 'exp_year', 'cvv'] as const)('%s', (field) => {
  const good = { number: '1010101010101010', exp_month: '11', exp_year: '1010', cvv: '1010' }[
    field
  ];

  test('takes ASCII digits alone: every other byte is refused at every place', async () => {
    const wrong = [];
    for (const place of good.split('').keys()) {
      for (const byte of Array(256).keys()) {
        const bytes = utf8(good);
        bytes[place] = byte;
        const isDigit =
          byte >= 0x30 && byte <= (field === 'exp_month' ? (place ? 0x32 : 0x31) : 0x39);
        if ((await verdictOn(field, bytes)) !== (isDigit ? 'taken' : `invalid_card ${field}`))
          wrong.push([place, byte]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('refuses other digits and separators, also where the number of bytes or of characters is right', async () => {
    const odd = [
      '0',
      '٠',
      '०',
      '０',
      '𝟎',
      '²',
      'é',
      ' ',
      '\u00a0',
      '\t',
      '\n',
      '-',
      '+',
      '.',
      ',',
      '/',
      ':',
      'e',
      'x',
      'O',
      '\0',
      '\ud800',
      '\ufeff',
    ];
    const values = odd.flatMap((char) =>
      good
        .split('')
        .flatMap((_, place) =>
          [0, 1, 2, 3].flatMap((cut) =>
            place + cut < good.length
              ? [good.slice(0, place) + char + good.slice(place + 1 + cut)]
              : [],
          ),
        ),
    );
    const bad = values.filter((value) => value.split('').some((char) => char < '0' || char > '9'));
    expect(bad.length).toBeGreaterThan(40);
    expect(await wrongVerdicts(`invalid_card ${field}`, field, bad)).toEqual([]);
    expect(
      await wrongVerdicts(`invalid_card ${field}`, field, [
        ` ${good}`,
        `${good} `,
        `\n${good}`,
        `${good}\n`,
        `${good}\0`,
      ]),
    ).toEqual([]);
  });
});

describe('name', () => {
  /** The rule by Unicode's own properties; and what a lone surrogate becomes in UTF-8. */
  const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u;

  /** All of the Basic Multilingual Plane, in which the rule has its edges; of the others the ends and a sample. */
  const points = Array.from({ length: 0x10000 }, (_, point) => point);
  for (let plane = 0x10000; plane <= 0x100000; plane += 0x10000) {
    for (let at = 0; at < 0xffff; at += 0xfd) points.push(plane + at);
    points.push(plane + 0xffff);
  }

  test('takes every code point of Unicode but controls, line separators, bidi embeddings, overrides, isolates, surrogates and U+FFFD', async () => {
    const chars = points.map((point) => String.fromCodePoint(point));
    const bad = chars.filter((char) => forbidden.test(char));
    const allowed = chars.filter((char) => !forbidden.test(char));
    const good: string[] = [];
    while (allowed.length > 0) good.push(allowed.splice(-70).join(''));
    expect(bad.length).toBe(65 + 2048 + 2 + 5 + 4 + 1);
    expect(await wrongVerdicts('taken', 'name', good)).toEqual([]);
    expect(await wrongVerdicts('invalid_card name', 'name', bad)).toEqual([]);
    const inside = bad
      .filter((char) => char < '\ud800' || char > '\udfff')
      .concat('\ud800', '\udbff', '\udc00', '\udfff');
    expect(
      await wrongVerdicts(
        'invalid_card name',
        'name',
        inside.flatMap((char) => [`x${char}`, `${char}x`, `x${char}x`]),
      ),
    ).toEqual([]);
  });

  test('takes well-formed UTF-8 alone, as the engine decodes it', async () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const isWellFormed = (bytes: Uint8Array) => {
      try {
        return !forbidden.test(decoder.decode(bytes));
      } catch {
        return false;
      }
    };
    // The bytes at which something changes: ASCII, continuation, overlong, surrogates, beyond U+10FFFF, no lead byte at all.
    const edges = [
      0x1f, 0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
      0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xf8, 0xff,
    ];
    const tails = [0x20, 0x80, 0xbf, 0xc2];
    const wrong = [];
    let good = 0;
    for (const a of edges) {
      for (const b of edges) {
        for (const rest of [
          [],
          ...edges.map((c) => [c]),
          ...tails.flatMap((c) => tails.map((d) => [c, d])),
        ]) {
          const bytes = Uint8Array.of(a, b, ...rest);
          const expected = isWellFormed(bytes);
          good += Number(expected);
          if ((await verdictOn('name', bytes)) !== (expected ? 'taken' : 'invalid_card name'))
            wrong.push(Uint8Array.of(a, b, ...rest));
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(good).toBeGreaterThan(100);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence of two', [0x78, 0xc3]],
    ['a truncated sequence of three', [0x78, 0xe6, 0xb0]],
    ['a truncated sequence of four', [0x78, 0xf0, 0x9d, 0x92]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong letter', [0xe0, 0x81, 0xb8]],
    ['an overlong é', [0xe0, 0x83, 0xa9]],
    ['an overlong 水', [0xf0, 0x86, 0xb0, 0xb4]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a pair of surrogates (CESU-8)', [0xed, 0xa0, 0xb5, 0xed, 0xb2, 0xb5]],
    ['U+110000', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence of five', [0xf8, 0x88, 0x80, 0x80, 0x80]],
    ['an overlong sequence of five', [0xf8, 0x80, 0x81, 0x81, 0x81]],
    ['five continuation bytes', [0x80, 0x80, 0x81, 0x81, 0x81]],
    ['UTF-16', [0xff, 0xfe, 0x78, 0x00]],
    ['Latin-1', [0x5a, 0x6f, 0xeb]],
  ])('refuses %s', async (_, bytes) => {
    expect(await verdictOn('name', Uint8Array.from(bytes))).toBe('invalid_card name');
    expect(await verdictOn('name', Uint8Array.of(0x78, ...bytes, 0x78))).toBe('invalid_card name');
  });
});

test('the first field at fault is named, in the order of the specification', async () => {
  for (const [i, field] of FIELD_NAMES.entries()) {
    const bad = Object.fromEntries(FIELD_NAMES.slice(i).map((name) => [name, '']));
    expect(await outcome(encryptCard(freshKey(), card(bad)))).toBe(`invalid_card ${field}`);
  }
  const long = 'x'.repeat(447);
  expect(await outcome(encryptCard(freshKey(), card({ number: '', name: long })))).toBe(
    'invalid_card number',
  );
  expect(await outcome(encryptCard(freshKey(), card({ name: long, cvv: '' })))).toBe(
    'card_too_long name',
  );
  expect(await outcome(encryptCard(freshKey(), card({ name: 'x'.repeat(446), cvv: '' })))).toBe(
    'invalid_card cvv',
  );
});
