/**
 * What docs/comparison.md says about the others. Each is called as the benchmarks call it, by the files of
 * tools/bench/contenders/: as its documentation shows, with nothing left out that it offers.
 */
import { expect, test } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import type { Contender } from '../../tools/bench/pages/page.ts';
import {
  card,
  freshKey,
  fromBase64,
  outcome,
  type StringCard,
  toBase64,
  utf8,
} from '../support/core.ts';
import { goodKey, spki } from '../support/malformed-keys.ts';
import keys from '../vectors/keys.json';

const CONTENDERS = import.meta.glob<Contender>(
  '../../tools/bench/contenders/{snippet,jose,node-forge,jsencrypt,adyen-cse-js}.js',
  { eager: true },
);
const OTHERS = ['snippet', 'jose', 'node-forge', 'jsencrypt', 'adyen-cse-js'].map(
  (name) => CONTENDERS[`../../tools/bench/contenders/${name}.js`]!,
) as [Contender, Contender, Contender, Contender, Contender];
const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' };

/** With a number that passes the checks that adyen-cse-js makes of it. */
const given = (overrides: Partial<StringCard> = {}) =>
  card({ number: '4242424242424242', exp_year: '2030', ...overrides });

const keyOf = (der: Uint8Array, modulus = der.subarray(33, 33 + 256), exponent = '10001') => ({
  ...freshKey(),
  public_key: toBase64(der),
  adyen: `${exponent}|${[...modulus].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
});
const good = keyOf(goodKey());
/** The ciphertext is the padded plaintext. */
const exponent1 = keyOf(spki({ exponent: [1] }), undefined, '1');
const short = fromBase64(keys.refused.find(({ what }) => what === 'RSA of 1024 bits')!.public_key);
const bits1024 = keyOf(short, short.subarray(29, 29 + 128));

/** What each makes of a card that has a payload of more than 100 characters in it. */
async function made(contender: Contender, key: typeof good, card: StringCard): Promise<string> {
  try {
    const result = await contender.encrypt(await contender.prepare(key), card);
    return /[\w+/-]{100}/.test(String(result)) ? 'encrypts' : `returns ${result}`;
  } catch {
    return 'refuses';
  }
}

/** What the engine does with a key whose exponent is 1. */
const engine = await crypto.subtle
  .importKey('spki', fromBase64(exponent1.public_key), OAEP, false, ['encrypt'])
  .then(
    () => 'encrypts',
    () => 'refuses',
  );
const refuses = 'refuses';
const encrypts = 'encrypts';
const returnsFalse = 'returns false';

interface Row {
  what: string;
  key: typeof good;
  change: Partial<StringCard>;
  cardseal: string;
  /** What the snippet, jose, node-forge, jsencrypt and adyen-cse-js do. */
  others: string[];
}

const TABLE: Row[] = [
  {
    what: 'a key with exponent 1',
    key: exponent1,
    change: {},
    cardseal: 'invalid_key',
    others: [engine, engine, encrypts, encrypts, encrypts],
  },
  {
    what: 'a key of 1024 bits',
    key: bits1024,
    change: {},
    cardseal: 'invalid_key',
    others: [encrypts, refuses, encrypts, encrypts, encrypts],
  },
  {
    what: 'a name too long for the key',
    key: good,
    change: { name: 'n'.repeat(300) },
    cardseal: 'card_too_long name 165',
    others: [refuses, encrypts, refuses, returnsFalse, encrypts],
  },
  {
    what: 'values that are no card',
    key: good,
    change: { number: '12', exp_month: '13', cvv: 'abc' },
    cardseal: 'invalid_card number',
    others: [encrypts, encrypts, encrypts, encrypts, returnsFalse],
  },
];

test.each(TABLE)('$what', async ({ key, change, cardseal, others }) => {
  expect(await outcome(encryptCard(key, given(change)))).toBe(cardseal);
  const found = OTHERS.map((contender) => made(contender, key, given(change)));
  expect(await Promise.all(found)).toEqual(others);
});

test('the snippet, node-forge and jsencrypt make the payload of the scheme, jose a JWE, adyen-cse-js its own', async () => {
  const [snippet, jose, forge, jsencrypt, adyen] = OTHERS;
  const { private_key } = keys.rsa.find(({ bits }) => bits === 2048)!;
  const key = await crypto.subtle.importKey('pkcs8', fromBase64(private_key), OAEP, false, [
    'decrypt',
  ]);
  for (const contender of [snippet, forge, jsencrypt]) {
    const payload = await contender.encrypt(await contender.prepare(good), given());
    const opened = await crypto.subtle.decrypt('RSA-OAEP', key, fromBase64(payload as string));
    expect(new Uint8Array(opened)).toEqual(utf8(Object.values(given()).join('')));
  }
  expect(`${await jose.encrypt(await jose.prepare(good), given())}`.split('.')).toHaveLength(5);
  expect(await adyen.encrypt(await adyen.prepare(good), given())).toMatch(/^adyenjs_0_1_19\$/);
});

test('another card under the same key, and the card object afterwards: only Cardseal refuses it, and empties it', async () => {
  const key = freshKey();
  const first = given();
  await encryptCard(key, first);
  expect(Object.values(first)).toEqual(['', '', '', '', '']);
  expect(await outcome(encryptCard(key, given()))).toBe('key_already_used');
  for (const contender of OTHERS) {
    const prepared = await contender.prepare(good);
    for (const card of [given(), given()]) {
      expect(await contender.encrypt(prepared, card)).toMatch(/[\w+/-]{100}/);
      expect(card).toEqual(given());
    }
  }
});
