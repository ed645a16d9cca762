import { isDue, isUnderWay, type StoredOrder } from './decide.ts';
import { describe, type Log, quoted, StoreContractError } from './log.ts';
import type { OrderStore } from './order-store.ts';
import { readStored, UnreadableOrder } from './stored-value.ts';

/**
 * The orders of a store, read and written by the rules of the versions. If the store fails, each of
 * these tries again for a while: a database that restarts is back soon.
 */
export interface Orders {
  /** @throws the error of the store, if the order cannot be read. */
  read(orderId: string): Promise<StoredOrder | undefined>;
  /** Waits while an attempt is under way: its shopper may have reloaded, or has two tabs. */
  readSettled(orderId: string): Promise<StoredOrder | undefined>;
  /**
   * Reads, decides and writes, until nobody else has written in between. If a write fails, or its
   * answer is lost, the order is read and decided again: the decision sees what became of the
   * write.
   *
   * @param repair - Decides in the place of `decide` if the stored value is damaged.
   * @throws the error of the store, if the order cannot be read.
   * @throws Problem if the stored value is damaged, and there is no `repair`; StoreContractError if
   * the store does not do what `OrderStore` says; Error if nobody could write.
   */
  change<D extends { store?: StoredOrder | undefined }>(
    orderId: string,
    decide: (stored: StoredOrder | undefined) => D,
    repair?: () => D,
  ): Promise<D>;
}

export interface OrdersOptions {
  store: OrderStore;
  /** How long one read or write may take, in milliseconds. */
  storeTimeoutMs: number;
  /** How long an attempt is waited for, in milliseconds. */
  limitMs: number;
  log: Log;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  within: <T>(ms: number, promise: Promise<T>) => Promise<T>;
}

/** How long to wait before the order is read again while an attempt is under way. */
const POLL_MS = 250;
/** A store that never lets anybody write is broken. */
const MOST_WRITES = 20;
/** Nothing is tried again after so many times the limit of the store. */
const MOST_TIMEOUTS = 2;
/** How long to wait after the store has failed. */
const PAUSE_MS = 500;

export function ordersIn(options: OrdersOptions): Orders {
  const { store, storeTimeoutMs, limitMs, log, now, sleep, within } = options;
  /** By order: the next look at it. However many requests wait for an order, one reads it. */
  const nextReads = new Map<string, Promise<StoredOrder | undefined>>();

  return { read, readSettled, change };

  async function read(orderId: string): Promise<StoredOrder | undefined> {
    const entry = await readEntry(orderId, now());
    return entry && readStored(entry.value, orderId);
  }

  async function readSettled(orderId: string): Promise<StoredOrder | undefined> {
    let begin = now();
    let stored = await read(orderId);
    // By this clock, whatever another process's says
    while (isUnderWay(stored, now(), limitMs) && now() <= begin + limitMs) {
      const next = await nextRead(orderId);
      if (next?.attempt?.token !== stored?.attempt?.token) begin = now(); // it is another attempt
      stored = next;
    }
    return stored;
  }

  function nextRead(orderId: string): Promise<StoredOrder | undefined> {
    let next = nextReads.get(orderId);
    if (!next) {
      next = sleep(POLL_MS).then(() => {
        nextReads.delete(orderId); // who asks from now on must not get what is being read already
        return read(orderId);
      });
      nextReads.set(orderId, next);
    }
    return next;
  }

  async function change<D extends { store?: StoredOrder | undefined }>(
    orderId: string,
    decide: (stored: StoredOrder | undefined) => D,
    repair?: () => D,
  ): Promise<D> {
    const begin = now();
    for (let writes = 0; ; writes++) {
      const entry = await readEntry(orderId, begin);
      const decision = decideOn(entry);
      if (!decision.store) return decision;
      if (writes === MOST_WRITES || (writes > 0 && isOver(begin)))
        throw new Error('The order could not be written');
      if (await isWritten(orderId, decision.store, entry?.version ?? 0)) return decision;
    }

    function decideOn(entry: { value: string } | undefined): D {
      if (!entry) return decide(undefined);
      let stored: StoredOrder;
      try {
        stored = readStored(entry.value, orderId);
      } catch (error) {
        if (repair && error instanceof UnreadableOrder) return repair();
        throw error;
      }
      return decide(stored);
    }
  }

  /** Tries again while the store fails. `begin`: when the first try of all began. */
  async function readEntry(orderId: string, begin: number) {
    for (;;) {
      try {
        return await readOnce(orderId);
      } catch (error) {
        if (error instanceof StoreContractError || isOver(begin)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  function isOver(begin: number): boolean {
    const passed = Math.abs(now() - begin); // a clock may be set back
    return passed >= MOST_TIMEOUTS * storeTimeoutMs;
  }

  async function readOnce(orderId: string) {
    const entry = await within(
      storeTimeoutMs,
      asPromise(() => store.read(orderId)),
    );
    if (entry === undefined || entry === null) return undefined;
    const { value, version } = entry;
    if (typeof value !== 'string')
      throw new StoreContractError(
        `store.read must give the value as text, and it gave ${kindOf(value)}. ` +
          'Keep it in a column for text, not for JSON',
      );
    if (!Number.isSafeInteger(version))
      throw new StoreContractError(
        `store.read must give the version as a number, and it gave ${kindOf(version)}`,
      );
    return { value, version };
  }

  /** `false` also if the answer of the store was lost: then the value may be written. */
  async function isWritten(orderId: string, order: StoredOrder, version: number): Promise<boolean> {
    const value = JSON.stringify(order);
    let answer: unknown;
    try {
      const writing = asPromise(() => store.write(orderId, value, version, isDue(order)));
      answer = await within(storeTimeoutMs, writing);
    } catch (error) {
      log(`A write of the store failed: order ${quoted(orderId)}: ${describe(error)}`);
      await sleep(PAUSE_MS);
      return false;
    }
    if (typeof answer !== 'boolean')
      throw new StoreContractError(
        `store.write must resolve to true or false, and it gave ${kindOf(answer)}. ` +
          'true: the value was written; false: the stored version was another one',
      );
    return answer;
  }
}

/** Also a function that throws at once, or is not async, gives a promise. */
async function asPromise<T>(call: () => T | Promise<T>): Promise<T> {
  return call();
}

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value);
