import type { CardEncryptionKey, EncryptedCardBlock } from '../schemas.ts';
import type { Save, StateRecord } from '../state.ts';
import { DECLINED_NUMBERS, type Decision, decide } from './decision.ts';
import { openBlock } from './encrypted-block.ts';
import { createEncryptionKeys, type KeyRefusal } from './encryption-keys.ts';
import {
  exportPair,
  freshPairs,
  generateRsaKeyPair,
  type KeyPair,
  reusedPairs,
  TooManyWaiting,
} from './key-pairs.ts';
import { whyNotDecrypted } from './reasons.ts';

export { DECLINED_NUMBERS, generateRsaKeyPair, type KeyPair, TooManyWaiting };

/** Why a block was not looked at, or could not be read. `reason` is for developers. */
export type Refusal = { outcome: 'refused'; reason: string } & (
  | Pick<KeyRefusal, 'code'>
  | { code: 'invalid_encryption_block' }
);

export interface ProcessorOptions {
  /** Milliseconds from issuing a key to its `expires_at`. */
  lifetimeMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  generateKeyPair: () => Promise<KeyPair>;
  /** Whether each key has a pair of its own. */
  freshKeys: boolean;
  /** Gets what has to outlive the process, private keys included; `undefined` if nothing does. */
  save: Save | undefined;
}

/**
 * The whole boundary of the processor: ciphertext goes in, and a decision comes out. Private keys
 * and card data stay behind it, in memory; with `save`, private keys are saved, too.
 *
 * Specification: "What the service does", 4.
 */
export interface Processor {
  /**
   * @param signal - Aborted when the client has gone: then it rejects, and issues nothing.
   * @throws TooManyWaiting
   */
  issueKey(account: string, signal?: AbortSignal): Promise<CardEncryptionKey>;
  /**
   * Checks ownership, expiry and use of the key. Then it decrypts the block, checks the layout and
   * decides. It keeps nothing of the block.
   */
  authorize(account: string, block: EncryptedCardBlock): Promise<Decision | Refusal>;
  /** Begins to generate key pairs, and resolves when the first client would not have to wait. */
  prepare(): Promise<void>;
  /** How many clients wait for a key pair. */
  waiting(): number;
  restore(record: StateRecord): void;
  records(): Iterable<StateRecord>;
  /** Forgets all keys. */
  reset(): void;
  close(): void;
}

export function createProcessor(options: ProcessorOptions): Processor {
  const { lifetimeMs, clock, generateKeyPair, freshKeys, save } = options;
  const generate = async () => exportPair(await generateKeyPair(), save !== undefined);
  const pairs = freshKeys ? freshPairs(generate) : reusedPairs(generate);
  const keys = createEncryptionKeys({ lifetimeMs, clock, pairs, save: save ?? (() => {}) });
  return {
    async issueKey(account, signal) {
      const { id, public_key, expires_at } = await keys.issue(account, signal);
      return { id, scheme: 'RSA_OAEP_SHA256_V1', public_key, expires_at };
    },
    async authorize(account, { key_id, ...block }) {
      const claimed = keys.claim(account, key_id);
      if ('code' in claimed) return { outcome: 'refused', ...claimed };
      const privateKey = await claimed.privateKey;
      const opened = await openBlock(privateKey, block, (card) => decide(card, clock()));
      if ('result' in opened) return opened.result;
      const reason = opened.reason ?? (await whyNotDecrypted(block.payload, privateKey, keys));
      return { outcome: 'refused', code: 'invalid_encryption_block', reason };
    },
    prepare: pairs.prepare,
    waiting: pairs.waiting,
    restore: keys.restore,
    records: keys.records,
    reset: keys.reset,
    close: pairs.close,
  };
}
