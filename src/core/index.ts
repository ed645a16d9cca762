/**
 * Encrypts a card in your own code. It knows no page: it works wherever WebCrypto does, in a worker
 * and in Node, too. Importing it does nothing.
 *
 * Both functions reject with a {@link CardEncryptionError} and never throw. How it encrypts:
 * docs/scheme.md
 */

export { type EncryptedCard, encryptCard, prepareKey } from './encrypt-card.ts';
export { CardEncryptionError, type CardEncryptionErrorCode } from './errors.ts';
export type { Card, CardField, LayoutField } from './field-rules.ts';
export type { CardEncryptionKey, PreparedKey } from './key.ts';
