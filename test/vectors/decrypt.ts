import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/** The specification's layout identifiers in the order of the plaintext, with the client's name of each field, and its fewest and most bytes. */
const FIELDS = [
  ['Pan', 'number', 12, 19],
  ['Name', 'name', 1, 446],
  ['ExpMonth', 'exp_month', 2, 2],
  ['ExpYear', 'exp_year', 4, 4],
  ['Cvc', 'cvv', 3, 4],
] as const;

export type Card = Record<(typeof FIELDS)[number][1], string>;

/**
 * The decrypting side of `RSA_OAEP_SHA256_V1`, to be read beside the test vectors: README.md says the same in words. Returns the card, or at
 * what the block failed. That is for tests: to its caller a service says `invalid_encryption_block`, whatever it was.
 */
export function decryptBlock(
  privateKey: KeyObject,
  { payload, layout }: { payload: string; layout: unknown },
): Card | Refusal {
  const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }; // Node takes it for MGF1, too
  const ciphertext = Buffer.from(payload, 'base64');
  const exact =
    ciphertext.length === privateKey.asymmetricKeyDetails!.modulusLength! / 8 &&
    ciphertext.toString('base64') === payload;
  if (!exact) return 'decryption'; // OpenSSL takes one that is shorter by leading zeros
  let plaintext: Buffer;
  try {
    plaintext = privateDecrypt(oaep, ciphertext);
  } catch {
    return 'decryption';
  }
  return read(plaintext, layout);
}

/** `decryption`: RSA-OAEP gives no plaintext. `layout`: not the five fields in order, or they do not add up. `contents`: a field breaks its rule. */
export type Refusal = 'decryption' | 'layout' | 'contents';

function read(plaintext: Buffer, layout: unknown): Card | Refusal {
  if (!Array.isArray(layout) || layout.length !== FIELDS.length) return 'layout';
  const lengths = FIELDS.map(([identifier], i) => {
    const { field, len, ...more } = Object(layout[i]);
    return field === identifier &&
      Number.isSafeInteger(len) &&
      len >= 0 &&
      Object.keys(more).length === 0
      ? (len as number)
      : Number.NaN;
  });
  if (lengths.reduce((sum, len) => sum + len, 0) !== plaintext.length) return 'layout';

  let start = 0;
  const card = {} as Card;
  for (const [i, [, field, min, max]] of FIELDS.entries()) {
    const value = plaintext.subarray(start, start + lengths[i]!);
    start += value.length;
    if (value.length < min || value.length > max) return 'contents';
    if (field !== 'name' && !value.every((byte) => byte >= 0x30 && byte <= 0x39)) return 'contents';
    try {
      card[field] = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value); // ignoreBOM keeps it: it is part of the name
    } catch {
      return 'contents';
    }
  }
  if (card.exp_month < '01' || card.exp_month > '12' || !passesLuhn(card.number)) return 'contents';
  return card;
}

/** ISO/IEC 7812-1: from the right, each second digit counts double. */
function passesLuhn(number: string): boolean {
  const digits = Array.from(number, Number).reverse();
  return (
    digits.reduce(
      (sum, digit, i) => sum + (i % 2 ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit),
      0,
    ) %
      10 ===
    0
  );
}
