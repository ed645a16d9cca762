/** What the functions of the core take and give. These are types: this file runs nothing. */

/**
 * A card. Each field is a string, or its UTF-8 bytes. Bytes can be wiped; of a string, only the
 * reference can be removed. `encryptCard` empties the object.
 */
export interface Card {
  /** The card number (PAN): 12 to 19 digits, nothing between them. */
  number: string | Uint8Array;
  /**
   * The name on the card, encrypted as it is: well-formed text without control characters, line
   * separators, U+FFFD, and bidirectional embeddings, overrides and isolates.
   */
  name: string | Uint8Array;
  /** The month of expiry, `01` to `12`. */
  exp_month: string | Uint8Array;
  /** The year of expiry, four digits. */
  exp_year: string | Uint8Array;
  /** The security code, 3 or 4 digits. */
  cvv: string | Uint8Array;
}

/** The client's names of the card fields, as the specification spells them. */
export type CardField = keyof Card;

/** The layout identifiers, as the specification spells them. */
export type LayoutField = 'Pan' | 'Name' | 'ExpMonth' | 'ExpYear' | 'Cvc';

/** The card encryption key as the merchant's server forwards it. Other fields are ignored. */
export interface CardEncryptionKey {
  /** The key's id. It is opaque, and comes back unmodified as `key_id`. */
  id: string;
  /** The name of the encryption scheme: `RSA_OAEP_SHA256_V1`. */
  scheme: string;
  /**
   * Canonical Base64 of a DER (SPKI) RSA public key of 2048, 3072 or 4096 bits with the exponent
   * 65537.
   */
  public_key: string;
}

/**
 * A key that was checked, imported and tried: the same three fields, frozen. Only this copy of the
 * library can reach its `CryptoKey`.
 */
export interface PreparedKey extends Readonly<CardEncryptionKey> {
  /** For TypeScript alone, so that it tells a prepared key from any other. No object has it. */
  readonly __prepared: undefined;
}

/**
 * The codes of `CardEncryptionError`, in every entry of this package. The list is closed, so a
 * `switch` over it can be exhaustive.
 */
export type CardEncryptionErrorCode =
  /** The service uses a scheme that this version does not know: update cardseal. */
  | 'unsupported_scheme'
  /** The key is malformed: forward id, scheme and public_key exactly as the service sent them. */
  | 'invalid_key'
  /** One key encrypts one card: ask your server for a fresh key. */
  | 'key_already_used'
  /** Let the shopper correct `field`. */
  | 'invalid_card'
  /** Let the shopper shorten `field`. */
  | 'card_too_long'
  /** There is no `crypto.subtle`: serve the page over https or from localhost. */
  | 'insecure_context'
  /** The browser lacks another feature that is needed: let the shopper update it. */
  | 'unsupported_browser'
  /** WebCrypto failed: ask your server for a fresh key and let the shopper try again. */
  | 'encryption_failed'
  /** Fix the page: the message says what to change. */
  | 'invalid_form'
  /** No key arrived: let the shopper submit again, or reload the page. */
  | 'key_unavailable'
  /** On the server: the posted data is not an encrypted card block of this checkout. */
  | 'invalid_encrypted_card';

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
