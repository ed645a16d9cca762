import type { CardEncryptionKey } from '../core/index.ts';

/** How the payment of an order stands, as a page knows it. */
export type OutcomeStatus =
  /** The order can be paid. */
  | 'open'
  /** Paid. */
  | 'committed'
  /** The amount is reserved on the card. */
  | 'authorized'
  /** The card was declined. Nothing is paid. */
  | 'failed'
  /** Nothing was charged, and nothing of what was sent will be. */
  | 'not_paid'
  /** The card may have been charged, but another try cannot charge twice. */
  | 'retry_is_safe'
  /** The card may have been charged. Only the shop can find out. */
  | 'not_certain'
  /** What was sent is no block: a fault of the page, or of something on the way. */
  | 'invalid_encrypted_card'
  /** The session has no order, or another one. Nothing was sent now, but perhaps before. */
  | 'no_order';

/** What `checkout.handle` sends to a page, as JSON. */
export interface CheckoutResponse {
  /** An outcome; or why there is none: docs/pay.md#what-goes-over-the-wire */
  status:
    | OutcomeStatus
    | 'too_many'
    | 'no_key'
    | 'cross_site'
    | 'too_large'
    | 'method'
    | 'misconfigured';
  /** What became of the last try, while the order is open. */
  last?: 'failed' | 'not_paid' | 'retry_is_safe' | undefined;
  /** The key of the block that `last` is about; absent if the server does not know it. */
  key_id?: string | undefined;
  /** The service's reason for a decline. */
  reason?: string | null | undefined;
  /** The id of the intent that is paid. */
  reference?: string | undefined;
  /** The id of the order: with a key, and with `not_certain`. */
  order?: string | undefined;
  /** Only for a page that has asked for a key. */
  key?: CardEncryptionKey | undefined;
}

/** What the shopper is told. */
export interface ShownOutcome {
  /** How the payment of the order stands. */
  status: OutcomeStatus;
  /** The text for the shopper; empty for an order that nobody has tried to pay. */
  text: string;
  /** Whether nothing can be paid on this page any more. Then it must show no form. */
  isClosed: boolean;
  /** What became of the last try, while the order is open. */
  last?: CheckoutResponse['last'];
  /** The service's reason for a decline. */
  reason?: string | null | undefined;
  /** The id of the intent that is paid. */
  reference?: string | undefined;
  /** The id of the order, with `not_certain`. */
  order?: string | undefined;
}

/** The names of the texts about outcomes. */
export type OutcomeText =
  /** The outcome of this name. */
  | Exclude<OutcomeStatus, 'open'>
  /** The outcome `failed`, if the order gets no further key: too many cards were declined. */
  | 'failed_too_often'
  /** The outcome `not_certain`, if the page does not know the id of the order. */
  | 'not_certain_without_order';

/** The shop's own texts. `{order}` in `not_certain` stands for the id of the order. */
export type OutcomeMessages = Partial<Record<OutcomeText, string | undefined>>;

/** The default texts. */
export const ENGLISH_OUTCOMES: Record<OutcomeText, string> = {
  committed: 'Thank you. You have paid.',
  authorized: 'Thank you. The amount is reserved on your card.',
  failed: 'Your card was declined. You have not paid. Please try another card.',
  failed_too_often:
    'Your card was declined, and no other card can be tried. You have not paid. Please contact us.',
  not_paid: 'The payment could not be made. You have not paid. Please enter your card again.',
  retry_is_safe:
    'We do not know yet whether you have paid. Please enter your card again: you cannot pay twice.',
  not_certain:
    'We do not know whether you have paid. ' +
    'Please do not pay again, and contact us about order {order}.',
  not_certain_without_order:
    'We do not know whether you have paid. Please do not pay again, and contact us.',
  invalid_encrypted_card:
    'The shop could not read what was sent. Please enter your card again: you cannot pay twice.',
  no_order:
    'Nothing was sent now: this page is out of date. Please reload it. ' +
    'If you have tried to pay before, contact us first.',
};

/** After these nobody may enter a card into the page. */
const CLOSED: OutcomeStatus[] = ['committed', 'authorized', 'not_certain', 'no_order'];

/** Whether nothing can be paid on the page after this outcome, with a key or without one. */
export const closesPage = (status: OutcomeStatus): boolean => CLOSED.includes(status);

/**
 * Says what a shopper reads about an outcome. It needs no page, so a server that renders the
 * checkout can use it, too.
 *
 * @param outcome - What `checkout.outcome` returns, or what `checkout.handle` has sent.
 * @param messages - Texts of your own. Default: English, for each text that is missing or empty.
 * @param hasNoKey - Whether the order gets no further key. After `failed`, no other card can be
 * tried then: `checkout.outcome` says `failed` only of such an order. Default: false.
 * @returns The text, and whether the page must show no form.
 *
 * @example
 * ```ts
 * import { shownOf } from 'cardseal/pay';
 *
 * const { text, isClosed } = shownOf({ status: 'committed', reference: 'pi_17' });
 * console.log(text); // Thank you. You have paid.
 * console.log(isClosed); // true
 * ```
 */
export function shownOf(
  outcome: Omit<CheckoutResponse, 'status'> & { status: OutcomeStatus },
  messages: OutcomeMessages = {},
  hasNoKey = false,
): ShownOutcome {
  const { status, last, reason, reference, order } = outcome;
  const isClosed = hasNoKey || closesPage(status);
  const told = { status, isClosed, last, reason, reference, order };
  return { ...told, text: textOf(told, messages) };
}

function textOf(told: Omit<ShownOutcome, 'text'>, messages: OutcomeMessages): string {
  const name = nameOf(told);
  if (!name) return '';
  const own = messages[name];
  const text = own && typeof own === 'string' ? own : ENGLISH_OUTCOMES[name];
  return text.split('{order}').join(told.order ?? '');
}

function nameOf({ status, isClosed, last, order }: Omit<ShownOutcome, 'text'>) {
  if (status === 'open') return last;
  if (status === 'failed' && isClosed) return 'failed_too_often';
  return status === 'not_certain' && !order ? 'not_certain_without_order' : status;
}

/** Whether a status is one that a shopper can be told. */
export const isOutcome = (status: unknown): status is OutcomeStatus =>
  status === 'open' || Object.keys(ENGLISH_OUTCOMES).indexOf(status as string) >= 0;
