/**
 * Where orders are kept. It must never lose an acknowledged write: a cache that evicts is no store.
 * Every process of the shop must see the same store.
 */
export interface OrderStore {
  /** The newest value of an order, or `undefined` if the order was never written. */
  read(orderId: string): Promise<{ value: string; version: number } | undefined>;
  /**
   * Replaces the value, in one step, only if its version is still `version`; 0 stands for an order
   * that was never written. The new version is higher, also over restarts.
   *
   * @param value - JSON text of a few KiB. Nothing of a card is in it.
   * @returns `false` if somebody else has written: nothing was changed.
   */
  write(orderId: string, value: string, version: number): Promise<boolean>;
}
