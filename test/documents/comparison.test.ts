/**
 * What docs/comparison.md says about the others. Each is called as the benchmarks call it, by the files of
 * ../bench/contenders/: as its documentation shows, with nothing left out that it offers.
 */
import { describe, expect, test } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import type { Contender } from '../tools/bench/pages/page.ts';
import {
  card,
  freshKey,
  fromBase64,
  outcome,
  type StringCard,
  toBase64,
  utf8,
} from '../tools/support/core.ts';
import { goodKey, spki } from '../tools/support/malformed-keys.ts';
import keys from '../vectors/keys.json';

const CONTENDERS = import.meta.glob<Contender>(
  ['../tools/bench/contenders/{snippet,jose,node-forge,jsencrypt,adyen-cse-js}.js'],
  {
    eager: true,
  },
);
const [adyen, jose, jsencrypt, forge, snippet] = [
  'adyen-cse-js',
  'jose',
  'jsencrypt',
  'node-forge',
  'snippet',
].map((name) => CONTENDERS[`../tools/bench/contenders/${name}.js`]!) as [
  Contender,
  Contender,
  Contender,
  Contender,
  Contender,
];
const OWN_RSA = { 'node-forge': forge, jsencrypt };
const WEB_CRYPTO = { 'the snippet': snippet, jose };

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

/** What it makes of the card, 'refused' if it throws, or `false` if that is what it returns. */
async function encrypt(
  contender: Contender,
  key: ReturnType<typeof keyOf>,
  card: StringCard,
): Promise<unknown> {
  try {
    return await contender.encrypt(await contender.prepare(key), card);
  } catch {
    return 'refused';
  }
}

const open = async (payload: unknown) => {
  const privateKey = fromBase64(keys.rsa.find(({ bits }) => bits === 2048)!.private_key);
  const key = await crypto.subtle.importKey(
    'pkcs8',
    privateKey,
    { name: 'RSA-OAEP', hash: 'SHA-256' },
    false,
    ['decrypt'],
  );
  return new Uint8Array(
    await crypto.subtle.decrypt('RSA-OAEP', key, fromBase64(payload as string)),
  );
};
const CIPHERTEXT = /[\w+/-]{100}/;
const joined = ({ number, name, exp_month, exp_year, cvv }: StringCard) =>
  number + name + exp_month + exp_year + cvv;

describe('the scheme', () => {
  test.each(Object.entries({ ...OWN_RSA, 'the snippet': snippet }))(
    '%s makes its payload',
    async (_, contender) => {
      expect(await open(await encrypt(contender, good, given()))).toEqual(utf8(joined(given())));
    },
  );

  test('jose makes a JWE, adyen-cse-js a format of its own', async () => {
    expect(`${await encrypt(jose, good, given())}`.split('.')).toHaveLength(5);
    expect(await encrypt(adyen, good, given())).toMatch(/^adyenjs_0_1_19\$/);
  });
});

describe('a key whose exponent is 1', () => {
  test('Cardseal refuses it', async () => {
    expect(await outcome(encryptCard(exponent1, given()))).toBe('invalid_key');
  });

  test.each(Object.entries(OWN_RSA))(
    '%s encrypts: anyone who sees the payload removes the padding and has the card',
    async (_, contender) => {
      const payload = fromBase64((await encrypt(contender, exponent1, given())) as string);
      expect(await unmask(payload)).toEqual(utf8(joined(given())));
    },
  );

  test('adyen-cse-js encrypts: anyone who sees it has the AES key', async () => {
    const text = (await encrypt(adyen, exponent1, given())) as string;
    const clear = fromBase64(text.split('$')[1]!); // 02, padding, 00, the key: PKCS #1 v1.5, its leading zero dropped
    expect([clear.length, clear[0], clear.at(-33)]).toEqual([255, 2, 0]);
  });

  test('the snippet and jose do what the engine does', async () => {
    const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
    const engine = crypto.subtle.importKey(
      'spki',
      fromBase64(exponent1.public_key),
      algorithm,
      false,
      ['encrypt'],
    );
    const refused = await engine.then(
      () => false,
      () => true,
    );
    for (const contender of Object.values(WEB_CRYPTO))
      expect((await encrypt(contender, exponent1, given())) === 'refused').toBe(refused);
  });
});

test('a key of 1024 bits: Cardseal and jose refuse it, the others encrypt', async () => {
  expect(await outcome(encryptCard(bits1024, given()))).toBe('invalid_key');
  expect(await encrypt(jose, bits1024, given())).toBe('refused');
  for (const contender of [snippet, forge, jsencrypt, adyen])
    expect(await encrypt(contender, bits1024, given())).toMatch(CIPHERTEXT);
});

test('how a name too long for the key is reported', async () => {
  const tooLong = given({ name: 'n'.repeat(300) });
  expect(await outcome(encryptCard(good, { ...tooLong }))).toBe('card_too_long name 165');
  await expect(snippet.encrypt(await snippet.prepare(good), tooLong)).rejects.toMatchObject({
    name: 'OperationError',
  });
  await expect(async () => forge.encrypt(forge.prepare(good), tooLong)).rejects.toThrow('too long');
  expect(await encrypt(jsencrypt, good, tooLong)).toBe(false);
  for (const contender of [jose, adyen])
    expect(await encrypt(contender, good, tooLong)).toMatch(CIPHERTEXT);
});

test('no card at all: Cardseal and adyen-cse-js refuse it, the others encrypt', async () => {
  const none = given({ number: '12', exp_month: '13', cvv: 'abc' });
  expect(await outcome(encryptCard(good, { ...none }))).toBe('invalid_card number');
  expect(await encrypt(adyen, good, none)).toBe(false);
  for (const contender of [snippet, jose, forge, jsencrypt])
    expect(await encrypt(contender, good, none)).toMatch(CIPHERTEXT);
});

test('what they were given: Cardseal empties it, the others leave it', async () => {
  for (const contender of [snippet, jose, forge, jsencrypt, adyen]) {
    const card = given();
    await encrypt(contender, good, card);
    expect(card).toEqual(given());
  }
  const card = given();
  await encryptCard(freshKey(), card);
  expect(Object.values(card)).toEqual(['', '', '', '', '']);
});

test('another card under the same key: Cardseal refuses it, the others encrypt', async () => {
  const key = freshKey();
  await encryptCard(key, given());
  expect(await outcome(encryptCard(key, given()))).toBe('key_already_used');
  for (const contender of [snippet, jose, forge, jsencrypt, adyen]) {
    const prepared = await contender.prepare(good);
    for (const card of [given(), given()])
      expect(await contender.encrypt(prepared, card)).toMatch(CIPHERTEXT);
  }
});

/** Takes off OAEP's padding (RFC 8017, 7.1.2, step 3), for which nobody needs a key. */
async function unmask(encoded: Uint8Array): Promise<Uint8Array> {
  const [seed, db] = [encoded.slice(1, 33), encoded.slice(33)];
  const xor = (bytes: Uint8Array, mask: Uint8Array) => bytes.map((byte, i) => byte ^ mask[i]!);
  const unmaskedDb = xor(db, await mgf1(xor(seed, await mgf1(db, 32)), db.length));
  return unmaskedDb.subarray(unmaskedDb.indexOf(1, 32) + 1);
}

async function mgf1(seed: Uint8Array, length: number): Promise<Uint8Array> {
  const mask: number[] = [];
  for (let i = 0; mask.length < length; i++)
    mask.push(
      ...new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.of(...seed, 0, 0, 0, i))),
    );
  return Uint8Array.from(mask.slice(0, length));
}
