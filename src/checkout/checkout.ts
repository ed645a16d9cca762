import type { CardEncryptionKey, EncryptedCard } from '../core/types.ts';
import { browserKey } from '../server/index.ts';
import {
  type CardPaymentIntent,
  CardPayments,
  type CardPaymentsOptions,
  type EncryptionErrorCode,
} from './card-payments.ts';
import {
  type Decider,
  type Decision,
  hasTooManyDeclines,
  isDue,
  type LastTry,
  type NewAttempt,
  type Outcome,
  onAnswer,
  onBlock,
  onDeliver,
  onDelivered,
  onKeyArrived,
  onKeyRequested,
  onLookUp,
  onNoBlock,
  onRefusal,
  onResolve,
  onResolveUnreadable,
  onWithdraw,
  outcomeOf,
  questionOf,
  type Resolution,
  type ServiceAnswer,
  type StoredOrder,
} from './decide.ts';
import { declineLimits, keyLimits, type TryEnd } from './limits.ts';
import {
  describe,
  InvalidOrderError,
  type Log,
  Problem,
  quoted,
  StoreContractError,
} from './log.ts';
import { memoryStore } from './memory-store.ts';
import type { ListedOrder, OrderStore } from './order-store.ts';
import { ordersIn } from './orders.ts';
import { readPostedBlock } from './posted-block.ts';
import { senderOf } from './sender.ts';
import { shortened } from './shortened.ts';
import { readStored } from './stored-value.ts';
import { within } from './within.ts';

/** Options for `createCheckout`. */
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
  /**
   * How many keys a second all shoppers of this process may request when they have used up what
   * they may request at once. With a sender, newcomers may request as many again:
   * docs/production.md#bots. Default: 10.
   */
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
  /** Your own id of the order. */
  id: string;
  /** What was paid, in minor units. */
  amount: number;
  /** A code such as `USD`. */
  currency: string;
}

/** How an order was paid. */
export interface PaidOutcome {
  /** Charged; or only reserved, because its `capture_method` is `manual`. */
  status: 'committed' | 'authorized';
  /** The id of the intent: one for each paid order, and the same whenever `onPaid` is repeated. */
  reference: string;
  /** How often the delivery was claimed: after a crash, the first call may have more than 1. */
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
  /** A code such as `USD`. */
  currency: string;
  /** Free text for the intent. */
  description?: string | undefined;
  /** Whether the card is charged at once, or the amount only reserved. Default: `automatic`. */
  capture_method?: 'automatic' | 'manual' | undefined;
}

/** The answer to a page that asks for a key: status and body, as JSON with `no-store`. */
export type IssuedKey =
  /**
   * The key; `order` is the id of the order that it is for. `last` is what became of the last try:
   * show its text beside the form. `reason` is the service's reason for a decline, `key_id` the key
   * of the block of that try, if it is known.
   */
  | {
      status: 200;
      body: CardEncryptionKey;
      order: string;
      last?: LastTry;
      reason?: string | null;
      key_id?: string;
    }
  /**
   * No key: the order is paid, not certain, withdrawn (`no_order`), or ten of its cards were
   * declined (`failed`). Show the outcome, and no form.
   */
  | { status: 409; body: Outcome }
  /** Too many requests. `retryAfter`: seconds, for the header `Retry-After`. */
  | { status: 429; body: { status: 'too_many' }; retryAfter: number }
  /** No key: the service or the store has failed. The log says which. */
  | { status: 502; body: { status: 'no_key' } };

/**
 * The calls that one route consists of, for a server that answers in its own way.
 *
 * @example
 * ```ts
 * import { encryptCard } from 'cardseal';
 * import { createCheckout } from 'cardseal/checkout';
 *
 * const checkout = createCheckout({
 *   payments: {
 *     baseUrl: process.env.CARD_PAYMENTS_URL!,
 *     secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
 *   },
 * });
 * const order = { id: 'order-1', amount: 1000, currency: 'USD' }; // in a shop: of the session
 *
 * const issued = await checkout.issueKey(order);
 * if (issued.status !== 200) throw new Error('Show the outcome, or an error');
 * // In a shop, the page does this:
 * const card = {
 *   number: '4242424242424242',
 *   name: 'Ada Lovelace',
 *   exp_month: '12',
 *   exp_year: '2049',
 *   cvv: '123',
 * };
 * const posted = JSON.stringify(await encryptCard(issued.body, card));
 *
 * const paid = await checkout.pay(order, 'text/plain', posted);
 * console.log(paid.status); // committed
 * console.log((await checkout.outcome(order.id)).status); // committed
 *
 * // The cart of another order has changed. Give that up before a new order takes its place:
 * const before = { id: 'order-2', amount: 500, currency: 'USD' };
 * console.log((await checkout.withdraw(before)).status); // no_order
 *
 * // Every few minutes:
 * const swept = await checkout.sweep();
 * console.log(swept.length); // 0
 * // What staff have found out, for an order that is "not_certain":
 * const reference = 'reference' in paid ? paid.reference : '';
 * console.log((await checkout.resolve(order.id, reference, 'committed')).status); // committed
 * ```
 */
export interface CheckoutCalls {
  /**
   * A fresh key for the form of an order.
   *
   * @param order - From your own database.
   * @param options - Who asks.
   * @returns What to answer. An error of the service or the store is in the log: 502.
   * @throws TypeError if `order` is not an order, or if the store breaks its contract.
   */
  issueKey(order: Order, options?: SenderOptions): Promise<IssuedKey>;
  /**
   * Pays an order with the block that a browser has posted. It waits for `onPaid`, at most 20 s,
   * and returns the outcome whatever becomes of that.
   *
   * @param order - From your own database.
   * @param contentType - The header of the request: `text/plain` or JSON for the block as text, or
   * a form of either encoding.
   * @param body - The text of the body, which nothing has parsed yet.
   * @param options - Who asks.
   * @returns The outcome. A failure is one, too: `not_certain` if the store has failed or the block
   * may have been sent, else `not_paid` or `retry_is_safe`.
   * @throws TypeError if `order` is not an order. Nothing that a browser can send makes it reject.
   */
  pay(
    order: Order,
    contentType: string | undefined,
    body: string,
    options?: SenderOptions,
  ): Promise<Outcome>;
  /** How the payment went: for a reload, a receipt, another tab. It delivers what is due. */
  outcome(orderId: string): Promise<Outcome>;
  /**
   * Gives an order up for good, so that another order can take its place, or its money can come in
   * another way. Afterwards it gets no key, and no block of it is sent. It waits while a payment of
   * the order is under way.
   *
   * @param order - From your own database.
   * @returns `no_order` if the order is withdrawn. Every other outcome says that it is not: it is
   * paid, or may have been, or the store has failed.
   * @throws TypeError if `order` is not an order.
   */
  withdraw(order: Order): Promise<Outcome>;
  /**
   * For your staff, after `not_certain`: what has become of the intent. `not_paid` only if you
   * have seen the intent as failed or cancelled. Rejects with the error of the store. It changes
   * nothing if the order has another intent, is settled, or is being paid.
   *
   * @param order - Its id; the whole order if its stored value is damaged.
   * @param intentId - As the log and `sweep` name it: `pi_card_…`.
   * @param resolution - What has become of it.
   * @returns How the order stands now.
   * @throws TypeError if `order` or `resolution` is wrong.
   * @throws Error if the stored value is another order's, or is damaged and only the id was given.
   */
  resolve(order: string | Order, intentId: string, resolution: Resolution): Promise<Outcome>;
  /**
   * Settles and delivers what it can, and reports every order that needed a look: run it every few
   * minutes. It delivers what is paid before it looks anything up. It needs a store with `list`,
   * and rejects with the error of that.
   */
  sweep(options?: SweepOptions): Promise<SweptOrder[]>;
}

/** Options for `checkout.sweep`. */
export interface SweepOptions {
  /**
   * Asks the service, or its records, for the `status` of an intent. Without it, sweep delivers
   * paid orders and reports the others. It may cancel an intent that is `created`, and then say
   * `cancelled`, if the service lets a cancellation wait for an authorization that is under way.
   * If it rejects, takes longer than `timeoutMs`, or says a word that is not listed here, nothing
   * is concluded. After three in a row that reject or take too long, this sweep asks no more: the
   * other orders are left as `look_up`.
   */
  lookUp?: ((intentId: string, orderId: string) => Promise<IntentStatus | string>) | undefined;
}

/** What a look-up can say of an intent. `failed` and `cancelled` must be final. */
export type IntentStatus = 'created' | 'committed' | 'authorized' | 'failed' | 'cancelled';

/** An order that needed a look. */
export interface SweptOrder {
  /** Your own id of the order. */
  order: string;
  /** The intent that is, or may have been, charged; null if there is none, or it cannot be read. */
  intent: string | null;
  /** How the order stands now; `unreadable` if its stored value is damaged, or another order's. */
  status: Outcome['status'] | 'unreadable';
  /**
   * What is left to do:
   *
   * - `nothing`: it is settled, and delivered.
   * - `wait`: a payment or a delivery is under way, or a delivery has failed and is repeated later.
   *   Or the store has failed: then `status` is `not_certain`, whatever the order is.
   * - `cancel`: the intent is still `created`. The shopper can try again. To close the order,
   *   cancel the intent: the next sweep finds that.
   * - `look_up`: look the intent up in the service's records, and call `resolve`.
   * - `repair`: the log says what is wrong with the stored value.
   */
  left: 'nothing' | 'wait' | 'cancel' | 'look_up' | 'repair';
}

/** One payment, one charge, one delivery: by the rules of `decide.ts`. */
export function createCheckout(options: CheckoutOptions & { log: Log }): CheckoutCalls {
  const { log, payments, store, onPaid, keysPerSecond, storeTimeoutMs } = options;
  const clientTimeoutMs = payments.timeoutMs ?? 30_000; // a TypeError if there is no `payments`
  const timeoutMs = options.timeoutMs ?? clientTimeoutMs;
  let client: PaymentsClient | undefined;
  return checkoutOf({
    timeoutMs,
    storeTimeoutMs: storeTimeoutMs ?? 5000,
    keysPerSecond: keysPerSecond ?? 10,
    client: () => {
      client ??= clientOf(payments, timeoutMs, log);
      return client;
    },
    store: store ?? memoryStore(),
    onPaid,
    log,
    now: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    within,
    randomId: () => crypto.randomUUID(),
  });
}

function clientOf(
  payments: CardPaymentsOptions | PaymentsClient,
  timeoutMs: number,
  log: Log,
): PaymentsClient {
  if ('authorize' in payments) return payments;
  try {
    return new CardPayments({ ...payments, timeoutMs });
  } catch (error) {
    log(`CardPayments: ${(error as TypeError).message}`); // names the option, not its value
    throw error;
  }
}

/** Everything outside: the tests replace it. */
export interface Surroundings {
  /** How long one request to the service may take, in milliseconds. */
  timeoutMs: number;
  /** How long one read or write of the store may take, in milliseconds. */
  storeTimeoutMs: number;
  /** The limit of all senders together. */
  keysPerSecond: number;
  client: () => PaymentsClient;
  store: OrderStore;
  onPaid: CheckoutOptions['onPaid'];
  log: Log;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** @throws if the promise takes longer. */
  within: <T>(ms: number, promise: Promise<T>) => Promise<T>;
  randomId: () => string;
}

/** A draft takes a service that is there less than a second. Nothing was sent before it. */
const DRAFT_LIMIT_MS = 10_000;
/** A client has its own time limit: so much longer it is waited for. */
const CLIENT_MS = 1000;
/** How long `onPaid` is waited for: less than its claim lasts. */
const DELIVERY_LIMIT_MS = 20_000;
/** How many orders `sweep` reads at once. */
const SWEPT_AT_ONCE = 100;
/** After so many look-ups in a row without an answer, a sweep asks for no more. */
const MOST_UNANSWERED = 3;

/** The look-ups of one sweep. */
interface Asking {
  lookUp: SweepOptions['lookUp'];
  /** How many of the last ones in a row got no answer. */
  unanswered: number;
}

export function checkoutOf(surroundings: Surroundings): CheckoutCalls {
  const { timeoutMs, storeTimeoutMs, client, store, onPaid, log, now, within, randomId } =
    surroundings;
  /** After this time an attempt has its answer, unless its process ended or the store was slow. */
  const limitMs = timeoutMs + 5000;
  const orders = ordersIn({ ...surroundings, limitMs });
  const keys = keyLimits(surroundings.keysPerSecond);
  const declines = declineLimits();
  let hasToldOfSender = false;

  return { issueKey, pay, outcome, withdraw, resolve, sweep };

  async function issueKey(given: Order, options: SenderOptions = {}): Promise<IssuedKey> {
    const order = readOrder(given);
    const retryAfter = keys.take(order.id, readSender(options), now());
    if (retryAfter > 0) return { status: 429, body: { status: 'too_many' }, retryAfter };
    try {
      return (await outcomeInsteadOfKey(order)) ?? (await keyFor(order));
    } catch (error) {
      log(`No key for order ${quoted(order.id)}: ${describe(error)}`);
      if (error instanceof StoreContractError) throw error;
      return { status: 502, body: { status: 'no_key' } };
    }
  }

  async function keyFor(order: Order): Promise<IssuedKey> {
    let key: { body: CardEncryptionKey; expiresAt: number };
    try {
      key = await freshKey();
    } catch (error) {
      log(`No key for order ${quoted(order.id)}: ${describe(error)}`);
      return (await outcomeInsteadOfKey(order)) ?? { status: 502, body: { status: 'no_key' } };
    }
    const { body, expiresAt } = key;
    for (;;) {
      const decision = await orders.change(order.id, (stored) =>
        onKeyArrived(stored, order.id, order, { id: body.id, expiresAt }),
      );
      if ('order' in decision) {
        const { status, ...last } = outcomeOf(decision.order) as Outcome & { status: 'open' };
        return { status: 200, body, order: order.id, ...last };
      }
      // Another page has begun to pay meanwhile. If its card is declined, the key is of use.
      const instead = await outcomeInsteadOfKey(order);
      if (instead) return instead;
    }
  }

  /** What a page gets that needs no key; `undefined` if it needs one. */
  async function outcomeInsteadOfKey(order: Order): Promise<IssuedKey | undefined> {
    const stored = await readSettled(order.id);
    const decision = onKeyRequested(stored, order);
    return 'outcome' in decision ? noKey(order.id, stored, decision.outcome) : undefined;
  }

  async function freshKey(): Promise<{ body: CardEncryptionKey; expiresAt: number }> {
    const key = await within(
      timeoutMs,
      callClient((it) => it.createEncryptionKey()),
    );
    return { body: browserKey(key), expiresAt: key.expires_at };
  }

  async function noKey(
    orderId: string,
    stored: StoredOrder | undefined,
    answer: Outcome,
  ): Promise<IssuedKey> {
    // Something was sent for another amount: nobody can pay until staff have settled it.
    if (answer.status === 'not_certain' && stored?.state === 'open')
      logUncertain(orderId, stored.intentId);
    if ('reference' in answer) await deliver(orderId);
    return { status: 409, body: named(orderId, answer) };
  }

  async function pay(
    given: Order,
    contentType: string | undefined,
    body: string,
    options: SenderOptions = {},
  ): Promise<Outcome> {
    const order = readOrder(given);
    const sender = readSender(options);
    const token = randomId();
    try {
      const posted = await readPostedBlock(contentType, body);
      const result =
        'block' in posted
          ? await payWith(order, posted.block, token, sender)
          : await payWithoutBlock(order.id, posted.problem);
      if ('reference' in result) await deliver(order.id, token);
      return named(order.id, result);
    } catch (error) {
      log(
        `Payment not certain, the store failed: order ${quoted(order.id)}: ${describe(error)}. ` +
          'If a card was sent, checkout.sweep finds the order',
      );
      return named(order.id, { status: 'not_certain' });
    }
  }

  async function payWithoutBlock(orderId: string, problem: string): Promise<Outcome> {
    const result = onNoBlock(await orders.read(orderId), now(), limitMs);
    if (result.status === 'invalid_encrypted_card')
      log(`Refused: invalid_encrypted_card: order ${quoted(orderId)}: ${problem}`);
    return result;
  }

  async function payWith(
    order: Order,
    block: EncryptedCard,
    token: string,
    sender: string | undefined,
  ): Promise<Outcome> {
    const keyId = block.key_id;
    const attempt: NewAttempt = { token, keyId, price: order, now: now() }; // O19
    try {
      // Before `paying` is stored, so that misconfiguration is not recorded as a lost response.
      client();
    } catch (error) {
      log(`No payment of order ${quoted(order.id)}: ${describe(error)}`);
      return refuse(order.id, keyId);
    }
    for (;;) {
      attempt.now = now();
      if (!declines.begin(sender, attempt.now)) {
        log(
          `Block not sent: order ${quoted(order.id)}: too many cards of the sender ` +
            `${quoted(sender!)} were declined or refused`,
        );
        return refuse(order.id, keyId);
      }
      let became: TryEnd = 'other';
      try {
        const decision = await orders.change(order.id, (stored) => onBlock(stored, attempt));
        if (decision.next === 'answer') {
          logRefusal(order.id, keyId, decision.outcome);
          return decision.outcome;
        }
        if (decision.next === 'authorize') {
          const { answer, outcome } = await authorize(order.id, attempt, decision.intentId, block);
          became = endOf(answer, outcome);
          return outcome;
        }
        if (decision.next === 'create_intent') {
          attempt.draftId = await createDraft(order);
          if (!attempt.draftId) return await refuse(order.id, keyId);
          continue;
        }
      } finally {
        if (declines.end(sender, became, now()))
          log('More cards are declined than paid: somebody may be testing stolen cards');
      }
      const stored = await readSettled(order.id);
      if (stored?.state === 'paying') return outcomeOf(stored);
    }
  }

  /** Marks the block as never to be sent. */
  async function refuse(orderId: string, keyId: string): Promise<Outcome> {
    await readSettled(orderId); // the same block may have come twice
    return (await orders.change(orderId, (stored) => onRefusal(stored, keyId))).outcome;
  }

  /** `undefined` if none comes: then nothing was sent. */
  async function createDraft(order: Order): Promise<string | undefined> {
    const { amount, currency, description, capture_method } = order;
    const idempotencyKey = randomId();
    try {
      const draft = await within(
        Math.min(DRAFT_LIMIT_MS, timeoutMs),
        callClient((it) =>
          it.createIntent({ amount, currency, description, capture_method }, { idempotencyKey }),
        ),
      );
      assertAsked(draft, order); // O16
      return draft.id;
    } catch (error) {
      log(`Block not sent: order ${quoted(order.id)}: no draft: ${describe(error)}`);
      return undefined;
    }
  }

  async function authorize(
    orderId: string,
    attempt: NewAttempt,
    intentId: string,
    block: EncryptedCard,
  ): Promise<{ answer: ServiceAnswer; outcome: Outcome }> {
    const answer = await send(intentId, block);
    let outcome: Outcome;
    try {
      const decision = await orders.change(orderId, (stored) =>
        onAnswer(stored, attempt, answer, decider(attempt.token)),
      );
      outcome = decision.outcome;
      logDeclines(orderId, decision);
    } catch (error) {
      if (answer.kind === 'intent')
        log(
          `Answer not stored: order ${quoted(orderId)}, intent ${quoted(intentId)}, ` +
            `status ${quoted(answer.status)}`,
        );
      throw error;
    }
    if (outcome.status === 'not_certain') logUncertain(orderId, intentId);
    return { answer, outcome };
  }

  async function send(intentId: string, block: EncryptedCard): Promise<ServiceAnswer> {
    try {
      const idempotencyKey = encodeURIComponent(`${intentId}.${block.key_id}`);
      const intent = await within(
        timeoutMs + CLIENT_MS,
        callClient((it) => it.authorize(intentId, block, { idempotencyKey })),
      );
      const { id, status, failure_reason, amount, currency } = intent;
      const isText = typeof failure_reason === 'string';
      const reason = isText ? shortened(failure_reason, LONGEST_REASON) : null;
      return { kind: 'intent', id, status, reason, price: { amount, currency } };
    } catch (error) {
      log(`Authorization failed: intent ${quoted(intentId)}: ${describe(error)}`);
      return { kind: isKeyError(error) ? 'key_error' : 'unclear' };
    }
  }

  /** Also a client that throws at once gives a promise. */
  async function callClient<T>(call: (it: PaymentsClient) => Promise<T>): Promise<T> {
    return call(client());
  }

  async function outcome(orderId: string): Promise<Outcome> {
    try {
      const result = outcomeOf(await readSettled(orderId));
      if ('reference' in result) await deliver(orderId);
      return named(orderId, result);
    } catch (error) {
      return storeFailed(orderId, error);
    }
  }

  async function withdraw(given: Order): Promise<Outcome> {
    const order = readOrder(given);
    try {
      for (;;) {
        await readSettled(order.id); // its card may be declined
        const { next, store } = await orders.change(order.id, (stored) =>
          onWithdraw(stored, order.id, order, { now: now(), limitMs }),
        );
        if (next === 'answer') return store ? outcomeOf(store) : await outcome(order.id);
      }
    } catch (error) {
      return storeFailed(order.id, error);
    }
  }

  function storeFailed(orderId: string, error: unknown): Outcome {
    log(`The store failed: order ${quoted(orderId)}: ${describe(error)}`);
    return named(orderId, { status: 'not_certain' });
  }

  async function resolve(
    given: string | Order,
    intentId: string,
    resolution: Resolution,
  ): Promise<Outcome> {
    if (!['committed', 'authorized', 'not_paid'].includes(resolution))
      throw new TypeError('resolution must be committed, authorized or not_paid');
    const order = typeof given === 'string' ? undefined : readOrder(given);
    const orderId = order?.id ?? (given as string);
    const who = decider(randomId());
    const { outcome: result } = await orders.change<Decision>(
      orderId,
      (stored) => onResolve(stored, intentId, resolution, who),
      order && (() => onResolveUnreadable(orderId, order, intentId, resolution, who)),
    );
    if ('reference' in result) await deliver(orderId, who.token);
    return named(orderId, result);
  }

  async function sweep({ lookUp }: SweepOptions = {}): Promise<SweptOrder[]> {
    const asking: Asking = { lookUp, unanswered: 0 };
    const swept = new Map<string, SweptOrder>();
    const unsettled = new Map<string, ListedOrder>();
    let after: string | undefined;
    let listed: ListedOrder[];
    do {
      listed = await listDue(after);
      for (const one of listed) {
        const { orderId } = one;
        if (swept.has(orderId) || unsettled.has(orderId))
          throw new StoreContractError('store.list must give only orders that come after `after`');
        // Last: a service that does not answer must not hold up what is paid.
        if (isUnsettled(one)) unsettled.set(orderId, one);
        else swept.set(orderId, await sweepOne(one, asking));
      }
      after = listed.at(-1)?.orderId;
    } while (listed.length >= SWEPT_AT_ONCE);
    for (const one of fromAnywhere([...unsettled.values()]))
      swept.set(one.orderId, await sweepOne(one, asking));
    return [...swept.values()];
  }

  function isUnsettled({ orderId, value }: ListedOrder): boolean {
    try {
      return questionOf(readStored(value, orderId), { now: now(), limitMs }) !== undefined;
    } catch {
      return false; // sweepOne reports what cannot be read
    }
  }

  /** Begins at another order each time: the same unanswered look-ups must not always stop it. */
  function fromAnywhere<T>(list: T[]): T[] {
    const first = now() % list.length;
    return [...list.slice(first), ...list.slice(0, first)];
  }

  async function listDue(after: string | undefined): Promise<ListedOrder[]> {
    if (!store.list)
      throw new TypeError('checkout.sweep needs a store with the method list, see OrderStore');
    return within(storeTimeoutMs, store.list({ limit: SWEPT_AT_ONCE, after }));
  }

  async function sweepOne({ orderId, value }: ListedOrder, asking: Asking): Promise<SweptOrder> {
    const token = randomId();
    try {
      const listed = readStored(value, orderId);
      const found = await settleByLookUp(orderId, listed, token, asking);
      await deliver(orderId, token);
      // A row that was there before the store had its list counts as due until it is written.
      if (!isDue(listed))
        await orders.change(orderId, (stored) => (stored ? { store: stored } : {}));
      return reported(orderId, await orders.read(orderId), found);
    } catch (error) {
      log(`Sweep: order ${quoted(orderId)}: ${describe(error)}`);
      const report = { order: orderId, intent: null };
      if (error instanceof Problem) return { ...report, status: 'unreadable', left: 'repair' };
      return { ...report, status: 'not_certain', left: 'wait' }; // the store has failed
    }
  }

  /** What the look-up said, if one was needed. */
  async function settleByLookUp(
    orderId: string,
    listed: StoredOrder,
    token: string,
    asking: Asking,
  ): Promise<string | undefined> {
    const question = questionOf(listed, decider(token));
    const { lookUp } = asking;
    if (!question || !lookUp || asking.unanswered >= MOST_UNANSWERED) return undefined;
    const { intentId } = question;
    let found: string;
    try {
      const looking = (async () => lookUp(intentId, orderId))();
      found = await within(timeoutMs, looking);
      asking.unanswered = 0;
    } catch (error) {
      asking.unanswered++;
      log(
        `The look-up of intent ${quoted(intentId)} of order ${quoted(orderId)} failed: ` +
          describe(error),
      );
      return undefined;
    }
    const decision = await orders.change(orderId, (stored) =>
      onLookUp(stored, question, found, decider(token)),
    );
    logDeclines(orderId, decision);
    return found;
  }

  function reported(
    orderId: string,
    stored: StoredOrder | undefined,
    found: string | undefined,
  ): SweptOrder {
    const { status } = outcomeOf(stored);
    const intent = stored?.intentId ?? null;
    const report = { order: orderId, intent, status };
    if (!stored || !isDue(stored)) return { ...report, left: 'nothing' };
    if (!questionOf(stored, { now: now(), limitMs })) return { ...report, left: 'wait' };
    if (stored.state === 'open' && found === 'created') return { ...report, left: 'cancel' };
    logUncertain(orderId, intent);
    return { ...report, left: 'look_up' };
  }

  /**
   * Delivers a paid order, unless it is delivered, or somebody else does it just now. It never
   * rejects: the next call that sees the order delivers it.
   */
  async function deliver(orderId: string, token = randomId()): Promise<void> {
    if (!onPaid) return;
    try {
      const { claim, order } = await orders.change(orderId, (stored) =>
        onDeliver(stored, decider(token)),
      );
      if (!claim || !order) return;
      // The store may have been slow. Then somebody else may deliver by now.
      if (now() > claim.until) return await deliver(orderId, token); // O12
      const { amount, currency, paid, intentId } = order;
      const result = { status: paid!, reference: intentId!, tries: claim.tries };
      const call = (async () => onPaid({ id: orderId, amount, currency }, result))();
      const delivered = call.then(() => orders.change(orderId, onDelivered));
      delivered.catch(() => {}); // after the limit nobody waits for it
      await within(DELIVERY_LIMIT_MS, delivered);
    } catch (error) {
      log(
        `Not delivered yet: order ${quoted(orderId)}: ${describe(error)}. ` +
          'onPaid is called again when somebody asks for the order, or by checkout.sweep',
      );
    }
  }

  /** Waits while an attempt is under way. */
  async function readSettled(orderId: string): Promise<StoredOrder | undefined> {
    const stored = await orders.readSettled(orderId);
    // The process of the attempt may have ended: then it has logged nothing.
    if (stored?.state === 'paying') logUncertain(orderId, stored.intentId);
    return stored;
  }

  function decider(token: string): Decider {
    return { token, now: now(), limitMs, delivers: onPaid !== undefined };
  }

  function readSender({ sender }: SenderOptions): string | undefined {
    const known = senderOf(sender);
    if (!known && !hasToldOfSender) {
      hasToldOfSender = true;
      const why = sender === undefined ? '' : 'the sender is a private address, or none. ';
      log(
        `No limits by sender: ${why}Give the address of the client, as your outermost proxy saw it`,
      );
    }
    return known;
  }

  /** For the staff, who look the intent up. */
  function logUncertain(orderId: string, intentId: string | null): void {
    log(
      `Payment not certain: order ${quoted(orderId)}, intent ${quoted(intentId ?? 'none')}. ` +
        'Find out what became of the intent: checkout.sweep, or checkout.resolve',
    );
  }

  /** O13: for the staff, when the last card that may be tried is declined. */
  function logDeclines(orderId: string, { store }: Decision): void {
    if (!store || !hasTooManyDeclines(store)) return;
    log(
      `${store.declines} cards of order ${quoted(orderId)} were declined: no more are taken. ` +
        'Look at it, and withdraw it if the shopper is honest: then another order can begin',
    );
  }

  function logRefusal(orderId: string, keyId: string, { status }: Outcome): void {
    const why = REFUSALS[status];
    if (why) log(`Block not sent: order ${quoted(orderId)}, key ${quoted(keyId)}: ${why}`);
  }
}

/** How a try ended for its sender. A key error counts, also if it makes the order "not certain". */
function endOf(answer: ServiceAnswer, outcome: Outcome): TryEnd {
  if (answer.kind === 'key_error') return 'refused';
  if (outcome.status === 'failed') return 'declined';
  return 'reference' in outcome ? 'paid' : 'other';
}

const REFUSALS: Partial<Record<Outcome['status'], string>> = {
  not_paid:
    'its key has expired, was used before, or is for another price, or the order was withdrawn',
  not_certain: 'the order is not certain, and nobody has settled it',
  no_order:
    'the order has no such key. The session has lost its order, or has begun another one. The ' +
    'order whose stored value has this key is the one that the shopper means',
};

const KEY_ERRORS: (EncryptionErrorCode | undefined)[] = [
  'encryption_key_expired',
  'unknown_encryption_key',
  'invalid_encryption_block',
];

function isKeyError(error: unknown): boolean {
  try {
    // Not `instanceof`: a bundler may have made two copies of the client.
    return KEY_ERRORS.includes(Object(error).code);
  } catch {
    return false; // whatever a client throws
  }
}

/** The service's reasons are a few words. */
const LONGEST_REASON = 200;

/** @throws Problem if a draft is for something else than the order. */
function assertAsked(draft: CardPaymentIntent, order: Order): void {
  const { amount, currency, capture_method = 'automatic' } = order;
  if (draft.amount !== amount) throw new Problem('the service made it for another amount');
  if (draft.currency !== currency)
    throw new Problem(
      'the service made it in another currency. Write order.currency as the service does: ' +
        'USD, not usd',
    );
  if (draft.capture_method !== capture_method)
    throw new Problem('the service made it with another capture_method');
}

/** The shopper needs the order's id to ask about it. */
function named(orderId: string, outcome: Outcome): Outcome {
  return outcome.status === 'not_certain' ? { ...outcome, order: orderId } : outcome;
}

/**
 * A copy: the shop may change its own object while a request is on its way.
 *
 * @throws InvalidOrderError
 */
export function readOrder({ id, amount, currency, description, capture_method }: Order): Order {
  if (typeof id !== 'string' || id === '') throw new InvalidOrderError('order.id must be text');
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new InvalidOrderError('order.amount must be a whole number of minor units');
  if (typeof currency !== 'string' || currency === '')
    throw new InvalidOrderError('order.currency must be text');
  if (capture_method !== undefined && !['automatic', 'manual'].includes(capture_method))
    throw new InvalidOrderError('order.capture_method must be automatic or manual');
  return { id, amount, currency, description, capture_method };
}
