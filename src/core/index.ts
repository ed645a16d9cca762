export { type EncryptedCard, encryptCard, prepareKey } from './encrypt-card.ts';
export { CardEncryptionError, type CardEncryptionErrorCode } from './errors.ts';
export type { Card, CardField, LayoutField } from './field-rules.ts';
export type { CardEncryptionKey, PreparedKey } from './key.ts';
