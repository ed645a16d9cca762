/**
 * Limits of one process, by rate. A key costs the service work, and a declined card costs the
 * merchant a fee and perhaps the account. No sender may use up what others need.
 *
 * The numbers come from a simulation of shops, bots, flash sales and shared
 * addresses. A botnet that behaves like shoppers is not solved by any limit.
 */

/** `burst` requests at once, and then `perSecond`. */
interface Rate {
  burst: number;
  perSecond: number;
}

const KEYS_OF_ORDER: Rate = { burst: 6, perSecond: 0.2 };
const KEYS_OF_SENDER: Rate = { burst: 60, perSecond: 1 };
const KEYS_OF_ALL = 100;
/** When others have used up the keys of all, these are left for senders that have just come. */
const KEYS_OF_NEWCOMERS = 200;
/** So many requests of a sender count as those of a newcomer. */
const NEWCOMER = 3;
const DECLINES_OF_SENDER: Rate = { burst: 10, perSecond: 10 / 3600 };
/** A payment that succeeds says that a shared address has honest shoppers. */
const GIVEN_BACK_BY_SUCCESS = 5;

export interface KeyLimits {
  /**
   * Takes one key.
   *
   * @param sender - What {@link senderOf} says; `undefined`: there is no limit by sender.
   * @returns 0, or the seconds to wait before the next try.
   */
  take(orderId: string, sender: string | undefined, now: number): number;
}

/** @param keysPerSecond - Of all senders together. */
export function keyLimits(keysPerSecond: number): KeyLimits {
  const orders = buckets(KEYS_OF_ORDER);
  const senders = buckets(KEYS_OF_SENDER);
  const all = buckets({ burst: KEYS_OF_ALL, perSecond: keysPerSecond });
  const newcomers = buckets({ burst: KEYS_OF_NEWCOMERS, perSecond: keysPerSecond });

  return {
    take(orderId, sender, now) {
      const isNewcomer =
        sender !== undefined && senders.left(sender, now) > KEYS_OF_SENDER.burst - NEWCOMER;
      const shared = isNewcomer && all.wait('', now) > 0 ? newcomers : all;
      const wait = Math.max(
        orders.wait(orderId, now),
        sender === undefined ? 0 : senders.wait(sender, now),
        shared.wait('', now),
      );
      if (wait > 0) return wait;
      orders.add(orderId, -1, now);
      if (sender !== undefined) senders.add(sender, -1, now);
      shared.add('', -1, now);
      return 0;
    },
  };
}

export interface DeclineLimits {
  /** A try begins. `false`: this sender has had too many cards declined, or blocks refused. */
  begin(sender: string | undefined, now: number): boolean;
  /**
   * A try that has begun ends. Returns true at most once in ten minutes: when at least 20 cards
   * were declined, and more than were paid.
   */
  end(sender: string | undefined, end: TryEnd, now: number): boolean;
}

/** `refused`: the service has answered with an error about the key or the block. */
export type TryEnd = 'declined' | 'refused' | 'paid' | 'other';

/**
 * What a sender gets back of the try. A block that is refused needs no card, and leaves an order
 * that a look-up has to settle: bots make as many as they are let.
 */
const GIVEN_BACK: Record<TryEnd, number> = {
  declined: 0,
  refused: 0,
  paid: 1 + GIVEN_BACK_BY_SUCCESS,
  other: 1,
};

/** The limit is taken when a try begins, so that many at once cannot pass it. */
export function declineLimits(): DeclineLimits {
  const senders = buckets(DECLINES_OF_SENDER);
  let recent = { since: 0, declined: 0, paid: 0, isTold: false };

  return {
    begin(sender, now) {
      if (sender === undefined) return true;
      if (senders.wait(sender, now) > 0) return false;
      senders.add(sender, -1, now);
      return true;
    },
    end(sender, end, now) {
      if (sender !== undefined) senders.add(sender, GIVEN_BACK[end], now);
      if (end !== 'declined' && end !== 'paid') return false;
      if (Math.abs(now - recent.since) > TEN_MINUTES)
        recent = { since: now, declined: 0, paid: 0, isTold: false };
      recent[end]++;
      const isOdd = recent.declined >= MANY_DECLINES && recent.declined > recent.paid;
      const isNew = isOdd && !recent.isTold;
      if (isNew) recent.isTold = true;
      return isNew;
    },
  };
}

const TEN_MINUTES = 600_000;
const MANY_DECLINES = 20;

/** What is left of a rate, at a time in milliseconds. */
interface Bucket {
  left: number;
  at: number;
}

/** A bucket for each name. Full ones are forgotten, or the map would grow with every name. */
function buckets(rate: Rate) {
  const { burst, perSecond } = rate;
  const map = new Map<string, Bucket>();
  const left = (name: string, now: number): number => {
    const bucket = map.get(name);
    return bucket ? leftAt(bucket, rate, now) : burst;
  };

  return {
    left,
    /** The seconds until one is left: not more than 0 if there is one now. */
    wait: (name: string, now: number): number => Math.ceil((1 - left(name, now)) / perSecond),
    add(name: string, count: number, now: number): void {
      const bucket = { left: Math.min(burst, left(name, now) + count), at: now };
      map.delete(name); // the map is in the order of the last request
      map.set(name, bucket);
      for (const [oldest, first] of map) {
        if (leftAt(first, rate, now) < burst) return;
        map.delete(oldest);
      }
    },
  };
}

function leftAt({ left, at }: Bucket, { burst, perSecond }: Rate, now: number): number {
  const passed = Math.abs(now - at) / 1000; // a clock may be set back
  return Math.min(burst, left + passed * perSecond);
}
