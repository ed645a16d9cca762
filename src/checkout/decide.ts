/**
 * The rules of an order: one payment, one charge. This file knows no network and no store. Each
 * function takes what is stored of the order and what has happened, and returns what to store and
 * what the shopper gets. `checkout.ts` does what these functions say.
 *
 * An order is in one of four states:
 *
 * - `open`: nothing of it is on its way. `sent` says whether something ever was.
 * - `paying`: one attempt is on its way to the service.
 * - `uncertain`: a card may have been charged, and only people can find out.
 * - `paid`: nothing replaces this state.
 *
 * The last line of defence is the intent: the service charges an intent at most once, so an order
 * keeps its intent until it is certain that this intent can no longer be charged.
 */

/** What is stored of an order: JSON, the same in every language. Nothing of a card is in it. */
export interface StoredOrder {
  state: 'open' | 'paying' | 'uncertain' | 'paid';
  /** Minor units. */
  amount: number;
  currency: string;
  /** How the order was paid; null unless `state` is `paid`. */
  paid: 'committed' | 'authorized' | null;
  /** The intent that is, or may have been, charged. A draft until `sent`. */
  intentId: string | null;
  /** Whether a block may have reached the service under this intent. */
  sent: boolean;
  /** The attempt that is on its way or was not settled; null in `open` and `paid`. */
  attempt: Attempt | null;
  /** How often the service has answered this intent with an error about the key or the block. */
  keyErrors: number;
  keys: StoredKey[];
}

/** One call of `pay` that sends a block to the service. */
export interface Attempt {
  /** Random: tells this attempt from every other, also if the answer of a write was lost. */
  token: string;
  keyId: string;
  /** Unix timestamp in milliseconds. */
  startedAt: number;
}

/** A key that a page of this order has. */
export interface StoredKey {
  id: string;
  /** What the page says is to be paid. */
  amount: number;
  currency: string;
  /** Unix timestamp in milliseconds. */
  expiresAt: number;
  /** What became of the block under this key. */
  block: 'none' | 'sent' | 'declined' | 'error' | 'not_settled';
  /** The service's reason for a decline. */
  reason: string | null;
}

/** What is to be paid. */
export interface Price {
  /** Minor units: 1000 is 10.00 in a two-decimal currency. */
  amount: number;
  currency: string;
}

/** What became of the last try to pay an order that is still open. It is stored. */
export type LastTry = 'failed' | 'not_paid' | 'retry_is_safe';

/** How the payment of an order went. Tell the shopper: docs/server.md has the texts. */
export type Outcome =
  /**
   * Only from `outcome`, `resolve` and `sweep`: show the form. `last` is what became of the last
   * try, `reason` the service's reason if that was declined.
   */
  | { status: 'open'; last?: LastTry; reason?: string | null }
  /** Paid. `reference` is the id of the intent: one for each paid order. */
  | { status: 'committed' | 'authorized'; reference: string }
  /** The card was declined: not paid. Another card may be tried. */
  | { status: 'failed'; reason: string | null }
  /** Not paid; or perhaps charged, but another try cannot charge twice. */
  | { status: 'not_paid' | 'retry_is_safe' }
  /** The card may have been charged. Your staff find out; the card is not asked for again. */
  | { status: 'not_certain'; order?: string }
  /** The posted data is not an encrypted card block. Answer with status 400. */
  | { status: 'invalid_encrypted_card' }
  /** The block is of another order, or of none that the store knows. Nothing was sent now. */
  | { status: 'no_order' };

/** What the service made of an attempt. */
export type ServiceAnswer =
  /** 200 with an intent. */
  | { kind: 'intent'; id: string; status: string; reason: string | null; price: Price }
  /** One of the specification's three errors about the key or the block. */
  | { kind: 'key_error' }
  /** Everything else, no answer included. */
  | { kind: 'unclear' };

/** What staff have found out about an intent. */
export type Resolution = 'committed' | 'authorized' | 'not_paid';

/** `store` is there only if something changes. */
export interface Decision {
  store?: StoredOrder;
  outcome: Outcome;
}

const NOT_CERTAIN: Outcome = { status: 'not_certain' };

/** Whether an answer may still come. Others wait until then. After the limit, staff may resolve. */
export function isUnderWay(order: StoredOrder | undefined, now: number, limitMs: number): boolean {
  // A start in the future is that of a clock which was wrong.
  return order?.state === 'paying' && Math.abs(now - order.attempt!.startedAt) <= limitMs;
}

/** For `outcome`, and for a page that gets no key. */
export function outcomeOf(order: StoredOrder | undefined): Outcome {
  if (!order) return { status: 'open' };
  if (order.state === 'paid') return { status: order.paid!, reference: order.intentId! };
  if (order.state !== 'open') return NOT_CERTAIN;
  return order.sent ? { status: 'open', last: 'retry_is_safe' } : { status: 'open' };
}

/** A key is requested, to pay `price`. */
export function onKeyRequested(
  stored: StoredOrder | undefined,
  price: Price,
): { order: StoredOrder } | { outcome: Outcome } {
  const order = atPrice(stored, price);
  if (order.state !== 'open') return { outcome: outcomeOf(order) };
  // Something was sent for the other amount: its intent must be settled before a new one exists.
  if (!isFor(order, price)) return { outcome: NOT_CERTAIN };
  return { order };
}

/** A key has arrived, and an intent if the order had none. The state may be another by now. */
export function onKeyArrived(
  stored: StoredOrder | undefined,
  price: Price,
  key: { id: string; expiresAt: number },
  draftId: string | undefined,
): { order: StoredOrder; store?: StoredOrder } | { outcome: Outcome; store?: undefined } {
  const decision = onKeyRequested(stored, price);
  if ('outcome' in decision) return decision;
  const { order } = decision;
  // Only the answer of the write was lost; or the service gave the same key twice.
  if (findKey(order, key.id)) return { order };
  const { amount, currency } = price;
  const fresh: StoredKey = { ...key, amount, currency, block: 'none', reason: null };
  const intentId = order.intentId ?? draftId ?? null;
  return { order, store: { ...order, intentId, keys: [...newest(order.keys), fresh] } };
}

/** What a block is sent with. */
export interface NewAttempt {
  token: string;
  keyId: string;
  price: Price;
  now: number;
  /** A draft that was made for `price`, because the order had no intent. */
  draftId?: string | undefined;
}

export type BlockDecision = { store?: StoredOrder } & (
  | { next: 'authorize'; intentId: string }
  /** Create a draft intent for this price, and decide again. */
  | { next: 'create_intent' }
  /** Another attempt is on its way: wait, and decide again. After the limit: not certain. */
  | { next: 'wait' }
  | { next: 'answer'; outcome: Outcome }
);

/** A block has come. The state is checked before the block. */
export function onBlock(stored: StoredOrder | undefined, attempt: NewAttempt): BlockDecision {
  const { token, keyId, price, now, draftId } = attempt;
  if (stored?.state === 'paying') {
    const isStored = stored.attempt!.token === token; // only the answer of the write was lost
    return isStored ? { next: 'authorize', intentId: stored.intentId! } : { next: 'wait' };
  }
  const order = stored && atPrice(stored, price);
  const key = order && findKey(order, keyId);
  const isGood =
    order?.state === 'open' &&
    key?.block === 'none' &&
    now <= key.expiresAt &&
    isFor(key, price) &&
    isFor(order, price);
  if (!isGood) return { next: 'answer', ...onRefusal(stored, keyId) };
  const intentId = order.intentId ?? draftId;
  if (!intentId) return { next: 'create_intent' };
  const store: StoredOrder = {
    ...withBlock(order, keyId, 'sent'),
    state: 'paying',
    intentId,
    sent: true,
    attempt: { token, keyId, startedAt: now },
  };
  return { next: 'authorize', intentId, store };
}

/**
 * A block is not sent now. The shopper may read that nothing was paid, so it must never be sent
 * later either: it may come again, or come twice at once.
 */
export function onRefusal(stored: StoredOrder | undefined, keyId: string): Decision {
  const outcome = outcomeOfBlock(stored, keyId);
  const isUnused = stored?.state === 'open' && findKey(stored, keyId)?.block === 'none';
  return isUnused ? { store: withBlock(stored, keyId, 'error'), outcome } : { outcome };
}

/** The service has answered an attempt, or has not answered it in time. */
export function onAnswer(
  stored: StoredOrder | undefined,
  { token, keyId }: { token: string; keyId: string },
  answer: ServiceAnswer,
): Decision {
  // A late answer of an attempt that was replaced, or a write whose answer was lost
  if (!stored || stored.attempt?.token !== token) return { outcome: outcomeOfBlock(stored, keyId) };
  const store = afterAnswer(stored, keyId, answer);
  return { store, outcome: outcomeOfBlock(store, keyId) };
}

function afterAnswer(order: StoredOrder, keyId: string, answer: ServiceAnswer): StoredOrder {
  if (answer.kind === 'intent' && answer.id === order.intentId && isFor(order, answer.price)) {
    const { status, reason } = answer;
    if (status === 'committed' || status === 'authorized') return asPaid(order, status);
    if (status === 'failed') return withoutIntent(withBlock(order, keyId, 'declined', reason));
  }
  // A proxy may answer so after the charge. Then another try under the same intent cannot charge.
  if (answer.kind === 'key_error' && order.keyErrors === 0) {
    const open = withBlock(order, keyId, 'error');
    return { ...open, state: 'open', attempt: null, keyErrors: order.keyErrors + 1 };
  }
  return { ...withBlock(order, keyId, 'not_settled'), state: 'uncertain' };
}

/**
 * Staff say what became of an intent. `not_paid` only after the intent was seen as `failed` or
 * cancelled.
 */
export function onResolve(
  stored: StoredOrder | undefined,
  intentId: string,
  resolution: Resolution,
  now: number,
  limitMs: number,
): Decision {
  const isUnsettled =
    stored?.intentId === intentId &&
    stored.sent &&
    stored.state !== 'paid' &&
    !isUnderWay(stored, now, limitMs);
  if (!isUnsettled) return { outcome: outcomeOf(stored) };
  const store = resolution === 'not_paid' ? withoutIntent(stored) : asPaid(stored, resolution);
  return { store, outcome: outcomeOf(store) };
}

/** The outcome for a shopper who has posted a block under this key. */
export function outcomeOfBlock(order: StoredOrder | undefined, keyId: string): Outcome {
  const key = order && findKey(order, keyId);
  if (order?.state === 'open') {
    // A block of another order may have been charged there.
    if (!key) return NOT_CERTAIN;
    if (order.sent) return { status: 'retry_is_safe' };
    if (key.block === 'declined') return { status: 'failed', reason: key.reason };
    return { status: 'not_paid' };
  }
  // The store has never had, or has lost, the order of this block.
  return order ? outcomeOf(order) : NOT_CERTAIN;
}

/** An order that is new; or one with another price, if nothing was sent for the old one. */
function atPrice(stored: StoredOrder | undefined, { amount, currency }: Price): StoredOrder {
  if (!stored) return newOrder({ amount, currency });
  if (stored.sent || isFor(stored, { amount, currency })) return stored;
  return { ...stored, amount, currency, intentId: null };
}

function newOrder({ amount, currency }: Price): StoredOrder {
  return {
    state: 'open',
    amount,
    currency,
    paid: null,
    intentId: null,
    sent: false,
    attempt: null,
    keyErrors: 0,
    keys: [],
  };
}

function asPaid(order: StoredOrder, paid: 'committed' | 'authorized'): StoredOrder {
  return { ...order, state: 'paid', paid, attempt: null };
}

/** The intent is dead: a new one may be made. The keys stay used. */
function withoutIntent(order: StoredOrder): StoredOrder {
  return { ...order, state: 'open', intentId: null, sent: false, attempt: null, keyErrors: 0 };
}

function withBlock(
  order: StoredOrder,
  keyId: string,
  block: StoredKey['block'],
  reason: string | null = null,
): StoredOrder {
  const keys = order.keys.map((key) => (key.id === keyId ? { ...key, block, reason } : key));
  return { ...order, keys };
}

function findKey(order: StoredOrder, keyId: string): StoredKey | undefined {
  return order.keys.find(({ id }) => id === keyId);
}

function isFor(one: Price, other: Price): boolean {
  return one.amount === other.amount && one.currency === other.currency;
}

/** No more pages than these wait for a card. Without a bound, the order would grow. */
const UNUSED_KEYS = 50;

/** All keys that took a card, and the newest of the others. */
function newest(keys: StoredKey[]): StoredKey[] {
  const unused = keys.filter(({ block }) => block === 'none');
  const dropped = new Set(unused.slice(0, -UNUSED_KEYS));
  return keys.filter((key) => !dropped.has(key));
}
