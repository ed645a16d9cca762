export { type EncryptedCard, encryptCard } from './encrypt-card.ts';
export { CardEncryptionError, type CardEncryptionErrorCode, type CardField } from './errors.ts';
export { type CardEncryptionKey, type PreparedKey, prepareKey } from './key.ts';
export type { Card, LayoutField } from './plaintext.ts';
