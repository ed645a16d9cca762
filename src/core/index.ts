/**
 * Encrypts a card in your own code. It knows no page: it works wherever WebCrypto does, in a worker
 * and in Node, too. Importing it does nothing.
 *
 * Both functions reject with a {@link CardEncryptionError} and never throw. How it encrypts:
 * docs/scheme.md
 */

export { encryptCard, prepareKey } from './encrypt-card.ts';
export { CardEncryptionError } from './errors.ts';
export type {
  Card,
  CardEncryptionErrorCode,
  CardEncryptionKey,
  CardField,
  EncryptedCard,
  LayoutField,
  PreparedKey,
} from './types.ts';
