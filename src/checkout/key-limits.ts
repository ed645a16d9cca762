/** Making a key costs the service work. One shopper must not keep the others waiting. */
const PER_ORDER: Rate = { burst: 6, perSecond: 0.2 };
const IN_ALL: Rate = { burst: 40, perSecond: 10 };

/** `burst` requests at once, and then `perSecond`. */
interface Rate {
  burst: number;
  perSecond: number;
}

/** The requests that are left of a rate, at a time in milliseconds. */
interface Bucket {
  left: number;
  at: number;
}

/** Limits the key requests of this process by rate: per order, and in all. */
export function keyLimits() {
  const orders = new Map<string, Bucket>();
  const all: Bucket = { left: IN_ALL.burst, at: 0 };

  return {
    /** Takes one request. Returns 0, or the seconds to wait before the next try. */
    take(orderId: string, now: number): number {
      forgetFull(now);
      const order = orders.get(orderId) ?? { left: PER_ORDER.burst, at: now };
      const wait = Math.max(
        secondsUntilOne(order, PER_ORDER, now),
        secondsUntilOne(all, IN_ALL, now),
      );
      if (wait > 0) return wait;
      orders.delete(orderId); // the map is in the order of the last request
      orders.set(orderId, { left: leftAt(order, PER_ORDER, now) - 1, at: now });
      Object.assign(all, { left: leftAt(all, IN_ALL, now) - 1, at: now });
      return 0;
    },
  };

  /** Without this, the map would grow with every order. */
  function forgetFull(now: number) {
    for (const [orderId, bucket] of orders) {
      if (leftAt(bucket, PER_ORDER, now) < PER_ORDER.burst) return;
      orders.delete(orderId);
    }
  }
}

function leftAt({ left, at }: Bucket, { burst, perSecond }: Rate, now: number): number {
  const passed = Math.abs(now - at) / 1000; // a clock may be set back
  return Math.min(burst, left + passed * perSecond);
}

/** Not more than 0 if one is left. */
function secondsUntilOne(bucket: Bucket, rate: Rate, now: number): number {
  return Math.ceil((1 - leftAt(bucket, rate, now)) / rate.perSecond);
}
