import {
  type CheckoutOptions,
  createCheckout as createPayments,
  type Checkout as Payments,
} from './checkout.ts';
import { type Handler, handlerOf } from './handle.ts';

/** Pays orders: by one route, or call by call. */
export interface Checkout extends Payments, Handler {}

/** One payment, one charge: by the rules of `decide.ts`. */
export function createCheckout(options: CheckoutOptions): Checkout {
  const { log = (line: string) => console.error(line) } = options;
  const payments = createPayments(options);
  return { ...payments, ...handlerOf(payments, log) };
}
