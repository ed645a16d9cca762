/**
 * The decrypting side of `RSA_OAEP_SHA256_V1` for Node, in one file to read and to copy.
 * docs/decrypting.md says the same in words.
 */
import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/** In the order of the plaintext. Lengths are in bytes. */
const FIELDS = [
  { identifier: 'Pan', name: 'number', min: 12, max: 19 },
  { identifier: 'Name', name: 'name', min: 1, max: 446 },
  { identifier: 'ExpMonth', name: 'exp_month', min: 2, max: 2 },
  { identifier: 'ExpYear', name: 'exp_year', min: 4, max: 4 },
  { identifier: 'Cvc', name: 'cvv', min: 3, max: 4 },
] as const;

export type Card = Record<(typeof FIELDS)[number]['name'], string>;

export interface Block {
  payload: string;
  /** As the JSON parser gives it: nothing about it is certain. */
  layout: unknown;
}

/** The one error, for whatever is wrong with a block. It says nothing more, on purpose. */
export class InvalidEncryptionBlock extends Error {
  override name = 'InvalidEncryptionBlock';
  constructor() {
    super('invalid_encryption_block');
  }
}

/** @throws {@link InvalidEncryptionBlock} */
export function decryptBlock(privateKey: KeyObject, block: Block): Card {
  const result = openBlock(privateKey, block);
  if (typeof result === 'string') throw new InvalidEncryptionBlock();
  return result;
}

/** The step at which a block fails. */
export type Refusal = 'decryption' | 'layout' | 'contents';

/** For your tests only: a caller who learns the step has a padding oracle. */
export function openBlock(privateKey: KeyObject, { payload, layout }: Block): Card | Refusal {
  const plaintext = decrypt(privateKey, payload); // first, even if the layout is bad
  if (!plaintext) return 'decryption';
  try {
    const lengths = readLayout(layout, plaintext.length);
    if (!lengths) return 'layout';
    return readCard(plaintext, lengths) ?? 'contents';
  } finally {
    plaintext.fill(0);
  }
}

function decrypt(privateKey: KeyObject, payload: string): Buffer | undefined {
  const ciphertext = Buffer.from(payload, 'base64');
  // `Buffer.from` skips what is not Base64, and OpenSSL takes a ciphertext without leading zeros.
  if (ciphertext.toString('base64') !== payload) return undefined;
  if (ciphertext.length * 8 !== privateKey.asymmetricKeyDetails!.modulusLength) return undefined;
  try {
    return privateDecrypt(
      {
        key: privateKey,
        padding: constants.RSA_PKCS1_OAEP_PADDING,
        oaepHash: 'sha256', // Node takes it for MGF1, too
      },
      ciphertext,
    );
  } catch {
    return undefined;
  }
}

/** The five lengths, if they add up to that of the plaintext. */
function readLayout(layout: unknown, total: number): number[] | undefined {
  if (!Array.isArray(layout) || layout.length !== FIELDS.length) return undefined;
  const lengths: number[] = [];
  for (const [i, { identifier }] of FIELDS.entries()) {
    const { field, len, ...others } = Object(layout[i]);
    if (field !== identifier || Object.keys(others).length > 0) return undefined;
    if (!Number.isSafeInteger(len) || len < 0) return undefined;
    lengths.push(len);
  }
  return lengths.reduce((sum, len) => sum + len, 0) === total ? lengths : undefined;
}

/** Cuts bytes, never characters, and checks each field. */
function readCard(plaintext: Buffer, lengths: number[]): Card | undefined {
  const card = {} as Card;
  let start = 0;
  for (const [i, { name, min, max }] of FIELDS.entries()) {
    const bytes = plaintext.subarray(start, start + lengths[i]!);
    start += bytes.length;
    if (bytes.length < min || bytes.length > max) return undefined;
    if (name !== 'name' && !bytes.every(isDigit)) return undefined;
    const text = decodeUtf8(bytes);
    if (text === undefined) return undefined;
    card[name] = text;
  }
  const isMonth = card.exp_month >= '01' && card.exp_month <= '12';
  return isMonth && passesLuhn(card.number) ? card : undefined;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    // `ignoreBOM: true` keeps a leading byte order mark: it is part of the name.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** ISO/IEC 7812-1, annex B: from the right, each second digit counts double. */
function passesLuhn(number: string): boolean {
  const weighted = Array.from(number, Number)
    .reverse()
    .map((digit, i) => (i % 2 === 0 ? digit : digit * 2));
  const sum = weighted.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}
