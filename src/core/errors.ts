import { ownProperty } from './own-property.ts';
import type { CardEncryptionErrorCode, CardField } from './types.ts';

/**
 * The only error of this package in a page. Its messages are for developers: fixed texts, and names
 * that the page's developer wrote. There is no `cause`. An error never holds anything of a card, so
 * you may log it.
 *
 * @example
 * ```ts
 * import { CardEncryptionError, prepareKey } from 'cardseal';
 *
 * try {
 *   await prepareKey({ id: 'cek_1', scheme: 'RSA_OAEP_SHA256_V1', public_key: 'no key' });
 * } catch (error) {
 *   if (!(error instanceof CardEncryptionError)) throw error;
 *   console.log(error.code); // invalid_key
 * }
 * ```
 */
export class CardEncryptionError extends Error {
  // `declare`: the constructor defines them, `field` and `limit` only where they apply.

  /** Always `CardEncryptionError`. */
  declare readonly name: 'CardEncryptionError';
  /** What went wrong. */
  declare readonly code: CardEncryptionErrorCode;
  /** The card field at fault. Present with `invalid_card` and `card_too_long` only. */
  declare readonly field?: CardField | undefined;
  /**
   * With `card_too_long`: the most bytes of UTF-8 that `field` may have with this key and the other
   * fields of this card. Absent if the field is too long for any key.
   */
  declare readonly limit?: number | undefined;

  /**
   * For code that wraps this package.
   *
   * @param code - What went wrong.
   * @param message - For developers. Nothing of a card may be in it.
   * @param details - The field at fault, and how many bytes it may have.
   */
  constructor(
    code: CardEncryptionErrorCode,
    message: string,
    details: { field?: CardField | undefined; limit?: number | undefined } = {},
  ) {
    super(message);
    // Own properties are copied and defined, never assigned: a page may have polluted
    // `Object.prototype`, or frozen that of errors.
    const own = { name: 'CardEncryptionError', code, ...details };
    for (const key of Object.keys(own)) {
      const property = ownProperty(own, key);
      if (property.value !== undefined) Object.defineProperty(this, key, property);
    }
  }
}
