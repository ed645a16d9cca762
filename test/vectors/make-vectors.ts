/**
 * Makes rsa_oaep_sha256_v1.json for the keys of keys.json: npx tsx test/vectors/make-vectors.ts
 * OAEP is randomised: each run makes other ciphertexts. Those of the cards come from the library, those to refuse are made by hand.
 */
import { constants, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptCard } from '../../src/core/index.ts';
import { encode, type Oaep, privateKeyOf, publicKeyOf, rsa, takeApart } from '../support/oaep.ts';
import type { Card, Refusal } from './decrypt.ts';
import testKeys from './keys.json' with { type: 'json' };

const SCHEME = 'RSA_OAEP_SHA256_V1';
const FIELDS = {
  Pan: 'number',
  Name: 'name',
  ExpMonth: 'exp_month',
  ExpYear: 'exp_year',
  Cvc: 'cvv',
} as const;
type Layout = { field: string; len: unknown; more?: unknown }[];

const keys = testKeys.rsa.map(({ bits, public_key, private_key }) => ({
  id: `cek_vectors_${bits}`,
  bits,
  public_key,
  private_key,
}));

const CARD: Card = {
  number: '4111111111111111',
  name: 'Jane Doe',
  exp_month: '07',
  exp_year: '2031',
  cvv: '123',
};
const ZOE = { ...CARD, name: 'Zoë Müller' };
const NAMES = {
  'ASCII name': "Jane Q. O'Neil-Smith",
  'accented name, composed (NFC)': 'Zoë Müller-Lüdenscheidt',
  'accented name, decomposed (NFD): other bytes, not to be normalised': 'Zoë Müller'.normalize(
    'NFD',
  ),
  'Cyrillic name': 'Ольга Королёва',
  'CJK name': '山田 花子',
  'Hebrew name': 'ליאת כהן',
  'name with emoji, one of them joined of three': 'Max 🦊 👩‍👩‍👧',
  'name that begins with a byte order mark: it is part of the name, three bytes of it':
    '\ufeffJane Doe',
  'name of one byte': 'J',
  'name that begins with a digit: only the layout tells it from the number': '3rd Street Bakery',
};

/** The cards that every side must take, per key. */
const cards = (capacity: number): [string, Card][] => {
  const room = capacity - 25; // what the other fields of CARD take
  return [
    ...Object.entries(NAMES).map(([what, name]): [string, Card] => [what, { ...CARD, name }]),
    ['shortest number and security code', { ...CARD, number: '400000000002' }],
    ['longest number and security code', { ...CARD, number: '4000000000000000006', cvv: '1234' }],
    ['security code that begins with a zero', { ...CARD, exp_month: '12', cvv: '007' }],
    ['name that fills the key, ASCII', { ...CARD, name: 'x'.repeat(room) }],
    [
      'name that fills the key, three bytes a character',
      { ...CARD, name: 'x'.repeat(room % 3) + '水'.repeat(Math.floor(room / 3)) },
    ],
    [
      'name that fills the key, four bytes a character',
      { ...CARD, name: 'x'.repeat(room % 4) + '🦊'.repeat(Math.floor(room / 4)) },
    ],
  ];
};

async function accepted({ id, bits, public_key, private_key }: (typeof keys)[number]) {
  const privateKey = privateKeyOf(private_key);
  return Promise.all(
    cards(bits / 8 - 66).map(async ([what, card]) => {
      const blocks = await Promise.all(
        [1, 2, 3].map((i) =>
          encryptCard({ id: `${id} ${what} ${i}`, scheme: SCHEME, public_key }, { ...card }),
        ),
      );
      const ciphertexts = blocks.map(({ payload }) => {
        const { seed } = takeApart(privateKey, Buffer.from(payload, 'base64'));
        return { payload, seed: seed.toString('hex') };
      });
      return {
        what,
        key_id: id,
        card,
        plaintext: concat(Object.values(card)).toString('hex'),
        layout: blocks[0]!.layout,
        ciphertexts,
      };
    }),
  );
}

/** The blocks that no side may take. */
function refused() {
  const [{ id: key_id, public_key }, { public_key: largerKey }] = keys as [
    (typeof keys)[number],
    (typeof keys)[number],
  ];
  const key = publicKeyOf(public_key);
  const encrypt = (plaintext: Uint8Array, oaep: Oaep = {}, to = key) => {
    const { modulusLength } = to.asymmetricKeyDetails!;
    return rsa(
      to,
      encode(plaintext, modulusLength! / 8, randomBytes(oaep.hash === 'sha1' ? 20 : 32), oaep),
    );
  };
  const sound = concat(Object.values(ZOE));
  const layout = layoutOf(ZOE);
  const ciphertext = encrypt(sound);
  const base64 = ciphertext.toString('base64');
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n as string, 'base64url');

  const entry = (at: Refusal, what: string, payload: Buffer, to: Layout = layout) => ({
    what,
    at,
    block: { payload: payload.toString('base64'), key_id, layout: to },
  });
  const withPayload = (what: string, payload: string) => ({
    what,
    at: 'decryption',
    block: { payload, key_id, layout },
  });
  const undecryptable = (what: string, payload: Buffer) => entry('decryption', what, payload);
  const mismatch = (what: string, to: Layout, plaintext: Uint8Array = sound) =>
    entry('layout', what, encrypt(plaintext), to);
  const wrong = (what: string, card: Partial<Card>) =>
    entry(
      'contents',
      what,
      encrypt(concat(Object.values({ ...ZOE, ...card }))),
      layoutOf({ ...ZOE, ...card }),
    );
  const lens = (change: Record<string, unknown>) =>
    layout.map(({ field, len }) => ({ field, len: field in change ? change[field] : len }));

  return [
    undecryptable(
      'encrypted under another key of the same size',
      encrypt(sound, {}, generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
    ),
    undecryptable(
      'encrypted under a key of another size',
      encrypt(sound, {}, publicKeyOf(largerKey)),
    ),
    undecryptable(
      'MGF1 with SHA-1, as Java does unless told',
      encrypt(sound, { mgf1Hash: 'sha1' }),
    ),
    undecryptable(
      'OAEP and MGF1 with SHA-1, the default of many libraries',
      encrypt(sound, { hash: 'sha1' }),
    ),
    undecryptable(
      'OAEP and MGF1 with SHA-512',
      rsa(key, encode(sound, 256, randomBytes(64), { hash: 'sha512' })),
    ),
    undecryptable('a label', encrypt(sound, { label: SCHEME })),
    undecryptable(
      'PKCS #1 v1.5 padding',
      publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, sound),
    ),
    undecryptable(
      'no padding at all',
      rsa(key, Buffer.concat([Buffer.alloc(256 - sound.length), sound])),
    ),
    undecryptable('truncated by its last byte', ciphertext.subarray(0, -1)),
    undecryptable('truncated by its first byte', ciphertext.subarray(1)),
    undecryptable('a zero byte after it', Buffer.concat([ciphertext, Buffer.alloc(1)])),
    undecryptable(
      'one bit flipped',
      ciphertext.map((byte, i) => (i === 200 ? byte ^ 1 : byte)) as Buffer,
    ),
    undecryptable('a representative out of range: the modulus itself (RFC 8017, 5.1.2)', modulus),
    undecryptable('empty', Buffer.alloc(0)),
    undecryptable(
      'without its leading zero, which OpenSSL alone would take',
      beginningWithZero(() => encrypt(sound)).subarray(1),
    ),
    withPayload('Base64 in lines', base64.replace(/.{64}/g, '$&\n')),
    withPayload('Base64 without its padding', base64.replaceAll('=', '')),
    withPayload('Base64 with stray bits after the last byte', withStrayBits(base64)),
    withPayload('base64url', base64.replaceAll('+', '-').replaceAll('/', '_')),

    mismatch('characters counted instead of bytes', lens({ Name: [...ZOE.name].length })),
    mismatch('one byte more than there is, in the last field', lens({ Cvc: 4 })),
    mismatch(
      'one byte less than there is, in the last field',
      layout, // of a code of three digits, which would do
      concat(Object.values({ ...ZOE, cvv: '1234' })),
    ),
    mismatch('one byte more than there is, in the number', lens({ Pan: 17 })),
    mismatch('one byte less than there is, in the number', lens({ Pan: 15 })),
    mismatch(
      'UTF-16 units counted instead of bytes',
      layoutOf({ ...ZOE, name: 'xx' }),
      concat(Object.values({ ...ZOE, name: '🦊' })),
    ),
    mismatch(
      'name before number, plaintext and layout alike',
      [layout[1]!, layout[0]!, ...layout.slice(2)],
      concat([ZOE.name, ZOE.number, '07', '2031', '123']),
    ),
    mismatch(
      'year before month, plaintext and layout alike',
      [...layout.slice(0, 2), layout[3]!, layout[2]!, layout[4]!],
      concat([ZOE.number, ZOE.name, '2031', '07', '123']),
    ),
    mismatch('layout in another order than the plaintext', layout.toReversed()),
    mismatch('a field missing', layout.slice(0, 4), concat([ZOE.number, ZOE.name, '07', '2031'])),
    mismatch('a field twice', [...layout, layout[4]!], concat([...Object.values(ZOE), ZOE.cvv])),
    mismatch('no layout', []),
    mismatch(
      "the client's field names instead of the layout identifiers",
      layout.map(({ field, len }) => ({ field: FIELDS[field as keyof typeof FIELDS], len })),
    ),
    mismatch(
      'an entry with more than field and len',
      layout.map((entry, i) => (i === 4 ? { ...entry, more: 1 } : entry)),
    ),
    mismatch('a length that is text', lens({ Cvc: '3' })),
    mismatch(
      'a length that is negative, and one that makes up for it',
      lens({ ExpMonth: -2, ExpYear: 8 }),
    ),
    mismatch(
      'a length that is not whole, and one that makes up for it',
      lens({ Pan: 16.5, ExpMonth: 1.5 }),
    ),

    entry(
      'contents',
      'boundary moved: the name begins in the number',
      encrypt(sound),
      lens({ Pan: 17, Name: 11 }),
    ),
    entry(
      'contents',
      'boundary moved: the number ends in the name; found by the Luhn check alone',
      encrypt(sound),
      lens({ Pan: 15, Name: 13 }),
    ),
    entry(
      'contents',
      'boundary moved between month and year',
      encrypt(sound),
      lens({ ExpMonth: 1, ExpYear: 5 }),
    ),
    entry(
      'contents',
      'boundary moved between year and security code',
      encrypt(sound),
      lens({ ExpYear: 3, Cvc: 4 }),
    ),
    entry(
      'contents',
      'a byte order mark before the number, counted',
      encrypt(concat(['\ufeff', ...Object.values(ZOE)])),
      lens({ Pan: 19 }),
    ),
    entry(
      'contents',
      'name before number in the plaintext alone',
      encrypt(concat([ZOE.name, ZOE.number, '07', '2031', '123'])),
    ),
    entry(
      'contents',
      'name in Latin-1, which is not UTF-8',
      encrypt(Buffer.from(Object.values(ZOE).join(''), 'latin1')),
      lens({ Name: 10 }),
    ),
    wrong('number with spaces', { number: '4111 1111 1111 1111' }),
    wrong('number of full-width digits', { number: '４１１１１１' }),
    wrong('month 13', { exp_month: '13' }),
    wrong('month of one digit', { exp_month: '7' }),
    wrong('year of two digits', { exp_year: '31' }),
    wrong('security code of two digits', { cvv: '12' }),
    wrong('security code of five digits', { cvv: '12345' }),
    wrong('security code of two Arabic digits, of two bytes each', { cvv: '١٢' }),
  ];
}

function beginningWithZero(encrypt: () => Buffer): Buffer {
  let ciphertext = encrypt();
  while (ciphertext[0] !== 0) ciphertext = encrypt();
  return ciphertext;
}

/** Before the padding stands one of A, Q, g and w. The next letter means the same bytes. */
const withStrayBits = (base64: string) =>
  base64.replace(/.(?===$)/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 1));

const concat = (values: string[]) => Buffer.from(values.join(''), 'utf8');
const layoutOf = (card: Card): Layout =>
  Object.entries(FIELDS).map(([field, name]) => ({ field, len: Buffer.byteLength(card[name]) }));

const vectors = {
  $schema: './rsa_oaep_sha256_v1.schema.json',
  notice: testKeys.notice.replace('make-keys.ts', 'make-keys.ts, the vectors by make-vectors.ts'),
  scheme: SCHEME,
  keys,
  accepted: (await Promise.all(keys.map(accepted))).flat(),
  refused: refused(),
};
writeFileSync(
  join(import.meta.dirname, 'rsa_oaep_sha256_v1.json'),
  `${JSON.stringify(vectors, null, 1)}\n`,
);
