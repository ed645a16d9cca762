/** What the tests of the core share. Runs in browsers and in Node. */
import {
  type Card,
  CardEncryptionError,
  type CardEncryptionKey,
  type EncryptedCard,
} from '../../src/core/index.ts';
import keys from '../vectors/keys.json';

export const FIELDS = {
  number: 'Pan',
  name: 'Name',
  exp_month: 'ExpMonth',
  exp_year: 'ExpYear',
  cvv: 'Cvc',
} as const;
/** A field of RSA_OAEP_SHA256_V1. Another scheme may have others. */
export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

export type Bits = 2048 | 3072 | 4096;
export const BITS: Bits[] = [2048, 3072, 4096];

/** The test key of that size under an id that no one has used. */
export const freshKey = (bits: Bits = 2048): CardEncryptionKey => ({
  id: `cek_test_${crypto.randomUUID()}`,
  scheme: 'RSA_OAEP_SHA256_V1',
  public_key: keys.rsa.find((key) => key.bits === bits)!.public_key,
});

export type StringCard = Record<Field, string>;

/** A card of 37 bytes: 25 without the name. Its values occur in no message by chance. */
export const card = (overrides: Partial<StringCard> = {}): StringCard => ({
  number: '4929119283746505',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2749',
  cvv: '583',
  ...overrides,
});

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const byteCard = (overrides: Partial<StringCard> = {}) =>
  Object.fromEntries(
    Object.entries(card(overrides)).map(([field, value]) => [field, utf8(value)]),
  ) as Record<Field, Uint8Array>;

/** 'ok', or the error's code, field and limit: 'card_too_long name 165'. Anything that is no CardEncryptionError is thrown on. */
export async function outcome(result: Promise<unknown>): Promise<string> {
  try {
    await result;
    return 'ok';
  } catch (error) {
    if (!(error instanceof CardEncryptionError)) throw error;
    return [error.code, error.field, error.limit].filter((part) => part !== undefined).join(' ');
  }
}

/** Decrypts the block with WebCrypto and reads it. */
export async function decrypt(block: EncryptedCard): Promise<StringCard> {
  const ciphertext = fromBase64(block.payload);
  return read(
    block,
    new Uint8Array(
      await crypto.subtle.decrypt('RSA-OAEP', await privateKey(ciphertext.length * 8), ciphertext),
    ),
  );
}

const privateKeys = new Map<number, Promise<CryptoKey>>();
function privateKey(bits: number): Promise<CryptoKey> {
  const { private_key } = keys.rsa.find((key) => key.bits === bits)!;
  const imported =
    privateKeys.get(bits) ??
    crypto.subtle.importKey(
      'pkcs8',
      fromBase64(private_key),
      { name: 'RSA-OAEP', hash: 'SHA-256' },
      false,
      ['decrypt'],
    );
  privateKeys.set(bits, imported);
  return imported;
}

/** Takes the plaintext apart by the layout, as the service does: throws unless the block is exactly as specified and fits the plaintext. */
export function read(
  { payload, key_id, layout, ...more }: EncryptedCard,
  plaintext: Uint8Array,
): StringCard {
  const shape = JSON.stringify([
    typeof payload,
    typeof key_id,
    Object.keys(more),
    layout.map((entry) => [Object.keys(entry), entry.field]),
  ]);
  const specified = [
    'string',
    'string',
    [],
    Object.values(FIELDS).map((field) => [['field', 'len'], field]),
  ];
  if (shape !== JSON.stringify(specified)) throw new Error('not an encrypted card block');
  let end = 0;
  const values = layout.map(({ len }) => {
    const bytes = plaintext.subarray(end, end + len);
    end += len;
    if (bytes.length !== len) throw new Error('the layout is longer than the plaintext');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  });
  if (end !== plaintext.length) throw new Error('the layout is shorter than the plaintext');
  return Object.fromEntries(FIELD_NAMES.map((field, i) => [field, values[i]])) as StringCard;
}

export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  if (toBase64(bytes) !== base64) throw new Error('not canonical Base64');
  return bytes;
}

export const toBase64 = (bytes: ArrayLike<number>) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** The card as the call left it: is every field empty? Bytes are if they are all zero. */
export const isEmpty = (card: Card) =>
  FIELD_NAMES.every((field) => {
    const value: unknown = card[field];
    return (
      value === '' ||
      (ArrayBuffer.isView(value) &&
        new Uint8Array(value.buffer, value.byteOffset, value.byteLength).every((b) => b === 0))
    );
  });
