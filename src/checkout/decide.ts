import type { CaptureMethod } from './card-payments.ts';

/**
 * The rules of an order: one payment, one charge, one delivery. This file knows no network and no
 * store. Each function takes what is stored of the order and what has happened, and returns what to
 * store and what the shopper gets. `checkout.ts` does what these functions say.
 *
 * An order is in one of five states:
 *
 * - `open`: nothing of it is on its way. `sent` says whether something ever was.
 * - `paying`: one attempt is on its way to the service.
 * - `uncertain`: a card may have been charged, and the shop does not know.
 * - `paid`: nothing replaces this state.
 * - `withdrawn`: the shop has given the order up. Nothing replaces this state.
 *
 * It is **unsettled** while it was `sent`, is not `paid`, and no attempt is under way. That
 * includes `open`: a proxy may have answered with a key error after the charge.
 *
 * The rules. The comment `O7` stands beside the code of rule O7; the explorations take each rule
 * out and name what goes wrong then.
 *
 * - O1: An intent is given up only after `failed` or `cancelled`, or for another price before
 *   anything was sent. The service charges an intent at most once, so this is the last line of
 *   defence. No time and no look-up that says `created` or `unknown` gives it up.
 * - O2: An outcome replaces `paying` and `uncertain`. Nothing replaces `paid` and `withdrawn`.
 * - O3: One attempt at a time. A random token tells one's own attempt from another's, also if only
 *   the answer of a write was lost.
 * - O4: A block is sent once, before its key expires, for the price that its page showed.
 * - O5: A block that is answered with "not paid" is never sent later. It may have come twice.
 * - O6: A response counts only with the order's own intent, amount and currency.
 * - O7: The first key error of an intent opens the order under the same intent, still `sent`. The
 *   second one, and everything unclear, makes it `uncertain`.
 * - O8: A final response of the order's own intent counts, whichever attempt got it, however late.
 * - O9: While an intent may still be charged, there is no key for another price.
 * - O10: Staff and look-ups say something about one intent; a look-up that says `created` about one
 *   attempt, too. They open no order whose attempt is under way.
 * - O11: A look-up that says `created` opens the order under the same intent, still `sent`. A
 *   look-up that fails, or says another word, says nothing.
 * - O12: The write that makes an order `paid` also claims its delivery. A claim has a time. Any
 *   call that sees a paid order whose claim is over claims it anew, and calls `onPaid` only while
 *   its own claim lasts. A claim that ends later than any can was made by a clock that was wrong,
 *   and is over. If `onPaid` throws, nothing is written: the rest of the claim is the pause.
 * - O13: After 10 declines nobody tries another card: a person has to look.
 * - O14: The value of another order is no value of this one, and neither is one that is damaged.
 * - O15: `capture_method` is part of what is to be paid.
 * - O16: A draft is used only if it is for the order's own amount, currency and `capture_method`.
 * - O17: An order keeps only its newest keys, so that it cannot grow without a bound.
 * - O18: The draft is made when a block has come, not with the key. So a service that cannot be
 *   reached is found before anything is sent.
 * - O19: Nothing of a card is stored.
 * - O20: Only a write gives an order up, and only while no card can have been charged. Whoever has
 *   read `open` knows how the order stood: a block may be on its way since.
 * - O21: The arrival of a block ends what is told of the try before. Nobody who reloads the page
 *   reads "declined" while another card is about to be charged.
 */

/**
 * What is stored of an order: JSON, the same in every language. Nothing of a card is in it. The
 * optional fields are absent in what builds before 0.3.0 have written.
 */
export interface StoredOrder {
  /** The order's own id. */
  id?: string;
  state: 'open' | 'paying' | 'uncertain' | 'paid' | 'withdrawn';
  /** Minor units. */
  amount: number;
  currency: string;
  capture_method?: CaptureMethod;
  /** How the order was paid; null unless `state` is `paid`. */
  paid: 'committed' | 'authorized' | null;
  /** The intent that is, or may have been, charged; null until the first block is sent. */
  intentId: string | null;
  /** Whether a block may have reached the service under this intent. */
  sent: boolean;
  /** The attempt that is on its way or was not settled; null in every other state. */
  attempt: Attempt | null;
  /** 1 after the first error of the service about the key or the block, otherwise 0: O7. */
  keyErrors: number;
  keys: StoredKey[];
  /** How many cards were declined. */
  declines?: number;
  /** What became of the last try, while the order is open; `sent` stands for `retry_is_safe`. */
  last?: LastResult | null;
  /** Only of a paid order, in a shop with `onPaid`. */
  delivery?: Claim | 'done';
}

/** What became of a block. */
export interface LastResult {
  status: 'failed' | 'not_paid';
  /** The service's reason for a decline. */
  reason: string | null;
  /** The key of the block. Absent if staff or a look-up have settled the order. */
  keyId?: string;
}

/** One call of `pay` that sends a block to the service. */
export interface Attempt {
  /** Random: tells this attempt from every other, also if the answer of a write was lost. */
  token: string;
  keyId: string;
  /** Unix timestamp in milliseconds. */
  startedAt: number;
}

/** Who delivers a paid order, and until when. */
export interface Claim {
  /** Random: tells the holder. */
  token: string;
  /** Unix timestamp in milliseconds. After it, anyone may claim the delivery. */
  until: number;
  /** 1 for the first claim. */
  tries: number;
}

/** A key that a page of this order has. */
export interface StoredKey {
  id: string;
  /** What the page says is to be paid. */
  amount: number;
  currency: string;
  /** Unix timestamp in milliseconds. */
  expiresAt: number;
  /**
   * What became of the block under this key: it was not posted yet, is on its way, was declined,
   * was refused or never sent (O5), or has no clear response.
   */
  block: 'none' | 'sent' | 'declined' | 'error' | 'not_settled';
  /** The service's reason for a decline. */
  reason: string | null;
}

/** What is to be paid. */
export interface Price {
  /** Minor units: 1000 is 10.00 in a two-decimal currency. */
  amount: number;
  currency: string;
  /** Default: `automatic`. */
  capture_method?: CaptureMethod | undefined;
}

/** What became of the last try to pay an order that is still open. It is stored. */
export type LastTry = 'failed' | 'not_paid' | 'retry_is_safe';

/** How the payment of an order went. Tell the shopper: docs/outcomes.md has the texts. */
export type Outcome =
  /**
   * Only from `outcome`, `withdraw`, `resolve` and `sweep`: show the form. `last` is what became of
   * the last try, `reason` the service's reason if that was declined, and `key_id` the key of its
   * block, if that is known.
   */
  | { status: 'open'; last?: LastTry; reason?: string | null; key_id?: string }
  /** Paid. `reference` is the id of the intent: one for each paid order. */
  | { status: 'committed' | 'authorized'; reference: string }
  /** The card was declined: not paid. Another card may be tried, if the order gets a key. */
  | { status: 'failed'; reason: string | null }
  /** Not paid; or perhaps charged, but another try cannot charge twice. */
  | { status: 'not_paid' | 'retry_is_safe' }
  /**
   * The card may have been charged. Your staff find out; the card is not asked for again. `order`
   * is the order's id, which the shopper needs to ask about it.
   */
  | { status: 'not_certain'; order?: string }
  /** The posted data is not an encrypted card block. Answer with status 400. */
  | { status: 'invalid_encrypted_card' }
  /**
   * The block is of another order, or of none that the store knows. Nothing was sent now. `key_id`
   * leads your staff to the order of the block: the one whose stored value has this key. From all
   * calls but `pay`, without `key_id`: the order was withdrawn. A block of it gets `not_paid`, or
   * `failed` if its card was declined.
   */
  | { status: 'no_order'; key_id?: string };

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

/** Who makes a decision, and when: for the claim that comes with a paid order. */
export interface Decider {
  /** Random, one for each call. */
  token: string;
  /** Unix timestamp in milliseconds. */
  now: number;
  /** How long an attempt may be under way, in milliseconds. */
  limitMs: number;
  /** Whether the shop has `onPaid`. */
  delivers: boolean;
}

/** `store` is there only if something changes. */
export interface Decision {
  store?: StoredOrder;
  outcome: Outcome;
}

const NOT_CERTAIN: Outcome = { status: 'not_certain' };
/** After so many cards a person has to look. */
export const MOST_DECLINES = 10;

/** Whether an answer may still come. Others wait until then. After the limit, staff may resolve. */
export function isUnderWay(order: StoredOrder | undefined, now: number, limitMs: number): boolean {
  // A start in the future is that of a clock which was wrong.
  return order?.state === 'paying' && Math.abs(now - order.attempt!.startedAt) <= limitMs;
}

/** Whether the order needs another look: it is not settled, or not delivered. */
export function isDue({ state, sent, delivery }: StoredOrder): boolean {
  return state === 'paid' ? delivery !== undefined && delivery !== 'done' : sent;
}

/** For `outcome`, and for a page that gets no key. */
export function outcomeOf(order: StoredOrder | undefined): Outcome {
  if (!order) return { status: 'open' };
  if (order.state === 'paid') return { status: order.paid!, reference: order.intentId! };
  if (order.state === 'withdrawn') return { status: 'no_order' };
  if (order.state !== 'open') return NOT_CERTAIN;
  if (order.sent) return { status: 'open', last: 'retry_is_safe' };
  if (hasTooManyDeclines(order)) return lastDecline(order);
  if (!order.last) return { status: 'open' };
  const { status, reason, keyId } = order.last;
  return {
    status: 'open',
    last: status,
    ...(status === 'failed' && { reason }),
    ...(keyId !== undefined && { key_id: keyId }),
  };
}

/** A key is requested, to pay `price`. */
export function onKeyRequested(
  stored: StoredOrder | undefined,
  price: Price,
): { order: StoredOrder } | { outcome: Outcome } {
  const order = atPrice(stored, price);
  if (order.state !== 'open') return { outcome: outcomeOf(order) };
  // The intent of the other price must be settled before a new one exists.
  if (!isFor(order, price)) return { outcome: NOT_CERTAIN }; // O9
  if (hasTooManyDeclines(order)) return { outcome: lastDecline(order) }; // O13
  return { order };
}

/** A key has arrived. The state may be another by now. */
export function onKeyArrived(
  stored: StoredOrder | undefined,
  orderId: string,
  price: Price,
  key: { id: string; expiresAt: number },
): { order: StoredOrder; store?: StoredOrder } | { outcome: Outcome; store?: undefined } {
  const decision = onKeyRequested(stored, price);
  if ('outcome' in decision) return decision;
  const { order } = decision;
  // Only the answer of the write was lost; or the service gave the same key twice.
  if (findKey(order, key.id)) return { order };
  const { amount, currency } = price;
  const fresh: StoredKey = { ...key, amount, currency, block: 'none', reason: null };
  const keys = [...order.keys, fresh].slice(-MOST_KEYS); // O17
  return { order, store: { ...order, id: orderId, keys } };
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

/** A block was posted. The state is checked before the block. */
export function onBlock(stored: StoredOrder | undefined, attempt: NewAttempt): BlockDecision {
  const { token, keyId, price, now, draftId } = attempt;
  if (stored?.state === 'paying') {
    // Only the answer of the write was lost.
    const isStored = stored.attempt!.token === token; // O3
    return isStored ? { next: 'authorize', intentId: stored.intentId! } : { next: 'wait' };
  }
  const order = stored && atPrice(stored, price);
  const key = order && findKey(order, keyId);
  const isGood =
    order?.state === 'open' &&
    key?.block === 'none' &&
    now <= key.expiresAt &&
    isShownAs(key, price) && // O4
    isFor(order, price) &&
    !hasTooManyDeclines(order); // O13
  if (!isGood) return { next: 'answer', ...onRefusal(stored, keyId) };
  const intentId = order.intentId ?? draftId;
  if (!intentId) {
    const next = 'create_intent'; // O18
    return order.last ? { next, store: { ...order, last: null } } : { next }; // O21
  }
  const store: StoredOrder = {
    ...withBlock(order, keyId, 'sent'),
    state: 'paying',
    intentId,
    sent: true,
    attempt: { token, keyId, startedAt: now },
  };
  return { next: 'authorize', intentId, store };
}

/** A block is not sent now, and the shopper may read that nothing was paid. */
export function onRefusal(stored: StoredOrder | undefined, keyId: string): Decision {
  const outcome = outcomeOfBlock(stored, keyId);
  const isUnused = stored?.state === 'open' && findKey(stored, keyId)?.block === 'none';
  if (!isUnused) return { outcome };
  const order = withBlock(stored, keyId, 'error');
  const store: StoredOrder = { ...order, last: { status: 'not_paid', reason: null, keyId } };
  return { store, outcome }; // O5
}

/** What was posted is no block. The order's state comes first. */
export function onNoBlock(stored: StoredOrder | undefined, now: number, limitMs: number): Outcome {
  const isOpen = !stored || stored.state === 'open' || isUnderWay(stored, now, limitMs);
  return isOpen ? { status: 'invalid_encrypted_card' } : outcomeOf(stored);
}

/** The service has answered an attempt, or has not answered it in time. */
export function onAnswer(
  stored: StoredOrder | undefined,
  { token, keyId }: { token: string; keyId: string },
  answer: ServiceAnswer,
  decider: Decider,
): Decision {
  const isOwn = stored?.attempt?.token === token;
  const isLate = stored?.sent === true && stored.state !== 'paid'; // O8
  if (!stored || !(isOwn || isLate)) return { outcome: outcomeOfBlock(stored, keyId) };
  const store =
    afterResponse(stored, keyId, answer, decider) ??
    (isOwn ? afterFailure(stored, keyId, answer) : undefined);
  const outcome = outcomeOfBlock(store ?? stored, keyId);
  return store ? { store, outcome } : { outcome };
}

/** `undefined` if the answer does not say for certain what became of the order's own intent. */
function afterResponse(
  order: StoredOrder,
  keyId: string,
  answer: ServiceAnswer,
  decider: Decider,
): StoredOrder | undefined {
  if (answer.kind !== 'intent') return undefined;
  if (answer.id !== order.intentId || !isShownAs(order, answer.price)) return undefined; // O6
  const { status, reason } = answer;
  if (status === 'committed' || status === 'authorized') return asPaid(order, status, decider);
  if (status !== 'failed') return undefined;
  return declined(withBlock(order, keyId, 'declined', reason), reason, keyId);
}

function afterFailure(order: StoredOrder, keyId: string, answer: ServiceAnswer): StoredOrder {
  // O7: a proxy may answer so after the charge. Another try under the same intent cannot charge.
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
  decider: Decider,
): Decision {
  const isAbout = stored?.intentId === intentId && isUnsettled(stored, decider); // O10
  if (!isAbout) return { outcome: outcomeOf(stored) };
  const store =
    resolution === 'not_paid' ? withoutIntent(stored) : asPaid(stored, resolution, decider);
  return { store, outcome: outcomeOf(store) };
}

/** Staff settle an order whose value is damaged: what they say becomes the order. */
export function onResolveUnreadable(
  orderId: string,
  price: Price,
  intentId: string,
  resolution: Resolution,
  decider: Decider,
): Decision {
  const order: StoredOrder = { ...newOrder(price), id: orderId };
  const store =
    resolution === 'not_paid'
      ? withoutIntent(order)
      : asPaid({ ...order, intentId, sent: true }, resolution, decider);
  return { store, outcome: outcomeOf(store) };
}

/** The shop gives the order up: to begin another one, or to be paid in another way. */
export function onWithdraw(
  stored: StoredOrder | undefined,
  orderId: string,
  price: Price,
  { now, limitMs }: Pick<Decider, 'now' | 'limitMs'>,
): WithdrawDecision {
  const order = stored ?? { ...newOrder(price), id: orderId }; // a key for it may be on its way
  if (isUnderWay(order, now, limitMs)) return { next: 'wait' };
  const mayBeCharged = order.state !== 'open' || order.sent; // O20
  if (mayBeCharged) return { next: 'answer' };
  return { next: 'answer', store: { ...order, state: 'withdrawn' } };
}

export interface WithdrawDecision {
  store?: StoredOrder;
  /** `wait`: an attempt has begun. Its card may be declined: decide again then. */
  next: 'wait' | 'answer';
}

/** What a look-up is about. */
export interface Question {
  intentId: string;
  /** The attempt before the look-up; null in `open`. */
  token: string | null;
}

/** What to look up of an order, or `undefined` if nothing of it is unsettled. */
export function questionOf(
  stored: StoredOrder | undefined,
  clock: Pick<Decider, 'now' | 'limitMs'>,
): Question | undefined {
  if (!stored || !isUnsettled(stored, clock)) return undefined;
  return { intentId: stored.intentId!, token: stored.attempt?.token ?? null };
}

/** A look-up says that an intent is `found`: a word of the service, or any other. */
export function onLookUp(
  stored: StoredOrder | undefined,
  asked: Question,
  found: string,
  decider: Decider,
): Decision {
  const store = afterLookUp(stored, asked, found, decider);
  const outcome = outcomeOf(store ?? stored);
  return store ? { store, outcome } : { outcome };
}

function afterLookUp(
  stored: StoredOrder | undefined,
  asked: Question,
  found: string,
  decider: Decider,
): StoredOrder | undefined {
  if (!stored?.sent || stored.state === 'paid') return undefined;
  if (stored.intentId !== asked.intentId) return undefined; // O10
  if (found === 'committed' || found === 'authorized') return asPaid(stored, found, decider);
  if (!isUnsettled(stored, decider)) return undefined;
  if (found === 'failed') return declined(stored, null, stored.attempt?.keyId);
  if (found === 'cancelled') return withoutIntent(stored);
  const isSameAttempt = (stored.attempt?.token ?? null) === asked.token;
  if (found !== 'created' || !isSameAttempt || stored.state === 'open') return undefined;
  return { ...stored, state: 'open', attempt: null }; // O11
}

export interface Delivery {
  store?: StoredOrder;
  /** Call `onPaid` for `order` while this claim lasts. */
  claim?: Claim;
  order?: StoredOrder;
}

/** Claims the delivery of a paid order, if it is due. */
export function onDeliver(stored: StoredOrder | undefined, { token, now }: Decider): Delivery {
  const delivery = stored?.state === 'paid' ? stored.delivery : undefined;
  if (!delivery || delivery === 'done') return {};
  const order = stored!;
  const { until } = delivery;
  const isOver = now > until || until > now + LONGEST_CLAIM_MS; // O12
  if (!isOver) return delivery.token === token ? { order, claim: delivery } : {};
  const claim = claimOf(token, now, delivery.tries + 1);
  return { store: { ...order, delivery: claim }, order, claim };
}

/** `onPaid` has resolved, in time or late, no matter who holds the claim. */
export function onDelivered(stored: StoredOrder | undefined): Delivery {
  if (stored?.state !== 'paid' || stored.delivery === 'done') return {};
  return { store: { ...stored, delivery: 'done' } };
}

/** The outcome for a shopper who has posted a block under this key. */
export function outcomeOfBlock(order: StoredOrder | undefined, keyId: string): Outcome {
  const key = order && findKey(order, keyId);
  // The store has never had the order of this block, or has lost it; or it has dropped its key.
  const isAtRest = order?.state === 'open' || order?.state === 'withdrawn';
  if (!order || (isAtRest && !key)) return { status: 'no_order', key_id: keyId };
  if (!isAtRest) return outcomeOf(order);
  if (order.sent) return { status: 'retry_is_safe' };
  if (hasTooManyDeclines(order)) return lastDecline(order);
  if (key!.block === 'declined') return { status: 'failed', reason: key!.reason };
  return { status: 'not_paid' };
}

/** An order that is new; or one with another price, if nothing was sent for the old one. */
function atPrice(stored: StoredOrder | undefined, price: Price): StoredOrder {
  if (!stored) return newOrder(price);
  if (stored.sent || isFor(stored, price)) return stored; // O1
  const { amount, currency, capture_method = 'automatic' } = price;
  return { ...stored, amount, currency, capture_method, intentId: null };
}

function newOrder({ amount, currency, capture_method = 'automatic' }: Price): StoredOrder {
  return {
    state: 'open',
    amount,
    currency,
    capture_method,
    paid: null,
    intentId: null,
    sent: false,
    attempt: null,
    keyErrors: 0,
    keys: [],
    declines: 0,
    last: null,
  };
}

function isUnsettled(
  order: StoredOrder,
  { now, limitMs }: Pick<Decider, 'now' | 'limitMs'>,
): boolean {
  return order.sent && order.state !== 'paid' && !isUnderWay(order, now, limitMs);
}

function asPaid(
  order: StoredOrder,
  paid: 'committed' | 'authorized',
  { token, now, delivers }: Decider,
): StoredOrder {
  const store: StoredOrder = { ...order, state: 'paid', paid, attempt: null };
  return delivers ? { ...store, delivery: claimOf(token, now, 1) } : store; // O12
}

function declined(order: StoredOrder, reason: string | null, keyId?: string): StoredOrder {
  const declines = (order.declines ?? 0) + 1;
  const last: LastResult = { status: 'failed', reason, ...(keyId !== undefined && { keyId }) };
  return { ...withoutIntent(order), declines, last };
}

/** O1: the intent is dead, so that a new one may be made. The keys stay used. */
function withoutIntent(order: StoredOrder): StoredOrder {
  return {
    ...order,
    state: 'open',
    intentId: null,
    sent: false,
    attempt: null,
    keyErrors: 0,
    last: { status: 'not_paid', reason: null },
  };
}

/** The pause doubles with each try. */
function claimOf(token: string, now: number, tries: number): Claim {
  const pause = Math.min(FIRST_CLAIM_MS * 2 ** (tries - 1), LONGEST_CLAIM_MS);
  return { token, until: now + pause, tries };
}

/** Longer than a call of `onPaid` may take. */
const FIRST_CLAIM_MS = 30_000;
const LONGEST_CLAIM_MS = 3_600_000;

/** O13 */
export function hasTooManyDeclines({ sent, declines = 0 }: StoredOrder): boolean {
  return !sent && declines >= MOST_DECLINES;
}

function lastDecline({ last }: StoredOrder): Outcome {
  return { status: 'failed', reason: last?.reason ?? null };
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

/** O15. An order of a build before 0.3.0 has no `capture_method`: it is for either. */
function isFor(order: StoredOrder, price: Price): boolean {
  const { capture_method = 'automatic' } = price;
  return isShownAs(order, price) && (order.capture_method ?? capture_method) === capture_method;
}

/** Whether both show the same sum. */
function isShownAs(one: Price, other: Price): boolean {
  return one.amount === other.amount && one.currency === other.currency;
}

/** More pages than these never wait for a card at once. */
const MOST_KEYS = 50;
