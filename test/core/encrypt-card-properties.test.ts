/** What holds for every input, not for examples. Runs in the browsers and in Node. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CardEncryptionError,
  type CardEncryptionErrorCode,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
import {
  BITS,
  type Bits,
  card,
  decrypt,
  FIELD_NAMES,
  FIELDS,
  freshKey,
  outcome,
  type StringCard,
  utf8,
} from '../support/core.ts';
import { findCard } from '../support/find-card.ts';

/** In each of three engines and in Node: 120 cards for each property. */
const RUNS = { numRuns: 30 };

/** The codes that encryptCard and prepareKey can give where there is a crypto.subtle that works. */
const CODES: CardEncryptionErrorCode[] = [
  'unsupported_scheme',
  'invalid_key',
  'key_already_used',
  'invalid_card',
  'card_too_long',
];

/** The rules of the digit fields, said in another way than the library says them. */
const RULES = {
  number: /^[0-9]{12,19}$/,
  exp_month: /^(0[1-9]|1[0-2])$/,
  exp_year: /^[0-9]{4}$/,
  cvv: /^[0-9]{3,4}$/,
};

/**
 * The code points that a name must not have. Not by a regular expression: that of WebKitGTK 2.50
 * takes a lone surrogate before U+FC00 and later characters for a pair.
 */
const isRefused = (point: number) =>
  point <= 0x1f ||
  (point >= 0x7f && point <= 0x9f) ||
  (point >= 0x2028 && point <= 0x202e) ||
  (point >= 0x2066 && point <= 0x2069) ||
  (point >= 0xd800 && point <= 0xdfff) ||
  point === 0xfffd;

const codePoints = (text: string) => Array.from(text, (char) => char.codePointAt(0)!);

const isWellFormed = (text: string) =>
  !codePoints(text).some((point) => point >= 0xd800 && point <= 0xdfff);

const obeys = (field: keyof StringCard, value: string) =>
  field === 'name' ? value !== '' && !codePoints(value).some(isRefused) : RULES[field].test(value);

/** What must come of a card that is all strings, or bytes of them. */
function expected(given: StringCard, bits: Bits): string {
  for (const field of FIELD_NAMES) {
    if (field === 'name' && utf8(given.name).length > 446) return 'card_too_long name';
    if (!obeys(field, given[field])) return `invalid_card ${field}`;
  }
  const capacity = bits / 8 - 66;
  const others = utf8(Object.values({ ...given, name: '' }).join('')).length;
  return others + utf8(given.name).length > capacity
    ? `card_too_long name ${capacity - others}`
    : 'ok';
}

/** Encrypts a copy, some fields as strings and some as bytes (`mixture`, a bit for each), and holds the outcome against the rules. */
async function check(given: StringCard, bits: Bits, mixture: number) {
  const copy = Object.fromEntries(
    FIELD_NAMES.map((field, i) => [
      field,
      (mixture >> i) & 1 && isWellFormed(given[field]) ? utf8(given[field]) : given[field],
    ]),
  );
  const result = encryptCard(freshKey(bits), copy as never);
  expect(await outcome(result)).toBe(expected(given, bits));
  if (expected(given, bits) !== 'ok') return;
  const block = await result;
  expect(findCard(JSON.stringify(block), given, 8)).toEqual([]); // shorter ones are in Base64 by chance
  expect(await decrypt(block)).toEqual(given);
  expect(block.layout).toEqual(
    FIELD_NAMES.map((field) => ({ field: FIELDS[field], len: utf8(given[field]).length })),
  );
}

const bits = fc.constantFrom(...BITS);
const mixture = fc.nat({ max: 31 });
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
/** Every code point, and every half of a surrogate pair by itself. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 200,
  }),
  fc.string({ unit: fc.constantFrom('x', 'é', '水', '𝒵'), minLength: 30, maxLength: 460 }),
);
const cards = fc.record({
  number: digits(12, 19),
  name: anyText,
  exp_month: fc.integer({ min: 1, max: 12 }).map((month) => String(month).padStart(2, '0')),
  exp_year: digits(4, 4),
  cvv: digits(3, 4),
});

// Claim ciphertext-only. Why: `encryptCard` in src/core/encrypt-card.ts builds the block of three
// values: the ciphertext in Base64, the key's `id`, and the lengths of the fields.
test('a name of any Unicode text comes out exactly, or is refused by its rule', () =>
  fc.assert(
    fc.asyncProperty(cards, bits, mixture, (given, size, mixed) => check(given, size, mixed)),
    RUNS,
  ));

const nearlyDigits = fc.oneof(
  digits(0, 21),
  fc.string({
    unit: fc.constantFrom(...'0123456789'.repeat(4), ' ', '-', 'x', '٣', '３', '\0', '+'),
  }),
);

// Claim exact-card
test('digit fields are encrypted as they are, or refused by their rules, the first one in the order of the plaintext', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        number: fc.oneof(nearlyDigits, digits(12, 19)),
        name: fc.constant('Quillow'),
        exp_month: fc.oneof(nearlyDigits, digits(2, 2)),
        exp_year: fc.oneof(nearlyDigits, digits(4, 4)),
        cvv: fc.oneof(nearlyDigits, digits(3, 4)),
      }),
      mixture,
      (given, mixed) => check(given, 2048, mixed),
    ),
    RUNS,
  ));

const MARK = 'MARK4929';
const marked = fc.string({ maxLength: 30 }).map((text) => MARK + text);
const scalars = [
  marked,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, Symbol(MARK)),
  fc.bigInt(),
];
const markedBytes = marked.map((text) => utf8(text));
/** Any value; every text in it carries the mark. */
const anything = (key: fc.Arbitrary<string> = marked) =>
  fc.oneof(
    markedBytes,
    fc.anything({
      key: fc.oneof(key, marked),
      values: [
        ...scalars,
        markedBytes,
        fc.constantFrom(...FIELD_NAMES.map((field) => card()[field])),
      ],
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
    fc.func(marked),
  );

// Claim core-errors. Why: Both functions are `async`, so that nothing is thrown. The union in
// src/core/types.ts is the list.
test('any value as a card: a block or an error of the list that tells nothing, and what can be emptied is empty', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record(
            Object.fromEntries(
              FIELD_NAMES.map((field) => [field, fc.oneof(anything(), fc.constant(card()[field]))]),
            ),
          ),
        },
        { weight: 1, arbitrary: anything(fc.constantFrom(...FIELD_NAMES)) },
      ),
      async (given) => {
        const fields =
          typeof given === 'object' && given !== null
            ? Object.getOwnPropertyDescriptors(given)
            : {};
        const result = encryptCard(freshKey(), given as never);
        for (const field of FIELD_NAMES) {
          const { value, writable } = (fields as PropertyDescriptorMap)[field] ?? {};
          if (value instanceof Uint8Array) expect(value.every((byte) => byte === 0)).toBe(true);
          else if (writable) expect(Reflect.get(given as object, field)).toBe('');
        }
        await carriesNothing(result);
      },
    ),
    RUNS,
  ));

// Claim core-errors
test('any value as a key: a key or an error of the list that tells nothing, and the card is empty', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        anything(fc.constantFrom('id', 'scheme', 'public_key')),
        fc.record({
          id: anything(),
          scheme: fc.oneof(marked, fc.constant('RSA_OAEP_SHA256_V1')),
          public_key: anything(),
        }),
      ),
      async (key) => {
        const given = card();
        const result = encryptCard(key as never, given);
        expect(Object.values(given)).toEqual(['', '', '', '', '']);
        await carriesNothing(result);
        await carriesNothing(prepareKey(key as never));
      },
    ),
    RUNS,
  ));

async function carriesNothing(result: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([result]);
  if (outcome.status === 'fulfilled') return;
  const error: unknown = outcome.reason;
  expect(error).toBeInstanceOf(CardEncryptionError);
  expect(CODES).toContain((error as CardEncryptionError).code);
  const own = { mark: MARK, ...card() };
  expect(findCard(error, own)).toEqual([]);
  expect(findCard(JSON.stringify(error), own)).toEqual([]);
}

// Control ciphertext-only
test('control: a block that held the card would be found', async () => {
  const block = await encryptCard(freshKey(), card());
  const layout = [...block.layout, { field: 'Pan', len: card().number }];
  for (const leaking of [
    { ...block, payload: btoa(`x${card().number}`) },
    { ...block, layout },
  ]) {
    expect(findCard(leaking, card(), 8)).not.toEqual([]);
  }
});

// Control core-errors
test('control: another error, another code, and an error that tells something are found', async () => {
  const [told, code] = [
    new CardEncryptionError('invalid_card', `bad ${MARK}`),
    new CardEncryptionError('invalid_form', 'bad'),
  ];
  const caused = Object.defineProperty(new CardEncryptionError('invalid_card', 'bad'), 'cause', {
    value: [utf8(card().number)],
  });
  await carriesNothing(Promise.reject(new CardEncryptionError('invalid_card', 'bad')));
  for (const error of [told, code, caused, new TypeError('bad'), undefined]) {
    await expect(carriesNothing(Promise.reject(error))).rejects.toThrow();
  }
});
