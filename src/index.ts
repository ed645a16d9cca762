export { type EncryptedCard, encryptCard, prepareKey } from './encrypt-card.ts';
export { CardEncryptionError, type CardEncryptionErrorCode, type CardField } from './errors.ts';
export type { CardEncryptionKey, PreparedKey } from './key.ts';
export type { Card, LayoutField } from './plaintext.ts';
