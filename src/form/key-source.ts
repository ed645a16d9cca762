import { CardEncryptionError, type CardEncryptionKey, type PreparedKey, prepareKey } from '../index.ts';

/** Where the key of the next encryption comes from. */
export function keySource(
  key: CardEncryptionKey | (() => CardEncryptionKey | Promise<CardEncryptionKey>),
  timeoutMs: number,
  maxAgeMs: number,
) {
  let current: Promise<PreparedKey> | undefined;
  let arrived = Infinity; // of the key at hand; one that is on its way is never too old
  let used = false;

  /** The key at hand or on its way may not be used any more. */
  const renew = () => {
    current = undefined;
    arrived = Infinity;
    used = true;
  };

  const request = async () => {
    const isFixed = typeof key !== 'function';
    if (isFixed && used) throw unavailable('The key in this page is used up: reload the page');
    const given = isFixed ? key : await answer(key, timeoutMs);
    arrived = Date.now();
    return prepareKey(given);
  };

  return {
    renew,
    /** The key at hand, or on its way, or else a new one; after a failure the next call asks again. */
    get(): Promise<PreparedKey> {
      if (current && Date.now() - arrived > maxAgeMs) renew();
      if (!current) {
        const mine = request();
        mine.catch(() => {
          if (current === mine) current = undefined;
        });
        current = mine;
      }
      return current;
    },
  };
}

async function answer(ask: () => CardEncryptionKey | Promise<CardEncryptionKey>, timeoutMs: number): Promise<CardEncryptionKey> {
  const longest = 2 ** 31 - 1; // a timer that is set to more fires at once
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, Math.min(timeoutMs, longest)));
  try {
    return await Promise.race([(async () => ask())(), timeout]); // async: what it throws leaves the timeout heard
  } catch (error) {
    throw error instanceof CardEncryptionError ? error : unavailable('The key did not come: the next submit asks again');
  }
}

const unavailable = (message: string) => new CardEncryptionError('key_unavailable', message);
