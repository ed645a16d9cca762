import { webcrypto } from 'node:crypto';
import { type CardFields, FIELDS, type Layout } from './card-fields.ts';
import { whyNoMatch } from './reasons.ts';

/** What a block was good for, or why it was good for nothing. */
export type Opened<T> =
  | { result: T }
  /** `reason`: why the layout does not match; `undefined` if the block cannot be decrypted. */
  | { reason: string | undefined };

/**
 * Decrypts a block, passes the card to `use` and then wipes the card.
 *
 * Whether the block cannot be decrypted or the layout does not match the plaintext is for the
 * console and the page of the sandbox. The answer does not say it, because that would make the
 * service a padding oracle (RFC 8017, 7.1.2, note), unless the sandbox was told to explain.
 *
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", "Layout rules".
 */
export async function openBlock<T>(
  privateKey: webcrypto.CryptoKey,
  block: { payload: string; layout: Layout },
  use: (card: CardFields) => T,
): Promise<Opened<T>> {
  const { modulusLength } = privateKey.algorithm as webcrypto.RsaHashedKeyAlgorithm;
  const ciphertext = decodeBase64(block.payload, modulusLength / 8);
  const decrypted = await webcrypto.subtle
    .decrypt({ name: 'RSA-OAEP' }, privateKey, ciphertext)
    .catch(() => undefined);
  if (!decrypted) return { reason: undefined };
  const plaintext = new Uint8Array(decrypted);
  try {
    const card = cut(plaintext, block.layout);
    return card ? { result: use(card) } : { reason: whyNoMatch(plaintext, block.layout) };
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
