import {
  type CheckoutCalls,
  type CheckoutOptions,
  createCheckout as createCalls,
} from './checkout.ts';
import { type Handler, handlerOf } from './handle.ts';
import { safeLog } from './log.ts';
import { countedCalls } from './under-way.ts';

/** Pays orders: by one route, or call by call. */
export interface Checkout extends CheckoutCalls, Handler {
  /**
   * Resolves when no call is under way, also of a shopper who has left the page: await it before
   * a process ends, or the orders of its last payments are left "not certain".
   */
  idle(): Promise<void>;
}

/** One payment, one charge, one delivery: by the rules of `decide.ts`. It never throws. */
export function createCheckout(options: CheckoutOptions): Checkout {
  const log = safeLog(options.log ?? ((line) => console.error(line)));
  const calls = countedCalls(createCalls({ ...options, log }));
  return { ...calls, ...handlerOf(calls, log) };
}
