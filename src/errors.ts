/** Everything that can go wrong, in every entry of this package: a closed list, so a `switch` over it can be exhaustive. */
export type CardEncryptionErrorCode =
  | 'unsupported_scheme' // the service uses a scheme that this version does not know: update cardseal
  | 'invalid_key' // hand over id, scheme and public_key as the service sent them
  | 'key_already_used' // one key encrypts one card: ask your server for a fresh key
  | 'invalid_card' // let the shopper correct `field`
  | 'card_too_long' // let the shopper shorten the name
  | 'insecure_context' // serve the page over https or from localhost; give test environments what they lack
  | 'encryption_failed' // ask your server for a fresh key and let the shopper try again
  | 'invalid_form' // mend the form: the message names the control
  | 'key_unavailable' // the key did not come: let the shopper submit again, or reload the page
  | 'invalid_encrypted_card'; // on the server: what was posted is not a block of this checkout

/** The client's names of the five card fields, as the specification's encryption procedure spells them. */
export type CardField = 'number' | 'name' | 'exp_month' | 'exp_year' | 'cvv';

/**
 * The one error of this package. Messages are fixed texts for developers and there is no `cause`: nothing of a card is ever in it.
 * `field`: the card field at fault, with `invalid_card` and `card_too_long`. `limit`: with `card_too_long`, the most bytes of UTF-8 that
 * the name may have with this key; absent if it is too long for any key.
 */
export class CardEncryptionError extends Error {
  override readonly name = 'CardEncryptionError';
  readonly code: CardEncryptionErrorCode;
  declare readonly field?: CardField;
  declare readonly limit?: number;

  constructor(code: CardEncryptionErrorCode, message: string, where: { field?: CardField; limit?: number } = {}) {
    super(message);
    this.code = code;
    for (const [name, value] of Object.entries(where))
      Object.defineProperty(this, name, { __proto__: null, value, enumerable: true } as object);
  }
}
