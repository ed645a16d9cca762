import {
  type CheckoutCalls,
  type CheckoutOptions,
  createCheckout as createCalls,
} from './checkout.ts';
import { type Handler, handlerOf } from './handle.ts';
import { countedCalls } from './under-way.ts';

/** Pays orders: by one route, or call by call. */
export interface Checkout extends CheckoutCalls, Handler {
  /**
   * Resolves when no call is under way, also of a shopper who has left the page: await it before
   * a process ends, or the orders of its last payments are left "not certain".
   */
  idle(): Promise<void>;
}

/** One payment, one charge: by the rules of `decide.ts`. */
export function createCheckout(options: CheckoutOptions): Checkout {
  const { log = (line: string) => console.error(line) } = options;
  const calls = countedCalls(createCalls(options));
  return { ...calls, ...handlerOf(calls, log) };
}
