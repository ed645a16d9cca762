import { encodeBase64 } from './base64.ts';
import { checkBrowser } from './browser.ts';
import { checkCapacity, checkCard, emptyCard, type TakenCard, takeOver } from './card.ts';
import { CardEncryptionError } from './errors.ts';
import { importedKeyOf, type KnownKey, readKey, toPreparedKey } from './key.ts';
import type { Card, CardEncryptionKey, EncryptedCard, PreparedKey } from './types.ts';

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
 *
 * @example
 * ```ts
 * import { prepareKey } from 'cardseal';
 * import { testKey } from 'cardseal/testing';
 *
 * const key = await prepareKey(await testKey()); // in a page: what your server has sent
 * console.log(Object.keys(key)); // id, scheme, public_key
 * ```
 */
export async function prepareKey(key: CardEncryptionKey): Promise<PreparedKey> {
  checkBrowser();
  const { key: known, scheme } = readKey(key);
  if (importedKeyOf(known)) return known as PreparedKey;
  return toPreparedKey(known, await scheme.importKey(known.public_key));
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
 *
 * @example
 * ```ts
 * import { encryptCard, prepareKey } from 'cardseal';
 * import { testKey } from 'cardseal/testing';
 *
 * const key = await prepareKey(await testKey()); // in a page: what your server has sent
 * const card = {
 *   number: '4242424242424242',
 *   name: 'Ada Lovelace',
 *   exp_month: '12',
 *   exp_year: '2049',
 *   cvv: '123',
 * };
 * const block = await encryptCard(key, card);
 * const layout = block.layout.map(({ field, len }) => `${field} ${len}`);
 * console.log(layout); // Pan 16, Name 12, ExpMonth 2, ExpYear 4, Cvc 3
 * console.log(card.number === ''); // true
 * const body = JSON.stringify(block); // send this to your server
 * ```
 */
export async function encryptCard(
  key: CardEncryptionKey | PreparedKey,
  card: Card,
): Promise<EncryptedCard> {
  const known = claimKey(key, card);
  const taken = takeOver(card, known.scheme);
  const payload = await encryptTaken(taken, known);
  const layout = taken.fields.map(({ definition, bytes }) => ({
    field: definition.identifier,
    len: bytes.length,
  }));
  return { payload, key_id: known.key.id, layout };
}

/**
 * Reads the key and reserves it. This happens in the turn of the call and before a setter of the
 * card can run, so a second call is refused. If the key cannot be used, the card is emptied here,
 * because `takeOver` needs a scheme.
 */
function claimKey(key: CardEncryptionKey | PreparedKey, card: Card): KnownKey {
  try {
    checkBrowser();
    const known = readKey(key);
    if (usedKeyIds.has(known.key.id)) {
      throw new CardEncryptionError(
        'key_already_used',
        'One key encrypts one card: ask your server for a fresh key',
      );
    }
    usedKeyIds.add(known.key.id);
    return known;
  } catch (error) {
    emptyCard(card);
    throw error;
  }
}

/**
 * Checks and encrypts the copy of the card, and zeroes it, whatever happens. Returns the
 * ciphertext in Base64.
 */
async function encryptTaken(taken: TakenCard, { key, scheme }: KnownKey): Promise<string> {
  let encryption: Promise<ArrayBuffer>;
  try {
    checkCard(taken, scheme);
    const imported = importedKeyOf(key) ?? (await scheme.importKey(key.public_key));
    checkCapacity(taken, scheme, imported.capacity);
    encryption = imported.encrypt(taken.plaintext); // it copies the plaintext during this call
  } catch (error) {
    usedKeyIds.delete(key.id); // the key can still encrypt a card
    throw error;
  } finally {
    taken.memory.fill(0);
  }

  try {
    return encodeBase64(new Uint8Array(await encryption));
  } catch {
    throw new CardEncryptionError(
      'encryption_failed',
      'WebCrypto could not encrypt: ask your server for a fresh key',
    );
  }
}
