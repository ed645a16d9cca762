import { randomBytes } from 'node:crypto';
import type { Save, StateRecord } from '../state.ts';
import { importPair, type KeyPairs, type Pair } from './key-pairs.ts';

export interface EncryptionKeysOptions {
  /** Milliseconds from issuing a key to its `expires_at`. */
  lifetimeMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  pairs: KeyPairs;
  save: Save;
}

interface KeyRecord {
  account: string;
  expires_at: number;
  /** Absent when the key is used or expired. */
  pair: Pair | undefined;
}

/** Why a key takes no block. `reason` is for the developer of the client. */
export interface KeyRefusal {
  code: 'unknown_encryption_key' | 'encryption_key_expired' | 'encryption_key_used';
  reason: string;
}

/** How long the id of an expired key is still told from one that never was. */
const EXPIRED_ID_RETENTION_MS = 24 * 60 * 60 * 1000;
/** A block is tried with so many pairs of other keys, to say whose public key it was made with. */
const MOST_OTHERS = 32;

/** The keys of the processor. Each that is issued hands out its private key once. */
export function createEncryptionKeys({ lifetimeMs, clock, pairs, save }: EncryptionKeysOptions) {
  // Both maps are in the order of issue, which is the order of expiry unless the clock is set back.
  const current = new Map<string, KeyRecord>();
  const expired = new Map<string, KeyRecord>();
  const saved = new Map<string, Pair>(); // by public key

  return {
    /** Issues nothing if the signal is aborted: the client has gone. */
    async issue(account: string, signal?: AbortSignal) {
      const pair = await pairs.take(signal);
      signal?.throwIfAborted();
      const now = clock();
      forgetExpired(now);
      const { public_key } = pair;
      const id = `cek_${randomBytes(12).toString('hex')}`;
      const expires_at = now + lifetimeMs;
      current.set(id, { account, expires_at, pair });
      if (!saved.has(public_key)) {
        saved.set(public_key, pair);
        save(pairRecord(pair));
      }
      save({ type: 'key', id, account, expires_at, public_key });
      return { id, public_key, expires_at };
    },

    /**
     * Checks ownership first, then expiry, then whether the key is used. A successful claim uses
     * the key, whatever happens to the block.
     */
    claim(account: string, id: string): Pair | KeyRefusal {
      const now = clock();
      forgetExpired(now);
      const record = current.get(id) ?? expired.get(id);
      if (record?.account !== account) return unknown(record);
      if (now > record.expires_at || expired.has(id)) return late(now - record.expires_at);
      const { pair } = record;
      if (!pair) return USED;
      record.pair = undefined;
      save({ type: 'key_used', id });
      return pair;
    },

    /** The pairs that a block could have been made with by mistake. */
    otherPairs(): Iterable<Pair> {
      const unused = [...current.values()].flatMap(({ pair }) => pair ?? []);
      return new Set([...pairs.known(), ...unused.slice(-MOST_OTHERS)]);
    },

    restore(record: StateRecord) {
      if (record.type === 'pair') {
        const pair = importPair(record);
        saved.set(record.public_key, pair);
        pairs.add(pair);
      } else if (record.type === 'key') {
        const { id, account, expires_at, public_key } = record;
        current.set(id, { account, expires_at, pair: saved.get(public_key) });
      } else if (record.type === 'key_used') {
        const used = current.get(record.id);
        if (used) used.pair = undefined;
      }
    },

    /** What `restore` needs. */
    *records(): Iterable<StateRecord> {
      forgetExpired(clock());
      const needed = new Set([...pairs.known(), ...[...current.values()].map(({ pair }) => pair)]);
      for (const pair of saved.values()) if (needed.has(pair)) yield pairRecord(pair);
      for (const [id, { account, expires_at, pair }] of [...expired, ...current]) {
        yield { type: 'key', id, account, expires_at, public_key: pair?.public_key ?? '' };
      }
    },

    reset() {
      current.clear();
      expired.clear();
      saved.clear();
    },
  };

  function forgetExpired(now: number) {
    for (const [id, record] of current) {
      if (now <= record.expires_at) break;
      current.delete(id);
      expired.set(id, { ...record, pair: undefined });
    }
    for (const [id, record] of expired) {
      if (now <= record.expires_at + EXPIRED_ID_RETENTION_MS) break;
      expired.delete(id);
    }
  }
}

function pairRecord({ public_key, private_key = '' }: Pair): StateRecord {
  return { type: 'pair', public_key, private_key };
}

const USED: KeyRefusal = {
  code: 'encryption_key_used',
  reason: 'The key has taken a block before. One key takes one block.',
};

function unknown(record: KeyRecord | undefined): KeyRefusal {
  const reason = record
    ? 'The key belongs to another account, or to the other mode (test or live).'
    : 'No key has this id, or it expired more than 24 hours ago.';
  return { code: 'unknown_encryption_key', reason };
}

function late(ms: number): KeyRefusal {
  const reason =
    ms > 0 ? `The key expired ${ms} ms ago.` : 'The key expired before the clock was set back.';
  return { code: 'encryption_key_expired', reason };
}
