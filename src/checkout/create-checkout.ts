import {
  type CheckoutCalls,
  type CheckoutOptions,
  createCheckout as createCalls,
} from './checkout.ts';
import { type Handler, handlerOf } from './handle.ts';
import { safeLog } from './log.ts';
import { underWay } from './under-way.ts';

/**
 * Pays orders: by one route, or call by call.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createCheckout } from 'cardseal/checkout';
 *
 * const checkout = createCheckout({
 *   payments: {
 *     baseUrl: process.env.CARD_PAYMENTS_URL!,
 *     secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
 *   },
 * });
 * const order = { id: 'order-1', amount: 1000, currency: 'USD' }; // in a shop: of the session
 * const server = createServer(checkout.node(() => order)).listen(0, '127.0.0.1');
 *
 * // Before the process ends:
 * server.close();
 * await checkout.idle();
 * console.log((await checkout.outcome(order.id)).status); // open
 * ```
 */
export interface Checkout extends CheckoutCalls, Handler {
  /**
   * Resolves when no call is under way, of `handle` and of what `node` returns as well, also for a
   * shopper who has left the page: await it before a process ends, or the orders of its last
   * payments are left "not certain".
   */
  idle(): Promise<void>;
}

/**
 * Makes the calls that pay orders. It makes no request and reads no store yet. If something
 * in `payments` is wrong, the log says so, and each call for a key is answered with `no_key`.
 *
 * The rules of an order: docs/concepts.md#states-of-an-order
 *
 * @param options - Only `payments` is required.
 * @returns The checkout. One for the whole process is enough.
 * @throws TypeError if there is no `payments`.
 *
 * @example
 * ```ts
 * import { createCheckout } from 'cardseal/checkout';
 *
 * const checkout = createCheckout({
 *   payments: {
 *     baseUrl: process.env.CARD_PAYMENTS_URL!,
 *     secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
 *   },
 *   async onPaid({ id }, { reference }) {
 *     console.log(`deliver order ${id}, once for ${reference}`);
 *   },
 * });
 *
 * const order = { id: 'order-1', amount: 1000, currency: 'USD' }; // in a shop: of the session
 * const response = await checkout.handle(new Request('https://shop.example/checkout'), order);
 * console.log(await response.text()); // {"status":"open"}
 * ```
 */
export function createCheckout(options: CheckoutOptions): Checkout {
  const log = safeLog(options.log ?? ((line) => console.error(line)));
  const calls = createCalls({ ...options, log });
  const { handle, node } = handlerOf(calls, log);
  const { counted, idle } = underWay();
  return {
    issueKey: counted(calls.issueKey),
    pay: counted(calls.pay),
    outcome: counted(calls.outcome),
    withdraw: counted(calls.withdraw),
    resolve: counted(calls.resolve),
    sweep: counted(calls.sweep),
    handle: counted(handle),
    node: (orderOf, nodeOptions) => counted(node(orderOf, nodeOptions)),
    idle,
  };
}
