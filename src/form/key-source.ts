import {
  CardEncryptionError,
  type CardEncryptionKey,
  type PreparedKey,
  prepareKey,
} from '../core/index.ts';
import { isAboutCard } from './feedback/notices.ts';
import { reportToPage } from './feedback/report.ts';
import type { CardFormOptions } from './options.ts';
import { newAborter } from './page/old-browsers.ts';

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
   * Resolves to the cached or pending key; requests one if there is none. After a failure, the next
   * call requests again.
   */
  get(): Promise<ReadyKey>;
  /**
   * Drops the cached or pending key, and aborts its request. With `used`, drops only that key.
   */
  drop(used?: ReadyKey): void;
  /** A key that was dropped has encrypted nothing: it is used, unless another one is requested. */
  putBack(unused: ReadyKey): void;
  /**
   * Whether a key that arrived at this time, in milliseconds since 1970, is young enough. The same
   * goes for a block that was made under it.
   */
  isYoung(arrived: number): boolean;
}

/**
 * G16: a shopper who comes back after lunch pays without typing the card again. The service does
 * not show how long its keys live, and its sandbox's live for 15 minutes: a key of 10 minutes has
 * time left for the press. A key that cannot be replaced is used whatever its age is.
 */
const MAX_AGE_MS = 10 * 60_000;

export function keySource(
  key: CardFormOptions['key'],
  timeoutMs: number,
  maxAgeMs = typeof key === 'function' ? MAX_AGE_MS : Number.POSITIVE_INFINITY,
): KeySource {
  interface Pending {
    readonly answer: Promise<ReadyKey>;
    /** Undefined while the key is pending. */
    ready: ReadyKey | undefined;
    /** Aborts the request, in browsers that can. */
    readonly aborter: AbortController | undefined;
  }
  let current: Pending | undefined;
  /** Whether a key was dropped. If it was given as an object, there is no other one. */
  let wasDropped = false;

  const isYoung = (arrived: number) => Date.now() - arrived <= maxAgeMs;
  const drop = (used?: ReadyKey) => {
    if (used && current?.ready !== used) return; // the next one has been requested already
    if (!current?.ready) current?.aborter?.abort();
    current = undefined;
    wasDropped = true;
  };

  const ask = async (aborter: AbortController | undefined): Promise<ReadyKey> => {
    if (typeof key !== 'function' && wasDropped) {
      throw unavailable('The key in this page is used up: reload the page');
    }
    const answer = typeof key === 'function' ? await inTime(key, timeoutMs, aborter) : key;
    const arrived = Date.now();
    return { key: await prepareKey(answer), arrived };
  };

  const request = (): Pending => {
    const aborter = newAborter();
    const pending: Pending = { answer: ask(aborter), aborter, ready: undefined };
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
    putBack(unused) {
      current ??= { answer: Promise.resolve(unused), ready: unused, aborter: undefined };
    },
    get() {
      if (current?.ready && !isYoung(current.ready.arrived)) drop();
      current ??= request();
      return current.answer;
    },
  };
}

/**
 * Asks for a key and waits for the answer no longer than the time limit. An error of the page's
 * function goes to its developer, unless it is the end of an aborted request.
 */
function inTime(
  ask: (signal: AbortSignal | undefined) => CardEncryptionKey | Promise<CardEncryptionKey>,
  timeoutMs: number,
  aborter: AbortController | undefined,
): Promise<CardEncryptionKey> {
  const noKey = () => unavailable('The key did not come: the next press asks again');
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(noKey());
      aborter?.abort();
    };
    const timer = setTimeout(giveUp, Math.min(timeoutMs, LONGEST_TIMER_MS));
    const askPage = async () => ask(aborter?.signal);
    askPage()
      .then(resolve, (error: unknown) => {
        const isOfKey = error instanceof CardEncryptionError && !isAboutCard(error);
        if (!isOfKey && !aborter?.signal.aborted) reportToPage(error);
        reject(isOfKey ? error : noKey());
      })
      .finally(() => clearTimeout(timer));
  });
}

/** The longest delay of a timer. A longer one overflows, and the timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const unavailable = (message: string) => new CardEncryptionError('key_unavailable', message);
