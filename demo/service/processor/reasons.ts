import { constants, createHash, KeyObject, privateDecrypt, type webcrypto } from 'node:crypto';
import { FIELDS, type Layout } from './card-fields.ts';
import type { Pair } from './key-pairs.ts';

// Why a block was refused, for developers of the encrypting side. Of a card, the texts contain
// lengths and the names of fields, and nothing else: not even a `field` or a `len` of the request
// that is none.

/** Why a decrypted block does not match its layout: the first reason that holds. */
export function whyNoMatch(plaintext: Uint8Array, layout: Layout): string {
  return (
    whyNotTheFields(layout) ??
    whyNotTheLengths(plaintext, layout) ??
    whyNotTheValues(plaintext, layout) ??
    'The layout does not match the decrypted contents.'
  );
}

const NAMES = FIELDS.map(([name]) => name);
const ALL = NAMES.join(', ');

function whyNotTheFields(layout: Layout): string | undefined {
  if (layout.length !== NAMES.length) {
    return `The layout has ${count(layout.length, 'entry', 'entries')}, not 5: ${ALL}.`;
  }
  const wrong = layout.findIndex(({ field }, i) => field !== NAMES[i]);
  if (wrong === -1) return;
  const found = NAMES.find((name) => name === layout[wrong]!.field) ?? 'none of the five fields';
  return `Entry ${wrong + 1} of the layout is ${found}, not ${NAMES[wrong]}. The order is ${ALL}.`;
}

function whyNotTheLengths(plaintext: Uint8Array, layout: Layout): string | undefined {
  const odd = layout.findIndex(({ len }) => len < 0 || len > MOST_BYTES);
  if (odd !== -1) return `The len of ${NAMES[odd]} is no number of bytes that a block can have.`;
  const covered = layout.reduce((sum, { len }) => sum + len, 0);
  if (covered === plaintext.length) return;
  const hints = [
    plaintext[0] === 0x7b &&
      'The plaintext begins like JSON, but the scheme concatenates the values.',
    charactersOf(plaintext).includes(covered) &&
      'It counts characters: len is the number of bytes in UTF-8.',
  ];
  const facts = `The layout covers ${covered} of ${count(plaintext.length, 'byte', 'bytes')}.`;
  return [facts, ...hints.filter(Boolean)].join(' ');
}

/** Code points and UTF-16 units, without making a string of the card, which could not be wiped. */
function charactersOf(utf8: Uint8Array): number[] {
  const codePoints = utf8.filter((byte) => byte < 0x80 || byte >= 0xc0).length;
  const outsideTheBmp = utf8.filter((byte) => byte >= 0xf0).length;
  return [codePoints, codePoints + outsideTheBmp];
}

/** More than the largest key encrypts. */
const MOST_BYTES = 4096 / 8;

function whyNotTheValues(plaintext: Uint8Array, layout: Layout): string | undefined {
  let start = 0;
  for (const [i, [name, min, max, isValid]] of FIELDS.entries()) {
    const { len } = layout[i]!;
    const value = plaintext.subarray(start, start + len);
    start += len;
    if (len < min || len > max) {
      return `${name} has ${count(len, 'byte', 'bytes')}, not ${bounds(min, max)}.`;
    }
    if (!isValid(value)) return `${name} is not ${RULES[name]}.`;
  }
  return;
}

const RULES = {
  Pan: 'digits only: no spaces, no dashes',
  Name: 'well-formed UTF-8: its first or last byte belongs to another field',
  ExpMonth: 'two digits',
  ExpYear: 'four digits',
  Cvc: '3 or 4 digits',
};

function bounds(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === max ? `${min}` : `${min} to ${max}`;
}

const count = (number: number, one: string, many: string) =>
  `${number} ${number === 1 ? one : many}`;

/**
 * Why a block cannot be decrypted, as far as it can be known.
 *
 * @param payload - The block, as it was sent.
 * @param keys - Has other pairs, one of which the block may have been made with.
 */
export async function whyNotDecrypted(
  payload: string,
  privateKey: webcrypto.CryptoKey,
  keys: { otherPairs(): Iterable<Pair> },
): Promise<string> {
  const { modulusLength } = privateKey.algorithm as webcrypto.RsaHashedKeyAlgorithm;
  const ciphertext = Buffer.from(payload, 'base64');
  const noBase64 = whyNotBase64(payload, ciphertext);
  if (noBase64) return noBase64;
  const size = modulusLength / 8;
  if (ciphertext.length !== size) {
    const bytes = count(ciphertext.length, 'byte', 'bytes');
    return `The payload is Base64 of ${bytes}. A block of this key has ${size}.`;
  }
  const encoded = decryptRaw(privateKey, ciphertext);
  const mistake = encoded && MISTAKES.find(({ isMade }) => isMade(encoded));
  if (mistake) return mistake.reason;
  for (const pair of keys.otherPairs()) {
    const other = decryptRaw(await pair.privateKey, ciphertext);
    if (other && isOaep(other, 'sha256', 'sha256')) {
      return 'The block was made with the public key of another encryption key.';
    }
  }
  return (
    'The block cannot be decrypted: it was made with another public key, another padding or ' +
    'another hash, or it was changed on the way.'
  );
}

function whyNotBase64(payload: string, decoded: Buffer): string | undefined {
  if (decoded.toString('base64') === payload) return;
  if (decoded.toString('base64url') === payload) {
    return 'The payload is Base64url. The scheme has Base64, with + and / and with padding.';
  }
  return 'The payload is not Base64 with padding and without line breaks (RFC 4648, section 4).';
}

/** What is encrypted, padding included; `undefined` if it is no block of this key. */
function decryptRaw(privateKey: webcrypto.CryptoKey, ciphertext: Buffer): Buffer | undefined {
  const key = KeyObject.from(privateKey);
  try {
    return privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, ciphertext);
  } catch {
    return; // not smaller than the modulus, or of another size
  }
}

const OAEP_MISTAKES = [
  ['sha256', 'sha1', 'MGF1 uses SHA-1. In Java, give an explicit OAEPParameterSpec.'],
  ['sha1', 'sha1', 'OAEP uses SHA-1.'],
  ['sha1', 'sha256', 'OAEP uses SHA-1 as its hash, and SHA-256 for MGF1 only.'],
  ['sha384', 'sha384', 'OAEP uses SHA-384.'],
  ['sha512', 'sha512', 'OAEP uses SHA-512.'],
  ['sha512', 'sha1', 'OAEP uses SHA-512, and SHA-1 for MGF1.'],
] as const;

const MISTAKES = [
  ...OAEP_MISTAKES.map(([hash, mgf, what]) => ({
    isMade: (encoded: Buffer) => isOaep(encoded, hash, mgf),
    reason: `${what} The scheme has SHA-256 as the hash of both OAEP and MGF1.`,
  })),
  {
    isMade: isPkcs1,
    reason: 'The padding is PKCS #1 v1.5. The scheme has OAEP with SHA-256.',
  },
];

/** RFC 8017, 7.2.2, step 3. */
function isPkcs1(encoded: Buffer): boolean {
  return encoded[0] === 0 && encoded[1] === 2 && encoded.indexOf(0, 2) >= 10;
}

/** RFC 8017, 7.1.2, step 3, with an empty label. */
function isOaep(encoded: Buffer, hash: string, mgfHash: string): boolean {
  const label = createHash(hash).digest();
  const seedEnd = 1 + label.length;
  if (encoded[0] !== 0 || encoded.length < seedEnd + label.length + 1) return false;
  const maskedBlock = encoded.subarray(seedEnd);
  const seed = xor(encoded.subarray(1, seedEnd), mgf1(maskedBlock, label.length, mgfHash));
  const block = xor(maskedBlock, mgf1(seed, maskedBlock.length, mgfHash));
  return block.subarray(0, label.length).equals(label);
}

/** RFC 8017, B.2.1. */
function mgf1(seed: Buffer, length: number, hash: string): Buffer {
  const parts: Buffer[] = [];
  for (let size = 0; size < length; size += parts[0]!.length) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(parts.length);
    parts.push(createHash(hash).update(seed).update(counter).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}

const xor = (a: Buffer, b: Buffer) => Buffer.from(a.map((byte, i) => byte ^ b[i]!));
