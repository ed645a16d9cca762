/**
 * Where orders are kept. It must never lose an acknowledged write: a cache that evicts is no store.
 * Every process of the shop must see the same store. Ids of orders are compared exactly: `a` and
 * `A` are two orders.
 */
export interface OrderStore {
  /** The newest value of an order, or `undefined` if the order was never written. */
  read(orderId: string): Promise<{ value: string; version: number } | undefined>;
  /**
   * Replaces the value, in one step, only if its version is still `version`; 0 stands for an order
   * that was never written. The new version is higher, also over restarts.
   *
   * @param value - JSON text of a few KiB. Nothing of a card is in it.
   * @param due - Whether the order needs another look: it may have been charged and is not settled,
   * or it is paid and not delivered. A store with `list` keeps it beside the value, so that it can
   * filter without parsing. `undefined` counts as `true`.
   * @returns `true`, or `false` if somebody else has written: then nothing was changed. Any other
   * value, such as a driver's result, is a TypeError of the checkout.
   */
  write(orderId: string, value: string, version: number, due?: boolean): Promise<boolean>;
  /**
   * Optional; `checkout.sweep` needs it. The orders that were last written with `due`, by id in the
   * order in which the store compares ids.
   */
  list?(options: ListOptions): Promise<ListedOrder[]>;
}

/** Options for `store.list`. */
export interface ListOptions {
  /** At most this many orders. If fewer come, there are no more. */
  limit: number;
  /** Only orders whose id comes after this one. Absent: from the first order. */
  after?: string | undefined;
}

/** An order that a store has listed. Its value may be damaged: nobody has parsed it. */
export interface ListedOrder {
  /** Your own id of the order. */
  orderId: string;
  /** As it was written. */
  value: string;
  /** Of this value. */
  version: number;
}
