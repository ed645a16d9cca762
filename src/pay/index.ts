/**
 * Makes a form the page's half of `checkout.handle`: one line in the page, for one route on the
 * server.
 *
 * What both halves do: docs/pay.md. Importing it does nothing.
 */

export { bindCheckout } from './bind-checkout.ts';
export type { CheckoutBinding, CheckoutFormOptions, CheckoutMessages } from './options.ts';
export {
  type CheckoutResponse,
  type OutcomeMessages,
  type OutcomeStatus,
  type OutcomeText,
  type ShownOutcome,
  shownOf,
} from './texts.ts';
