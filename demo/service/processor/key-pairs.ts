import { webcrypto } from 'node:crypto';

export type KeyPair = Pick<webcrypto.CryptoKeyPair, 'publicKey' | 'privateKey'>;

/** A key pair as it is handed out. */
export interface Pair {
  /** Base64 of the DER (SPKI). */
  public_key: string;
  /** Base64 of the DER (PKCS #8); only if the sandbox writes its state to a file. */
  private_key?: string;
  privateKey: webcrypto.CryptoKey | Promise<webcrypto.CryptoKey>;
}

/** Where the key pairs of new encryption keys come from. */
export interface KeyPairs {
  /**
   * @param signal - Aborted when the client has gone: then nothing is generated for it.
   * @throws TooManyWaiting
   */
  take(signal?: AbortSignal): Promise<Pair>;
  /** Begins to generate, so that the first client does not wait. */
  prepare(): Promise<void>;
  /** How many clients wait in the queue. */
  waiting(): number;
  /** Adds a pair of an earlier run. */
  add(pair: Pair): void;
  /** The pairs that are not used up, to find out whose public key a block was made with. */
  known(): readonly Pair[];
  close(): void;
}

/** More clients wait for a fresh pair than the sandbox lets wait. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';

  /** @param retryAfterS - Seconds until those that wait are served. */
  constructor(readonly retryAfterS: number) {
    super('Too many clients wait for a key pair');
  }
}

/** So many pairs at least: two keys in a row must not have the same public key. */
const FEWEST_PAIRS = 4;
const MOST_PAIRS = 32;

/**
 * Pairs that are used again and again, in turn. Nobody waits, except for the first
 * {@link FEWEST_PAIRS}. Each key that is issued prepares one more pair, up to {@link MOST_PAIRS}.
 */
export function reusedPairs(generate: () => Promise<Pair>): KeyPairs {
  const pairs: Pair[] = [];
  let next = 0;
  let isClosed = false;
  let filling: Promise<void> | undefined;
  let growing: Promise<void> | undefined;

  return { take, prepare: fill, waiting: () => 0, add, known: () => pairs, close };

  async function take(): Promise<Pair> {
    if (pairs.length < FEWEST_PAIRS) await fill();
    else grow();
    next = next % pairs.length;
    return pairs[next++]!;
  }

  /** All at once: each core generates. */
  function fill(): Promise<void> {
    const missing = Math.max(0, FEWEST_PAIRS - pairs.length);
    filling ??= Promise.all(Array.from({ length: missing }, generateOne)).then(
      () => {
        filling = undefined;
      },
      (error) => {
        filling = undefined;
        throw error;
      },
    );
    return filling;
  }

  /** One after the other, so that decryption finds a thread. */
  function grow() {
    if (growing || isClosed || pairs.length >= MOST_PAIRS) return;
    growing = generateOne()
      .catch(() => {}) // the pairs that there are go on
      .then(() => {
        growing = undefined;
      });
  }

  async function generateOne() {
    add(await generate());
  }

  function add(pair: Pair) {
    pairs.push(pair);
  }

  function close() {
    isClosed = true;
  }
}

/** How many fresh pairs lie ready. Generating one takes about 150 ms of CPU for 2048 bits. */
const READY_PAIRS = 4;
/** How many clients may wait: for about 5 seconds, then. */
const MOST_WAITING = 32;

interface Waiting {
  resolve(pair: Pair): void;
  reject(error: unknown): void;
}

/**
 * A pair of its own for each key, generated one after the other. A client that has gone leaves the
 * queue, and its pair goes to the next one.
 */
export function freshPairs(generate: () => Promise<Pair>): KeyPairs {
  const ready: Pair[] = [];
  const queue = new Set<Waiting>(); // first come, first served
  let isGenerating = false;
  let isClosed = false;
  let latestMs = 150;

  return {
    async take(signal) {
      if (isClosed) throw new Error('The processor is closed');
      const pair = ready.shift();
      if (!pair && queue.size >= MOST_WAITING) {
        throw new TooManyWaiting(Math.ceil((queue.size * latestMs) / 1000));
      }
      const taken = pair ?? wait(signal);
      void generateAll();
      return taken;
    },
    async prepare() {
      void generateAll();
    },
    waiting: () => queue.size,
    add() {}, // an old pair is not fresh
    known: () => [],
    close() {
      isClosed = true;
      for (const { reject } of queue) reject(new Error('The processor is closed'));
      queue.clear();
    },
  };

  function wait(signal?: AbortSignal): Promise<Pair> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const waiting = { resolve, reject };
      queue.add(waiting);
      signal?.addEventListener('abort', () => {
        queue.delete(waiting);
        reject(signal.reason);
      });
    });
  }

  /** Until nobody waits and enough pairs are ready. */
  async function generateAll() {
    if (isGenerating) return;
    isGenerating = true;
    while (!isClosed && (queue.size > 0 || ready.length < READY_PAIRS)) {
      const start = performance.now();
      const pair = await generate().catch(fail);
      latestMs = performance.now() - start;
      if (pair) handOut(pair);
      else if (queue.size === 0) break; // the next client tries again
    }
    isGenerating = false;
  }

  function handOut(pair: Pair) {
    const first = takeFirst();
    if (first) first.resolve(pair);
    else ready.push(pair);
  }

  function fail(error: unknown): undefined {
    takeFirst()?.reject(error);
  }

  function takeFirst(): Waiting | undefined {
    const [first] = queue;
    if (first) queue.delete(first);
    return first;
  }
}

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' };

/** `modulusLength`: bits. */
export async function generateRsaKeyPair(modulusLength: 2048 | 3072 | 4096): Promise<KeyPair> {
  const algorithm = { ...OAEP, modulusLength, publicExponent: new Uint8Array([1, 0, 1]) };
  return webcrypto.subtle.generateKey(algorithm, true, ['encrypt', 'decrypt']);
}

/** @param withPrivateKey - Whether the pair will be written to a file. */
export async function exportPair(
  { publicKey, privateKey }: KeyPair,
  withPrivateKey: boolean,
): Promise<Pair> {
  const pair = { public_key: await exportKey('spki', publicKey), privateKey };
  if (!withPrivateKey) return pair;
  return { ...pair, private_key: await exportKey('pkcs8', privateKey) };
}

async function exportKey(format: 'spki' | 'pkcs8', key: webcrypto.CryptoKey): Promise<string> {
  return Buffer.from(await webcrypto.subtle.exportKey(format, key)).toString('base64');
}

/** A pair that {@link exportPair} has exported with its private key. */
export function importPair(exported: { public_key: string; private_key: string }): Pair {
  const { public_key, private_key } = exported;
  const der = Buffer.from(private_key, 'base64');
  const privateKey = webcrypto.subtle.importKey('pkcs8', der, OAEP, true, ['decrypt']);
  privateKey.catch(() => {}); // who uses it hears of it
  return { public_key, private_key, privateKey };
}
