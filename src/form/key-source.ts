import {
  CardEncryptionError,
  type CardEncryptionKey,
  type PreparedKey,
  prepareKey,
} from '../core/index.ts';
import type { CardFormOptions } from './options.ts';

/** A key that may encrypt the next card. */
export interface ReadyKey {
  key: PreparedKey;
  /** When it arrived, in milliseconds since 1970. */
  arrived: number;
}

/** Where the key of the next encryption comes from. */
export interface KeySource {
  /** Whether a key that is used up can be replaced. */
  readonly isRenewable: boolean;
  /**
   * Resolves to the key that is there or on its way; if there is none, asks for one. After a
   * failure the next call asks again.
   */
  get(): Promise<ReadyKey>;
  /** Drops the key that is there or on its way, or only `used` if one is named. */
  drop(used?: ReadyKey): void;
  /**
   * Whether a key that arrived at this time, in milliseconds since 1970, is young enough. The same
   * goes for a block that was made under it.
   */
  isYoung(arrived: number): boolean;
}

export function keySource(
  key: CardFormOptions['key'],
  timeoutMs: number,
  maxAgeMs: number,
): KeySource {
  interface Pending {
    readonly answer: Promise<ReadyKey>;
    /** Undefined while the key is on its way. */
    ready?: ReadyKey;
  }
  let current: Pending | undefined;
  /** Whether a key was dropped. If it was given as an object, there is no other one. */
  let wasDropped = false;

  const isYoung = (arrived: number) => Date.now() - arrived <= maxAgeMs;
  const drop = (used?: ReadyKey) => {
    if (used && current?.ready !== used) return; // the next one has been requested already
    current = undefined;
    wasDropped = true;
  };

  const ask = async (): Promise<ReadyKey> => {
    if (typeof key !== 'function' && wasDropped) {
      throw unavailable('The key in this page is used up: reload the page');
    }
    const answer = typeof key === 'function' ? await inTime(key, timeoutMs) : key;
    const arrived = Date.now();
    return { key: await prepareKey(answer), arrived };
  };

  const request = (): Pending => {
    const pending: Pending = { answer: ask() };
    pending.answer.then(
      (ready) => {
        pending.ready = ready;
      },
      () => {
        if (current === pending) current = undefined;
      },
    );
    return pending;
  };

  return {
    isRenewable: typeof key === 'function',
    isYoung,
    drop,
    get() {
      if (current?.ready && !isYoung(current.ready.arrived)) drop();
      current ??= request();
      return current.answer;
    },
  };
}

/** Asks for a key and waits for the answer no longer than the time limit. */
function inTime(
  ask: () => CardEncryptionKey | Promise<CardEncryptionKey>,
  timeoutMs: number,
): Promise<CardEncryptionKey> {
  return new Promise((resolve, reject) => {
    const noKey = () => unavailable('The key did not come: the next press asks again');
    const timer = setTimeout(() => reject(noKey()), Math.min(timeoutMs, LONGEST_TIMER_MS));
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(error instanceof CardEncryptionError ? error : noKey());
    };
    const answered = (key: CardEncryptionKey) => {
      clearTimeout(timer);
      resolve(key);
    };
    try {
      Promise.resolve(ask()).then(answered, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** The longest delay of a timer. A longer one overflows, and the timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const unavailable = (message: string) => new CardEncryptionError('key_unavailable', message);
