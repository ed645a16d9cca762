import { randomBytes, webcrypto } from 'node:crypto';

export type KeyPair = Pick<webcrypto.CryptoKeyPair, 'publicKey' | 'privateKey'>;

export interface EncryptionKeysOptions {
  /** Milliseconds from issuing a key to its `expires_at`. */
  lifetimeMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  generateKeyPair: () => Promise<KeyPair>;
}

interface KeyRecord {
  account: string;
  expires_at: number;
  privateKey: webcrypto.CryptoKey | undefined;
}

/** How long the id of an expired key is still told from one that never was. */
const EXPIRED_ID_RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * How many key pairs are prepared in advance. Generating a pair takes about 100 ms for 2048 bits,
 * and seconds for 4096 bits.
 */
const READY_PAIRS = 4;

/**
 * The keys of the processor. A private key leaves this module once, for the one decryption that it
 * is made for.
 */
export function createEncryptionKeys({
  lifetimeMs,
  clock,
  generateKeyPair,
}: EncryptionKeysOptions) {
  // Both maps are in the order of issue, which is also the order of expiry.
  const current = new Map<string, KeyRecord>();
  const expired = new Map<string, KeyRecord>();
  const pairs = keyPairPool(generateKeyPair);

  return {
    async issue(account: string) {
      const { publicKey, privateKey } = await pairs.take();
      const spki = await webcrypto.subtle.exportKey('spki', publicKey);
      const now = clock();
      forgetExpired(now);
      const id = `cek_${randomBytes(12).toString('hex')}`;
      const expires_at = now + lifetimeMs;
      current.set(id, { account, expires_at, privateKey });
      return { id, public_key: Buffer.from(spki).toString('base64'), expires_at };
    },

    /**
     * Checks ownership first, then expiry, then whether the key is used. A successful claim uses
     * the key, whatever happens to the block.
     */
    claim(account: string, id: string) {
      const now = clock();
      forgetExpired(now);
      const record = current.get(id) ?? expired.get(id);
      if (record?.account !== account) return 'unknown_encryption_key';
      if (now > record.expires_at) return 'encryption_key_expired';
      const { privateKey } = record;
      if (!privateKey) return 'encryption_key_used';
      record.privateKey = undefined;
      return privateKey;
    },

    close: pairs.close,
  };

  function forgetExpired(now: number) {
    for (const [id, record] of current) {
      if (now <= record.expires_at) break;
      current.delete(id);
      expired.set(id, { ...record, privateKey: undefined });
    }
    for (const [id, record] of expired) {
      if (now <= record.expires_at + EXPIRED_ID_RETENTION_MS) break;
      expired.delete(id);
    }
  }
}

/**
 * Generates one pair after the other, starting with the first request. Therefore many requests for
 * keys at once leave threads of the pool free for decryption.
 */
function keyPairPool(generateKeyPair: () => Promise<KeyPair>) {
  const ready: Promise<KeyPair>[] = [];
  let latest: Promise<unknown> = Promise.resolve();
  let closed = false;

  function prepare() {
    const pair = latest.then(() => {
      if (closed) throw new Error('The processor is closed');
      return generateKeyPair();
    });
    latest = pair.then(
      () => {}, // keeps no pair
      () => {}, // who takes the pair hears of it
    );
    ready.push(pair);
  }

  return {
    take(): Promise<KeyPair> {
      while (ready.length <= READY_PAIRS) prepare();
      return ready.shift()!;
    },
    close() {
      closed = true;
    },
  };
}
