import { encodeBase64 } from './base64.ts';
import { checkBrowser } from './browser.ts';
import { checkCapacity, checkCard, emptyCard, takeOver } from './card.ts';
import { CardEncryptionError } from './errors.ts';
import {
  type CardEncryptionKey,
  importedKeyOf,
  type KnownKey,
  type PreparedKey,
  readKey,
  toPreparedKey,
} from './key.ts';
import type { Card, ImportedKey, LayoutField } from './scheme.ts';

/** The encrypted card block: plain JSON, and the request body of authorize. */
export interface EncryptedCard {
  /** Canonical Base64 of the RSA ciphertext. */
  payload: string;
  /** The `id` of the key, unmodified. */
  key_id: string;
  /**
   * One entry for each card field, in the order of the plaintext. `len` is in bytes of UTF-8. The
   * layout is not authenticated.
   */
  layout: { field: LayoutField; len: number }[];
}

/**
 * Checks, imports and tries a key. Call it when the form loads, so that a bad key is found early
 * and paying is fast.
 *
 * @param key - As the service sent it. Each of the three fields is read once. A prepared key is
 * returned as it is.
 * @returns The same three fields, frozen, for {@link encryptCard}.
 * @throws {@link CardEncryptionError}, always as a rejection:
 * - `unsupported_browser` if a feature that {@link encryptCard} needs is missing
 * - `unsupported_scheme` if `scheme` is a string that this version does not know; nothing else was
 *   read then
 * - `insecure_context` if there is no `crypto.subtle`
 * - `invalid_key` if anything else is wrong with the key
 *
 * Scheme: docs/scheme.md#the-key
 */
export async function prepareKey(key: CardEncryptionKey): Promise<PreparedKey> {
  checkBrowser();
  const known = readKey(key);
  if (importedKeyOf(known.key)) return known.key;
  return toPreparedKey(known.key, await known.scheme.importKey(known.key.public_key));
}

/** The ids of the keys that were used or are about to be, for as long as the page lives. */
const usedKeyIds = new Set<string>();

/**
 * Encrypts one card under a key of its own. Empties the card object before the call returns,
 * whatever happens.
 *
 * @param key - From {@link prepareKey}, or as the service sent it.
 * @param card - Make the object for this call: its strings become `''`, its bytes become zeros.
 * @returns The block for the merchant's server. The key is used up.
 * @throws {@link CardEncryptionError}, always as a rejection:
 * - what {@link prepareKey} throws
 * - `key_already_used` if this page has encrypted under this `id`, or is about to
 * - `invalid_card` if `field` breaks its rule (see {@link Card}), or cannot be emptied
 * - `card_too_long` if `field`, the name, does not fit the key
 * - `encryption_failed` if WebCrypto failed; the key is used up then, too
 *
 * Scheme: docs/scheme.md#the-encryption
 */
export async function encryptCard(
  key: CardEncryptionKey | PreparedKey,
  card: Card,
): Promise<EncryptedCard> {
  let known: KnownKey;
  try {
    checkBrowser();
    known = readKey(key);
    claim(known.key.id);
  } catch (error) {
    emptyCard(card);
    throw error;
  }

  const { scheme } = known;
  const { id, public_key: publicKey } = known.key;
  const taken = takeOver(card, scheme);
  let imported: ImportedKey;
  try {
    checkCard(taken, scheme);
    imported = importedKeyOf(known.key) ?? (await scheme.importKey(publicKey));
    checkCapacity(taken, scheme, imported.capacity);
  } catch (error) {
    taken.memory.fill(0);
    usedKeyIds.delete(id); // the key can still encrypt a card
    throw error;
  }
  const encryption = imported.encrypt(taken.plaintext); // it may reject, but it never throws
  taken.memory.fill(0); // `encrypt` has copied the plaintext during the call

  const layout = taken.fields.map(({ definition, bytes }) => ({
    field: definition.identifier,
    len: bytes.length,
  }));
  try {
    const payload = encodeBase64(new Uint8Array(await encryption));
    return { payload, key_id: id, layout };
  } catch {
    throw new CardEncryptionError(
      'encryption_failed',
      'WebCrypto could not encrypt: ask your server for a fresh key',
    );
  }
}

/**
 * Reserves the key. This happens in the turn of the call and before a setter of the card can run,
 * so a second call is refused.
 */
function claim(id: string): void {
  if (usedKeyIds.has(id)) {
    throw new CardEncryptionError(
      'key_already_used',
      'One key encrypts one card: ask your server for a fresh key',
    );
  }
  usedKeyIds.add(id);
}
