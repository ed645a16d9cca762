import { frame, money } from './frame.ts';
import { html } from './html.ts';

/** What the service told of a payment that succeeded. `amount`: minor units. */
export interface Receipt {
  id: string;
  status: string;
  amount: number;
  currency: string;
  payment_method: { brand: string; last4: string } | null;
}

export function receiptPage({ id, status, payment_method, ...order }: Receipt): string {
  return frame({
    title: 'Paid',
    body: html`<h1>Thank you</h1>
      <dl>
        <dt>Amount</dt><dd>${money(order)}</dd>
        <dt>Status</dt><dd>${status}</dd>
        <dt>Card</dt><dd>${payment_method?.brand} ending in ${payment_method?.last4}</dd>
        <dt>Reference</dt><dd>${id}</dd>
      </dl>
      ${newOrder}`,
  });
}

export function processingPage(): string {
  return frame({
    title: 'Payment under way',
    body: html`<h1>Your payment is under way</h1>
      <p>Please do not pay again. <a href="/checkout">See how it went</a></p>`,
  });
}

/** The service's answer was lost, so the card must not be asked for again: the merchant resolves the intent. */
export function unknownPage(intentId: string): string {
  return frame({
    title: 'Payment not confirmed',
    body: html`<h1>We do not know yet whether you have paid</h1>
      <p>Please do not pay again. We are finding out and will tell you. Your reference: <strong>${intentId}</strong></p>
      ${newOrder}`,
  });
}

/** Of what went wrong only `text`, which is fixed: an error can repeat what was posted. */
export function problemPage(text: string): string {
  return frame({
    title: 'Something went wrong',
    body: html`<h1>Something went wrong</h1>
      <p>${text}</p>
      <p><a href="/checkout">Start again</a></p>`,
  });
}

const newOrder = html`<form method="post" action="/checkout/new"><button>Place another order</button></form>`;
