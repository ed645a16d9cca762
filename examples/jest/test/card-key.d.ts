import type { CardEncryptionKey, EncryptedCard } from 'cardseal';

export function cardKey(): CardEncryptionKey;
export function decrypt(block: EncryptedCard): Record<string, string>;
