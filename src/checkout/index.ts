/**
 * Your server's half: one order, one charge, one delivery. `createCheckout` does everything;
 * `CardPayments` is the client of the Card Payment Service that it uses.
 *
 * What you write on your server: docs/server.md. In production: docs/production.md. It runs in
 * Node, Bun, Deno and workers, and needs `fetch` and `crypto`.
 */

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
export { type CheckStoreOptions, checkStore } from './check-store.ts';
export type {
  CheckoutCalls,
  CheckoutOptions,
  IntentStatus,
  IssuedKey,
  Order,
  PaidOrder,
  PaidOutcome,
  PaymentsClient,
  SenderOptions,
  SweepOptions,
  SweptOrder,
} from './checkout.ts';
export { type Checkout, createCheckout } from './create-checkout.ts';
export type { LastTry, Outcome, Resolution } from './decide.ts';
export type { HandleOptions, Handler, NodeOptions, NodeResponse } from './handle.ts';
export { memoryStore } from './memory-store.ts';
export { type MysqlPool, mysqlStore } from './mysql-store.ts';
export type { ListedOrder, ListOptions, OrderStore } from './order-store.ts';
export { type PostgresPool, postgresStore } from './postgres-store.ts';
export type { NodeRequest, ServerRequest, WebRequest } from './request-parts.ts';
export { type SqliteDatabase, type SqliteStatement, sqliteStore } from './sqlite-store.ts';
