import {
  type CheckoutCalls,
  type CheckoutOptions,
  createCheckout as createCalls,
} from './checkout.ts';
import { type Handler, handlerOf } from './handle.ts';

/** Pays orders: by one route, or call by call. */
export interface Checkout extends CheckoutCalls, Handler {}

/** One payment, one charge: by the rules of `decide.ts`. */
export function createCheckout(options: CheckoutOptions): Checkout {
  const { log = (line: string) => console.error(line) } = options;
  const calls = createCalls(options);
  return { ...calls, ...handlerOf(calls, log) };
}
