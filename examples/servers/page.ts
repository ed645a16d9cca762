import type { Order, Outcome } from 'cardseal/checkout';

/** An HTTP response, with every header that it needs. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const AGAIN = '<a href="/checkout">Please enter your card again</a>.';
export const TEXTS: Record<Outcome['status'], string> = {
  open: '',
  committed: 'Thank you. You have paid.',
  authorized: 'Thank you. The amount is reserved on your card.',
  failed: `Your card was declined. You have not paid. ${AGAIN}`,
  not_paid: `The payment could not be made. You have not paid. ${AGAIN}`,
  retry_is_safe: `We do not know yet whether you have paid. You cannot pay twice. ${AGAIN}`,
  not_certain: 'It is not certain whether you have paid. Please do not pay again, and contact us.',
  no_order: 'This page is out of date. If you have pressed Pay before, please contact us.',
  invalid_encrypted_card: 'The shop did not accept what was sent.',
};

const WITHDRAWN = 'This order was given up. No card was charged for it.';

export const DECLINED_TOO_OFTEN =
  '<p>Your card was declined, and no other card can be tried. Please contact us.</p>';

const NEW_ORDER =
  '<form method="post" action="/checkout/new"><button>Place another order</button></form>';

export function textOf(outcome: Outcome, order: Order | undefined): string {
  const contact = order ? `contact us about order ${order.id}` : 'contact us';
  const text = TEXTS[outcome.status].replace('contact us', contact);
  const isWithdrawn = outcome.status === 'no_order' && !outcome.key_id;
  const isOver = isWithdrawn || 'reference' in outcome;
  return `<p>${isWithdrawn ? WITHDRAWN : text}</p>${isOver ? NEW_ORDER : ''}`;
}

export const FORM = `<script src="/js/cardseal.js" defer></script>
<form method="post" action="/checkout/pay" data-cardseal data-cardseal-key-url="/checkout/key">
  <label>Card number <input autocomplete="cc-number" inputmode="numeric"></label>
  <label>Name on card <input autocomplete="cc-name"></label>
  <label>Expiry date <input autocomplete="cc-exp" placeholder="MM/YY"></label>
  <label>Security code <input autocomplete="cc-csc" inputmode="numeric"></label>
  <button type="submit">Pay</button>
</form>`;

export function html(body: string, status = 200, headers = {}): Answer {
  const type = 'text/html; charset=utf-8';
  const page = `<!doctype html><meta charset="utf-8"><title>Checkout</title>${body}`;
  return { status, headers: { 'content-type': type, ...NO_STORE, ...headers }, body: page };
}

export function json(body: object, status: number, headers = {}): Answer {
  const all = { 'content-type': 'application/json', ...NO_STORE, ...headers };
  return { status, headers: all, body: JSON.stringify(body) };
}

const NO_STORE = { 'cache-control': 'no-store' };
