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

/** Key pairs that are ready before someone asks: generating 2048 bits takes about 100 ms, and 4096 bits seconds. */
const READY_PAIRS = 4;

/** The keys of the processor. A private key leaves this module once, for the one decryption it is made for. */
export function createEncryptionKeys({
  lifetimeMs,
  clock,
  generateKeyPair,
}: EncryptionKeysOptions) {
  const current = new Map<string, KeyRecord>(); // both in the order of issue, which is the order of expiry
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

    /** Ownership first, then expiry, then whether the key is spent. The key is spent from here on, whatever becomes of the block. */
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

/** One pair is generated after the other, so that a rush for keys leaves threads of the pool to decryption. Starts with the first request. */
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
