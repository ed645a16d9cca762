import { webcrypto } from 'node:crypto';
import type { CardEncryptionKey, EncryptedCardBlock } from '../schemas.ts';
import { DECLINED_NUMBERS, type Decision, decide } from './decision.ts';
import { openBlock } from './encrypted-block.ts';
import {
  createEncryptionKeys,
  type EncryptionKeysOptions,
  type KeyPair,
} from './encryption-keys.ts';

export { DECLINED_NUMBERS, type KeyPair };

/** Why a block was not looked at, or could not be read. */
export interface Refusal {
  outcome: 'refused';
  code:
    | 'unknown_encryption_key'
    | 'encryption_key_expired'
    | 'encryption_key_used'
    | 'invalid_encryption_block';
}

/**
 * The whole boundary of the processor: ciphertext goes in, and a decision comes out. Private keys
 * and card data stay behind it, in memory.
 *
 * Specification: "What the service does", 4.
 */
export interface Processor {
  issueKey(account: string): Promise<CardEncryptionKey>;
  /**
   * Checks ownership, expiry and use of the key. Then it decrypts the block, checks the layout and
   * decides. It keeps nothing of the block.
   */
  authorize(account: string, block: EncryptedCardBlock): Promise<Decision | Refusal>;
  close(): void;
}

export function createProcessor(options: EncryptionKeysOptions): Processor {
  const keys = createEncryptionKeys(options);
  return {
    async issueKey(account) {
      const { id, public_key, expires_at } = await keys.issue(account);
      return { id, scheme: 'RSA_OAEP_SHA256_V1', public_key, expires_at };
    },
    async authorize(account, { key_id, ...block }) {
      const privateKey = keys.claim(account, key_id);
      if (typeof privateKey === 'string') return { outcome: 'refused', code: privateKey };
      const decision = await openBlock(privateKey, block, (card) => decide(card, options.clock()));
      return decision ?? { outcome: 'refused', code: 'invalid_encryption_block' };
    },
    close: keys.close,
  };
}

/** An RSA pair whose private half WebCrypto exports to nobody. `modulusLength`: bits. */
export async function generateRsaKeyPair(modulusLength: 2048 | 3072 | 4096): Promise<KeyPair> {
  const algorithm = {
    name: 'RSA-OAEP',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  return webcrypto.subtle.generateKey(algorithm, false, ['encrypt', 'decrypt']);
}
