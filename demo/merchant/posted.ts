import type { EncryptedCard } from 'cardseal';
import { parseEncryptedCard } from 'cardseal/server';

/** What a shopper chose to pay with. */
export type Posted = { method: 'card'; block: EncryptedCard } | { method: 'invoice' };

/**
 * Reads the body of a payment: JSON from the script of a page, or a form that the browser sent.
 *
 * @param body - The text of the body. Nothing has parsed it before: a parser's error repeats the
 * text, and the text may be a misposted card.
 * @throws CardEncryptionError `invalid_encrypted_card` if the body is anything else. Nothing of the
 * body is in the error.
 */
export function readPosted(body: unknown, isForm: boolean): Posted {
  if (!isForm) return { method: 'card', block: readBlock(body) };
  const fields = new URLSearchParams(String(body));
  const names = [...fields.keys()].sort().join();
  const method = fields.get('payment_method');
  if (names === 'payment_method' && method === 'invoice') return { method };
  const isCard = names === 'encrypted_card,payment_method' && method === 'card';
  return { method: 'card', block: readBlock(isCard ? fields.get('encrypted_card') : undefined) };
}

/**
 * A block that is well formed, under whichever key. The caller must look up whether that key
 * belongs to the checkout.
 *
 * @throws CardEncryptionError `invalid_encrypted_card`
 */
export function readBlock(input: unknown): EncryptedCard {
  return parseEncryptedCard(input, {
    keyId: claimedKeyId(input),
    expiresAt: Number.MAX_SAFE_INTEGER,
  });
}

function claimedKeyId(input: unknown): string | undefined {
  try {
    return JSON.parse(String(input)).key_id;
  } catch {
    return undefined; // the error repeats the text
  }
}
