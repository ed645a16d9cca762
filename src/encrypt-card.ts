import { CardEncryptionError } from './errors.ts';
import { type CardEncryptionKey, encodeBase64, type PreparedKey, readKey, SCHEMES, schemeKeys } from './key.ts';
import { type Card, type LayoutField, takeOver } from './plaintext.ts';

/**
 * The encrypted card block, the request body of authorize: plain JSON. `payload`: Base64 of the RSA ciphertext; `key_id`: the `id` of the key;
 * `layout`: one entry per card field in the order of the plaintext, `len` in bytes of UTF-8. The layout is not authenticated.
 */
export interface EncryptedCard {
  payload: string;
  key_id: string;
  layout: { field: LayoutField; len: number }[];
}

/**
 * Checks, imports and tries a key: call it when the form loads, so that a bad key shows then, and paying is fast.
 *
 * @param key - As the service sent it; each of the three fields is read once. A prepared key is returned as it is.
 * @returns The same three fields, frozen, for {@link encryptCard}.
 * @throws {@link CardEncryptionError} (as a rejection): `unsupported_scheme` if `scheme` is not exactly `RSA_OAEP_SHA256_V1` (nothing else
 * was looked at then), `insecure_context` if there is no `crypto.subtle`, `invalid_key` if anything else is wrong with the key.
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", rules 2 and 3.
 */
export async function prepareKey(key: CardEncryptionKey): Promise<PreparedKey> {
  const own = readKey(key);
  if (schemeKeys.has(own)) return own;
  const schemeKey = SCHEMES[own.scheme]!(own.public_key);
  // What an engine has never run is slow: made-up cards, while it imports the key, take half the time out of a fresh Chromium's click.
  for (let i = 0; i < 6; i++) takeOver({ number: '000000000000', name: '-', exp_month: '01', exp_year: '0000', cvv: '000' });
  schemeKeys.set(Object.freeze(own), await schemeKey);
  return own;
}

const usedKeyIds = new Set<string>(); // spent, or about to be; for as long as the page lives

/**
 * Encrypts one card under a key of its own, and empties the object it is handed before the call returns.
 *
 * @param key - From {@link prepareKey}, or as the service sent it.
 * @param card - Consumed, whatever happens: strings become `''`, bytes zeros. Make the object for this call.
 * @returns The block for the merchant's server; the key is spent.
 * @throws {@link CardEncryptionError} (always as a rejection): what {@link prepareKey} throws; `key_already_used` if this page has encrypted
 * under this `id` or is about to; `invalid_card` if `field` breaks its rule (see {@link Card}) or cannot be emptied; `card_too_long` if the
 * name does not fit the key; `encryption_failed` if WebCrypto failed (the key is spent, too); `insecure_context` also without `TextEncoder`.
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`".
 */
export async function encryptCard(key: CardEncryptionKey | PreparedKey, card: Card): Promise<EncryptedCard> {
  const { buffer, length, layout, error } = takeOver(card); // first, so that nothing can keep it from being emptied
  let ownKey: CardEncryptionKey;
  let ciphertext: Promise<ArrayBuffer>;
  try {
    ownKey = readKey(key);
    if (usedKeyIds.has(ownKey.id)) throw new CardEncryptionError('key_already_used', 'One key, one card: ask your server for a fresh key');
    if (error) throw error;
    usedKeyIds.add(ownKey.id); // in the turn of the call: a second one finds it while this one waits
    try {
      const { capacity, encrypt } = schemeKeys.get(ownKey) ?? (await SCHEMES[ownKey.scheme]!(ownKey.public_key));
      const limit = capacity - (length - layout[1]!.len);
      if (length > capacity) throw new CardEncryptionError('card_too_long', 'The name is too long for this key', { field: 'name', limit });
      ciphertext = encrypt(buffer.subarray(0, length));
    } catch (reason) {
      usedKeyIds.delete(ownKey.id); // nothing was encrypted
      throw reason;
    }
  } finally {
    buffer.fill(0); // WebCrypto took its copy in the call
  }
  try {
    return { payload: encodeBase64(new Uint8Array(await ciphertext)), key_id: ownKey.id, layout };
  } catch {
    throw new CardEncryptionError('encryption_failed', 'WebCrypto could not encrypt: ask your server for a fresh key');
  }
}
