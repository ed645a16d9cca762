import { randomUUID } from 'node:crypto';
import { createCheckout, type IssuedKey, type Order } from 'cardseal/checkout';
import { type Answer, DECLINED_TOO_OFTEN, FORM, html, json, TEXTS, textOf } from './page.js';
import { store } from './store.js';

export const checkout = createCheckout({
  payments: {
    baseUrl: process.env.CARD_PAYMENTS_URL!,
    secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
  },
  store,
  /** Again, with the same reference, if it throws or the process dies: docs/delivery.md. */
  async onPaid({ id }, { reference }) {
    console.log(`Paid: order ${id}, ${reference}`); // in your shop: send the mail, once for each
  },
});

/** In your shop: the order in the shopper's session. Its price never comes from the page. */
export function orderOf(cookieHeader: string | undefined): Order | undefined {
  const id = /(?:^|; )order=([\w-]{36})(?:;|$)/.exec(cookieHeader ?? '')?.[1];
  return id ? { id, amount: 1000, currency: 'USD' } : undefined;
}

/** The page sets it, not the request for a key: a page may ask for two keys at once. */
export function orderCookie(): string {
  const secure = process.env.NODE_ENV === 'production' ? '; Secure' : '';
  return `order=${randomUUID()}; HttpOnly; SameSite=Lax; Path=/${secure}`;
}

/** The address that your one proxy has seen: it comes last. The sender can write those before. */
const senderOf = (forwardedFor: string | undefined) => forwardedFor?.split(',').at(-1)?.trim();

/** GET /checkout: the form, or how the payment went. */
export async function showCheckout(order: Order | undefined): Promise<Answer> {
  if (!order) return html(FORM, 200, { 'set-cookie': orderCookie() });
  const outcome = await checkout.outcome(order.id);
  if (outcome.status === 'failed') return html(DECLINED_TOO_OFTEN); // the order gets no further key
  if (outcome.status !== 'open') return html(textOf(outcome, order));
  return html(outcome.last ? `<p role="alert">${TEXTS[outcome.last]}</p>${FORM}` : FORM);
}

/** POST /checkout/key: for the form. `forwardedFor`: the header X-Forwarded-For. */
export async function sendKey(order: Order | undefined, forwardedFor?: string): Promise<Answer> {
  if (!order) return json({ status: 'no_order' }, 409);
  const answer: IssuedKey = await checkout.issueKey(order, { sender: senderOf(forwardedFor) });
  const retry = answer.status === 429 ? { 'retry-after': String(answer.retryAfter) } : {};
  return json(answer.body, answer.status, retry);
}

/** The headers Content-Type, Accept and X-Forwarded-For. */
export interface PayHeaders {
  type: string | undefined;
  accept: string | undefined;
  forwardedFor: string | undefined;
}

/** POST /checkout/pay. `body` is the text of the body, which nothing has parsed yet. */
export async function takePayment(
  order: Order | undefined,
  headers: PayHeaders,
  body: string,
): Promise<Answer> {
  // A block without an order may have been charged before the cookie was lost.
  const known = order ?? { id: randomUUID(), amount: 1000, currency: 'USD' };
  const sender = senderOf(headers.forwardedFor);
  const outcome = await checkout.pay(known, headers.type, body, { sender });
  const status = outcome.status === 'invalid_encrypted_card' ? 400 : 200;
  const isPage = headers.accept?.includes('text/html');
  return isPage ? html(textOf(outcome, order), status) : json(outcome, status);
}

/** POST /checkout/new, on "Place another order": begins one only if the one before is over. */
export async function startOrder(order: Order | undefined): Promise<Answer> {
  const outcome = order && (await checkout.outcome(order.id));
  const headers: Record<string, string> = { location: '/checkout' };
  const isOver = outcome && ('reference' in outcome || outcome.status === 'no_order');
  if (isOver) headers['set-cookie'] = orderCookie();
  return { status: 303, headers, body: '' };
}
