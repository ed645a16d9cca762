import { isUtf8 } from 'node:buffer';
import { webcrypto } from 'node:crypto';

/** The card fields as views of the plaintext, which is wiped after use. Digits are ASCII. */
export interface CardFields {
  Pan: Uint8Array;
  Name: Uint8Array;
  ExpMonth: Uint8Array;
  ExpYear: Uint8Array;
  Cvc: Uint8Array;
}

type Layout = readonly { field: string; len: number }[];

/**
 * Decrypts a block, passes the card to `use` and then wipes the card.
 *
 * Returns `undefined` if the block cannot be decrypted or the layout does not match the plaintext.
 * It does not say which of the two happened, because that would make it a padding oracle (RFC 8017,
 * 7.1.2, note). It always runs both the decryption and the layout check, and looks at both results
 * together.
 *
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", "Layout rules".
 */
export async function openBlock<T>(
  privateKey: webcrypto.CryptoKey,
  block: { payload: string; layout: Layout },
  use: (card: CardFields) => T,
): Promise<T | undefined> {
  const { modulusLength } = privateKey.algorithm as webcrypto.RsaHashedKeyAlgorithm;
  const ciphertext = decodeBase64(block.payload, modulusLength / 8);
  const decrypted = await webcrypto.subtle
    .decrypt({ name: 'RSA-OAEP' }, privateKey, ciphertext)
    .catch(() => undefined);
  const plaintext = decrypted ? new Uint8Array(decrypted) : new Uint8Array(modulusLength / 8);
  const card = cut(plaintext, block.layout);
  try {
    return decrypted && card && use(card);
  } finally {
    plaintext.fill(0);
  }
}

/** Anything but the canonical Base64 of one RSA block becomes zeros, which no key decrypts. */
function decodeBase64(base64: string, length: number): Uint8Array<ArrayBuffer> {
  // Buffer.from skips characters that are not Base64. The comparison below detects that.
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length && bytes.toString('base64') === base64
    ? new Uint8Array(bytes)
    : new Uint8Array(length);
}

const isDigits = (value: Uint8Array) => value.every((byte) => byte >= 0x30 && byte <= 0x39);

/**
 * In the order of the plaintext: field, fewest and most bytes, rule. They say whether the layout
 * matches the contents. Whether there can be such a card is for the decision to say.
 */
const FIELDS = [
  ['Pan', 12, 19, isDigits],
  ['Name', 1, Number.POSITIVE_INFINITY, isUtf8],
  ['ExpMonth', 2, 2, isDigits],
  ['ExpYear', 4, 4, isDigits],
  ['Cvc', 3, 4, isDigits],
] as const;

function cut(plaintext: Uint8Array, layout: Layout): CardFields | undefined {
  const card: Partial<CardFields> = {};
  let start = 0;
  let matches = layout.length === FIELDS.length;
  FIELDS.forEach(([field, min, max, isValid], i) => {
    const len = layout[i]?.len ?? 0;
    const value = plaintext.subarray(start, start + len);
    card[field] = value;
    start += len;
    matches =
      layout[i]?.field === field &&
      len >= min &&
      len <= max &&
      value.length === len &&
      isValid(value) &&
      matches;
  });
  return matches && start === plaintext.length ? (card as CardFields) : undefined;
}

/** The value of ASCII digits. */
export function toNumber(digits: Uint8Array): number {
  return digits.reduce((value, byte) => value * 10 + byte - 0x30, 0);
}
