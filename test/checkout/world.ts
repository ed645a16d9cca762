/**
 * What the exploration knows of the world around a shop: service, network, store, staff and clock.
 * A world is plain data, so that it can be copied, compared and kept. The shop's half is the shipped
 * code: `step` runs it again from its beginning with the answers that it has got so far.
 */
import {
  type CardPaymentIntent,
  CardPaymentsError,
  type EncryptionKeyResource,
} from '../../src/checkout/card-payments.ts';
import type { CheckoutCalls as Checkout, Surroundings } from '../../src/checkout/checkout.ts';
import type { Price, Resolution } from '../../src/checkout/decide.ts';

/** The shipped code, or a copy of it with one fault. */
export type CheckoutOf = (surroundings: Surroundings) => Checkout;

export type Call =
  | { call: 'issueKey'; order: Price }
  | { call: 'pay'; order: Price; keyId: string }
  | { call: 'outcome' }
  | { call: 'withdraw'; order: Price }
  /** `whole`: with the whole order, as for a stored value that is damaged. */
  | { call: 'resolve'; intentId: string; truth: Resolution; whole?: Price }
  | { call: 'sweep' };

/** What the code asks of its surroundings. Several can be pending at a time. */
export type Operation =
  | { kind: 'read' }
  | { kind: 'write'; value: string; version: number; due: boolean }
  | { kind: 'sleep' }
  | { kind: 'key' }
  | { kind: 'intent'; price: Price }
  | { kind: 'authorize'; intentId: string; keyId: string }
  | { kind: 'list' }
  | { kind: 'lookUp'; intentId: string }
  | { kind: 'deliver'; reference: string; tries: number };

/** How an operation ended: the value, or the error that is thrown. */
export type Result = { value: unknown } | { error: 'store' | 'unclear' | 'key_error' };

/** The answer of one operation of a process, and the time at which it came. */
export interface Answered {
  operation: number;
  result: Result;
  now: number;
}

export interface Step {
  operations: Operation[];
  /** What the call has returned, or the message of the error that it was rejected with. */
  returned?: unknown;
  rejected?: string;
}

export const ORDER_ID = 'order-1';
export const TIMEOUT_MS = 30_000;
export const LIMIT_MS = TIMEOUT_MS + 5000;

/** Surroundings without limits, whose log nobody reads. */
export const QUIET = {
  timeoutMs: TIMEOUT_MS,
  storeTimeoutMs: 5000,
  keysPerSecond: 1000,
  onPaid: undefined as Surroundings['onPaid'],
  log: () => {},
  within: <T>(_: number, promise: Promise<T>) => promise,
};

/** A key of 2048 bits makes a ciphertext of 256 bytes. No test decrypts it. */
const PAYLOAD = Buffer.alloc(256, 7).toString('base64');
const LAYOUT = [
  { field: 'Pan', len: 16 },
  { field: 'Name', len: 12 },
  { field: 'ExpMonth', len: 2 },
  { field: 'ExpYear', len: 4 },
  { field: 'Cvc', len: 3 },
];
export const BLOCK = { payload: PAYLOAD, layout: LAYOUT };

export const postedBlock = (keyId: string) =>
  JSON.stringify({ payload: PAYLOAD, key_id: keyId, layout: LAYOUT });

/**
 * Runs a call with the answers so far, and returns what it asks for then. The call has no other way
 * to the world, so the same answers always lead to the same step.
 */
export async function step(
  checkoutOf: CheckoutOf,
  process: string,
  call: Call,
  startedAt: number,
  answers: Answered[],
  delivers = false,
): Promise<Step> {
  const operations: Operation[] = [];
  const pending: { resolve(value: unknown): void; reject(error: unknown): void }[] = [];
  let now = startedAt;
  let ids = 0;
  const ask = (operation: Operation): Promise<never> => {
    operations.push(operation);
    return new Promise((resolve, reject) => pending.push({ resolve, reject } as never));
  };
  const checkout = checkoutOf({
    ...QUIET,
    client: () => ({
      createEncryptionKey: () => ask({ kind: 'key' }),
      createIntent: ({ amount, currency }) => ask({ kind: 'intent', price: { amount, currency } }),
      authorize: (intentId, { key_id }) => ask({ kind: 'authorize', intentId, keyId: key_id }),
    }),
    store: {
      read: () => ask({ kind: 'read' }),
      write: (_, value, version, due) => ask({ kind: 'write', value, version, due: due! }),
      list: () => ask({ kind: 'list' }),
    },
    ...(delivers && {
      onPaid: (_, { reference, tries }) => ask({ kind: 'deliver', reference, tries }),
    }),
    now: () => now,
    sleep: () => ask({ kind: 'sleep' }),
    randomId: () => `${process}.${++ids}`,
  });
  const outcome: Pick<Step, 'returned' | 'rejected'> = {};
  start(checkout, call, (intentId) => ask({ kind: 'lookUp', intentId })).then(
    (returned) => Object.assign(outcome, { returned }),
    (error: Error) => Object.assign(outcome, { rejected: `${error.name}: ${error.message}` }),
  );
  await settle();
  for (const answer of answers) {
    now = answer.now;
    const { resolve, reject } = pending[answer.operation]!;
    if ('error' in answer.result) reject(errorOf(answer.result.error));
    else resolve(answer.result.value);
    await settle();
  }
  return { operations, ...outcome };
}

function start(
  checkout: Checkout,
  call: Call,
  lookUp: (intentId: string) => Promise<string>,
): Promise<unknown> {
  switch (call.call) {
    case 'issueKey':
      return checkout.issueKey({ id: ORDER_ID, ...call.order });
    case 'pay':
      return checkout.pay(
        { id: ORDER_ID, ...call.order },
        'application/json',
        postedBlock(call.keyId),
      );
    case 'outcome':
      return checkout.outcome(ORDER_ID);
    case 'withdraw':
      return checkout.withdraw({ id: ORDER_ID, ...call.order });
    case 'resolve':
      return checkout.resolve(
        call.whole ? { id: ORDER_ID, ...call.whole } : ORDER_ID,
        call.intentId,
        call.truth,
      );
    case 'sweep':
      return checkout.sweep({ lookUp });
  }
}

/** More microtasks than any path of the code takes from one operation to the next. */
async function settle() {
  for (let tick = 0; tick < 60; tick++) await undefined;
}

function errorOf(error: 'store' | 'unclear' | 'key_error'): Error {
  if (error === 'store') return new Error('The store failed');
  const isKeyError = error === 'key_error';
  return new CardPaymentsError('The service refused the request', {
    recovery: isKeyError ? 'restart_checkout' : 'resolve_intent',
    status: isKeyError ? 422 : undefined,
    code: isKeyError ? 'encryption_key_expired' : undefined,
    intentId: undefined,
  });
}

export function keyResource(id: string, expires_at: number): EncryptionKeyResource {
  return { id, scheme: 'RSA_OAEP_SHA256_V1', public_key: 'AAAA', expires_at };
}

export function intentResource(
  id: string,
  { amount, currency }: Price,
  status: string,
): CardPaymentIntent {
  return {
    id,
    amount,
    amount_captured: status === 'committed' ? amount : 0,
    amount_refunded: 0,
    currency,
    status,
    status_at: status === 'created' ? null : 1,
    processor_ref: status === 'created' ? null : 'ref_1',
    failure_reason: status === 'failed' ? 'card_declined' : null,
    cancellation_reason: null,
    capture_method: 'automatic',
    payment_method: status === 'committed' ? { brand: 'visa', last4: '4242' } : null,
    description: null,
    statement_descriptor: null,
    metadata: {},
    created: 1,
    updated: 1,
    livemode: false,
  };
}
