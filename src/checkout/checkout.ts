import type { EncryptedCard } from '../core/encrypt-card.ts';
import type { CardEncryptionKey } from '../core/key.ts';
import { browserKey } from '../server/index.ts';
import {
  CardPayments,
  type CardPaymentsError,
  type CardPaymentsOptions,
  type EncryptionErrorCode,
} from './card-payments.ts';
import {
  isUnderWay,
  type LastTry,
  type NewAttempt,
  type Outcome,
  onAnswer,
  onBlock,
  onKeyArrived,
  onKeyRequested,
  onRefusal,
  onResolve,
  outcomeOf,
  type Resolution,
  type ServiceAnswer,
  type StoredOrder,
} from './decide.ts';
import { keyLimits } from './key-limits.ts';
import { memoryStore } from './memory-store.ts';
import type { OrderStore } from './order-store.ts';
import { readPostedBlock } from './posted-block.ts';

export interface CheckoutOptions {
  /** How to reach the Card Payment Service. The client is made at the first use. */
  payments: CardPaymentsOptions | PaymentsClient;
  /** Where the orders are kept. Default: {@link memoryStore}. */
  store?: OrderStore | undefined;
  /**
   * Delivers a paid order: sends the mail, tells the warehouse. It is called once if nothing
   * crashes; and again, from any process that sees the order, until it has resolved once. So let
   * `outcome.reference` be the idempotency key of whatever it does. A call may take 20 s.
   */
  onPaid?: ((order: PaidOrder, outcome: PaidOutcome) => void | Promise<void>) | undefined;
  /**
   * Gets a line for each event that needs a look: fixed words, codes and ids, nothing of a card or
   * of a body. Default: `console.error`.
   */
  log?: ((line: string) => void) | undefined;
  /** How many keys all shoppers of this process may request in a second. Default: 10. */
  keysPerSecond?: number | undefined;
  /**
   * How long one request to the service may take, in milliseconds. Default: `timeoutMs` of
   * `payments`, or else 30,000.
   */
  timeoutMs?: number | undefined;
  /** How long one read or write of the store may take, in milliseconds. Default: 5,000. */
  storeTimeoutMs?: number | undefined;
}

/** An order that is paid, as it was stored. */
export interface PaidOrder {
  id: string;
  /** Minor units. */
  amount: number;
  currency: string;
}

export interface PaidOutcome {
  status: 'committed' | 'authorized';
  /** The id of the intent: one for each paid order, and the same whenever `onPaid` is repeated. */
  reference: string;
  /** 1 at the first call for this order. */
  tries: number;
}

/** Who asks. */
export interface SenderOptions {
  /**
   * The address of the client, as your own outermost proxy saw it. One sender cannot use up what
   * others need. Absent, private or loopback: there is no limit by sender.
   */
  sender?: string | undefined;
}

/** The part of {@link CardPayments} that the checkout uses. A wrapper of it works, too. */
export type PaymentsClient = Pick<
  CardPayments,
  'createEncryptionKey' | 'createIntent' | 'authorize'
> & { readonly timeoutMs?: number | undefined };

/** The order to pay. Take it from your own database, never from the browser. */
export interface Order {
  /** Your own id of the order, from the shopper's session: one id for one purchase. */
  id: string;
  /** Minor units: 1000 is 10.00 in a two-decimal currency. */
  amount: number;
  currency: string;
  /** Free text for the intent. */
  description?: string | undefined;
  /** Default: `automatic`. */
  capture_method?: 'automatic' | 'manual' | undefined;
}

/** The answer to a page that asks for a key: status and body, as JSON with `no-store`. */
export type IssuedKey =
  /**
   * The key; `order` is the id of the order that it is for. `last` is what became of the last try:
   * show its text beside the form. `reason` is the service's reason for a decline.
   */
  | {
      status: 200;
      body: CardEncryptionKey;
      order: string;
      last?: LastTry;
      reason?: string | null;
    }
  /** Nothing is left to pay, or it is not certain: show the outcome, and no form. */
  | { status: 409; body: Outcome }
  /** Too many requests. `retryAfter`: seconds, for the header `Retry-After`. */
  | { status: 429; body: { status: 'too_many' }; retryAfter: number }
  /** The service gave no key. */
  | { status: 502; body: { status: 'no_key' } };

/** The calls that one route consists of. */
export interface CheckoutCalls {
  /** A fresh key for the form of an order. @throws TypeError if `order` is not an order. */
  issueKey(order: Order, options?: SenderOptions): Promise<IssuedKey>;
  /**
   * Pays an order with the block that a browser has posted.
   *
   * @param contentType - The header of the request: JSON, or a form of either encoding.
   * @param body - The text of the body, which nothing has parsed yet.
   * @throws TypeError if `order` is not an order. Nothing that a browser can send makes it reject.
   */
  pay(
    order: Order,
    contentType: string | undefined,
    body: string,
    options?: SenderOptions,
  ): Promise<Outcome>;
  /** How the payment went: for a reload, a receipt, another tab. */
  outcome(orderId: string): Promise<Outcome>;
  /**
   * For your staff, after `not_certain`: what has become of the intent. `not_paid` only if you
   * have seen the intent as failed or cancelled. Rejects with the error of the store.
   */
  resolve(orderId: string, intentId: string, resolution: Resolution): Promise<Outcome>;
}

/** One payment, one charge: by the rules of `decide.ts`. */
export function createCheckout(options: CheckoutOptions): CheckoutCalls {
  const { payments, store, log = (line: string) => console.error(line) } = options;
  let client: PaymentsClient | undefined;
  return checkoutOf({
    timeoutMs: payments.timeoutMs ?? 30_000,
    client: () => {
      client ??= clientOf(payments, log);
      return client;
    },
    store: store ?? memoryStore(),
    log,
    now: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    randomId: () => crypto.randomUUID(),
  });
}

function clientOf(
  payments: CardPaymentsOptions | PaymentsClient,
  log: (line: string) => void,
): PaymentsClient {
  if ('authorize' in payments) return payments;
  try {
    return new CardPayments(payments);
  } catch (error) {
    log(`CardPayments: ${(error as TypeError).message}`); // names the option, not its value
    throw error;
  }
}

/** Everything outside: the tests replace it. */
export interface Surroundings {
  /** How long one request to the service may take, in milliseconds. */
  timeoutMs: number;
  client: () => PaymentsClient;
  store: OrderStore;
  log: (line: string) => void;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  randomId: () => string;
}

/** How long to wait before the order is read again while another attempt is on its way. */
const POLL_MS = 250;
/** A store that never lets anybody write is broken. */
const MOST_WRITES = 20;

export function checkoutOf(surroundings: Surroundings): CheckoutCalls {
  const { timeoutMs, client, store, log, now, sleep, randomId } = surroundings;
  const limits = keyLimits();
  /** After this time an attempt has its answer, unless its process has ended. */
  const limitMs = timeoutMs + 5000;

  return { issueKey, pay, outcome, resolve };

  async function issueKey(given: Order): Promise<IssuedKey> {
    const order = readOrder(given);
    try {
      const stored = await readSettled(order.id);
      const decision = onKeyRequested(stored, order);
      if ('outcome' in decision) {
        // Something was sent for another amount: nobody can pay until staff have settled it.
        if (stored?.state === 'open') logUncertain(order.id, stored.intentId!);
        return { status: 409, body: decision.outcome };
      }
      const retryAfter = limits.take(order.id, now());
      if (retryAfter > 0) return { status: 429, body: { status: 'too_many' }, retryAfter };
      return await keyFor(order, decision.order.intentId === null);
    } catch (error) {
      logFailure(`No key for order ${order.id}`, error);
      return { status: 502, body: { status: 'no_key' } };
    }
  }

  async function keyFor(order: Order, needsIntent: boolean): Promise<IssuedKey> {
    const [key, draft] = await Promise.allSettled([
      freshKey(),
      needsIntent ? createDraft(order) : undefined,
    ]);
    if (key.status === 'rejected' || draft.status === 'rejected') {
      for (const part of [key, draft])
        if (part.status === 'rejected') logFailure(`No key for order ${order.id}`, part.reason);
      const current = outcomeOf(await read(order.id));
      if (current.status !== 'open') return { status: 409, body: current };
      return { status: 502, body: { status: 'no_key' } };
    }
    const { body, expiresAt } = key.value;
    const decision = await change(order.id, (stored) =>
      onKeyArrived(stored, order, { id: body.id, expiresAt }, draft.value),
    );
    if ('outcome' in decision) return { status: 409, body: decision.outcome };
    return {
      status: 200,
      body,
      order: order.id,
      ...(decision.order.sent && { last: 'retry_is_safe' }),
    };
  }

  async function freshKey(): Promise<{ body: CardEncryptionKey; expiresAt: number }> {
    const key = await client().createEncryptionKey();
    return { body: browserKey(key), expiresAt: key.expires_at };
  }

  async function pay(
    given: Order,
    contentType: string | undefined,
    body: string,
  ): Promise<Outcome> {
    const order = readOrder(given);
    const block = await readPostedBlock(contentType, body);
    if (!block) {
      log('Refused: invalid_encrypted_card');
      return { status: 'invalid_encrypted_card' };
    }
    return payWith(order, block).catch((error): Outcome => {
      logFailure(`Payment not certain, the store failed: order ${order.id}`, error);
      return { status: 'not_certain' };
    });
  }

  async function payWith(order: Order, block: EncryptedCard): Promise<Outcome> {
    const attempt: NewAttempt = {
      token: randomId(),
      keyId: block.key_id,
      price: order,
      now: now(),
    };
    try {
      client(); // before the order is stored as paying: a wrong option is no lost answer
    } catch (error) {
      logFailure(`No payment of order ${order.id}`, error);
      return refuse(order.id, block.key_id);
    }
    for (;;) {
      attempt.now = now();
      const decision = await change(order.id, (stored) => onBlock(stored, attempt));
      switch (decision.next) {
        case 'answer':
          logRefusal(order.id, decision.outcome);
          return decision.outcome;
        case 'authorize': {
          const answer = await authorize(decision.intentId, block);
          const outcome = await settle(order.id, attempt, answer);
          if (outcome.status === 'not_certain') logUncertain(order.id, decision.intentId);
          return outcome;
        }
        case 'wait': {
          const stored = await readSettled(order.id);
          if (stored?.state === 'paying') return outcomeOf(stored);
          break;
        }
        case 'create_intent':
          attempt.draftId = await createDraft(order).catch((error) => {
            logFailure(`No intent for order ${order.id}`, error);
            return undefined;
          });
          if (!attempt.draftId) return refuse(order.id, block.key_id);
      }
    }
  }

  /** Does not send a block. */
  async function refuse(orderId: string, keyId: string): Promise<Outcome> {
    await readSettled(orderId); // the same block may have come twice
    return (await change(orderId, (stored) => onRefusal(stored, keyId))).outcome;
  }

  async function settle(
    orderId: string,
    attempt: NewAttempt,
    answer: ServiceAnswer,
  ): Promise<Outcome> {
    const { outcome } = await change(orderId, (stored) => onAnswer(stored, attempt, answer));
    return outcome;
  }

  async function createDraft(order: Order): Promise<string> {
    const { amount, currency, description, capture_method } = order;
    const draft = await client().createIntent(
      { amount, currency, description, capture_method },
      { idempotencyKey: randomId() },
    );
    const isAsked = draft.amount === amount && draft.currency === currency;
    if (!isAsked) throw new Error('The service made an intent for another price');
    return draft.id;
  }

  async function authorize(intentId: string, block: EncryptedCard): Promise<ServiceAnswer> {
    try {
      const idempotencyKey = encodeURIComponent(`${intentId}.${block.key_id}`);
      const intent = await client().authorize(intentId, block, { idempotencyKey });
      const { id, status, failure_reason: reason, amount, currency } = intent;
      return { kind: 'intent', id, status, reason, price: { amount, currency } };
    } catch (error) {
      logFailure(`Authorization failed: ${intentId}`, error);
      // Not `instanceof`: a bundler may have made two copies of the client.
      const { code } = error as Partial<CardPaymentsError>;
      return { kind: KEY_ERRORS.includes(code) ? 'key_error' : 'unclear' };
    }
  }

  async function outcome(orderId: string): Promise<Outcome> {
    try {
      return outcomeOf(await readSettled(orderId));
    } catch (error) {
      logFailure(`The store failed: order ${orderId}`, error);
      return { status: 'not_certain' };
    }
  }

  async function resolve(
    orderId: string,
    intentId: string,
    resolution: Resolution,
  ): Promise<Outcome> {
    if (!['committed', 'authorized', 'not_paid'].includes(resolution))
      throw new TypeError('resolution must be committed, authorized or not_paid');
    const decision = await change(orderId, (stored) =>
      onResolve(stored, intentId, resolution, now(), limitMs),
    );
    return decision.outcome;
  }

  async function read(orderId: string): Promise<StoredOrder | undefined> {
    return parse(await store.read(orderId));
  }

  /** Waits while an attempt is on its way: its shopper may have reloaded, or has two tabs. */
  async function readSettled(orderId: string): Promise<StoredOrder | undefined> {
    const begin = now();
    for (;;) {
      const stored = await read(orderId);
      const isOver = now() > begin + limitMs; // by this clock, whatever another process's says
      if (isOver || !isUnderWay(stored, now(), limitMs)) {
        // The process of the attempt may have ended: then it has logged nothing.
        if (stored?.state === 'paying') logUncertain(orderId, stored.intentId!);
        return stored;
      }
      await sleep(POLL_MS);
    }
  }

  /**
   * Reads, decides and writes, until nobody else has written in between. If the answer of a write
   * is lost, the order is read and decided again: the decision sees what became of the write.
   *
   * @throws the error of the store, if the order cannot be read.
   */
  async function change<D extends { store?: StoredOrder | undefined }>(
    orderId: string,
    decide: (stored: StoredOrder | undefined) => D,
  ): Promise<D> {
    for (let write = 0; write < MOST_WRITES; write++) {
      const entry = await store.read(orderId);
      const decision = decide(parse(entry));
      if (!decision.store) return decision;
      const value = JSON.stringify(decision.store);
      if (await isWritten(orderId, value, entry?.version ?? 0)) return decision;
    }
    throw new Error('The order could not be written');
  }

  /** `false` also if the answer of the store was lost: then the value may have been written. */
  async function isWritten(orderId: string, value: string, version: number): Promise<boolean> {
    try {
      return await store.write(orderId, value, version);
    } catch (error) {
      logFailure(`A write failed: order ${orderId}`, error);
      return false;
    }
  }

  /** For the staff, who look the intent up. */
  function logUncertain(orderId: string, intentId: string): void {
    log(`Payment not certain: order ${orderId}, intent ${intentId}`);
  }

  function logRefusal(orderId: string, { status }: Outcome): void {
    if (status === 'not_paid' || status === 'not_certain')
      log(`Block not sent: order ${orderId}, ${status}`);
  }

  /** Logs the codes of an error, and nothing that could hold a card. */
  function logFailure(what: string, error: unknown): void {
    const { name, recovery, status, code } = error as Partial<CardPaymentsError>;
    log([what, name, recovery, status, code].filter((part) => part !== undefined).join(', '));
  }
}

const KEY_ERRORS: (EncryptionErrorCode | undefined)[] = [
  'encryption_key_expired',
  'unknown_encryption_key',
  'invalid_encryption_block',
];

const STATES = ['open', 'paying', 'uncertain', 'paid'];

/** @throws Error if the value is not of an order: it must never count as a new order. */
function parse(entry: { value: string } | undefined): StoredOrder | undefined {
  if (!entry) return undefined;
  const stored = JSON.parse(entry.value);
  if (!STATES.includes(stored?.state)) throw new Error('The store gave something else');
  return stored;
}

/** A copy: the shop may change its own object while a request is on its way. */
function readOrder({ id, amount, currency, description, capture_method }: Order): Order {
  if (typeof id !== 'string' || id === '') throw new TypeError('order.id must be text');
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new TypeError('order.amount must be a whole number of minor units');
  if (typeof currency !== 'string' || currency === '')
    throw new TypeError('order.currency must be text');
  return { id, amount, currency, description, capture_method };
}
