export {
  type CaptureMethod,
  type CardPaymentIntent,
  CardPayments,
  CardPaymentsError,
  type CardPaymentsOptions,
  type EncryptionErrorCode,
  type EncryptionKeyResource,
  type IdempotentOptions,
  type NewCardPaymentIntent,
  type Recovery,
  type RequestOptions,
} from './card-payments.ts';
export {
  type Checkout,
  type CheckoutOptions,
  createCheckout,
  type IssuedKey,
  type Order,
  type PaidOrder,
  type PaidOutcome,
  type PaymentsClient,
  type SenderOptions,
} from './checkout.ts';
export type { LastTry, Outcome, Resolution } from './decide.ts';
export { memoryStore } from './memory-store.ts';
export type { ListedOrder, ListOptions, OrderStore } from './order-store.ts';
export { type PostgresPool, postgresStore } from './postgres-store.ts';
