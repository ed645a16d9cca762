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
