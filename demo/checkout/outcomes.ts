import { frame, money } from './frame.ts';
import { type Html, html } from './html.ts';
import type { Order } from './order.ts';
import { fill, type Notice, noticeText, type Texts } from './texts.ts';

/** What the service told of a payment that succeeded. `amount`: minor units. */
export interface Receipt {
  id: string;
  status: 'committed' | 'authorized';
  amount: number;
  currency: string;
  payment_method: { brand: string; last4: string } | null;
}

export function receiptPage(
  { id, status, payment_method, ...price }: Receipt,
  texts: Texts,
): string {
  const { language } = texts;
  return frame({
    language,
    title: texts.paid,
    body: html`<h1>${texts.thanks}</h1>
      <dl>
        <dt>${texts.amount}</dt><dd>${money(price, language)}</dd>
        <dt>${texts.status}</dt><dd>${texts.statuses[status]}</dd>
        ${payment_method ? cardRow(payment_method, texts) : ''}
        <dt>${texts.reference}</dt><dd>${id}</dd>
      </dl>
      ${newOrder(texts)}`,
  });
}

/** How brands are written; of any other the last four digits say enough. */
const BRANDS: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  maestro: 'Maestro',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

function cardRow({ brand, last4 }: { brand: string; last4: string }, texts: Texts): Html {
  const name = Object.entries(BRANDS).find(([code]) => code === brand)?.[1] ?? texts.card;
  return html`<dt>${texts.card}</dt><dd>${fill(texts.cardEnding, { brand: name, last4 })}</dd>`;
}

export function invoicePage(order: Order, texts: Texts): string {
  const { language } = texts;
  return frame({
    language,
    title: texts.byInvoice,
    body: html`<h1>${texts.thanks}</h1>
      <dl>
        <dt>${texts.amount}</dt><dd>${money(order, language)}</dd>
      </dl>
      <p>${texts.invoiced}</p>
      ${newOrder(texts)}`,
  });
}

/**
 * The service's answer was lost, so the card must not be asked for again, and no other order is
 * offered: people resolve this one.
 */
export function unknownPage(orderId: string, texts: Texts): string {
  return frame({
    language: texts.language,
    title: texts.notConfirmed,
    body: html`<h1>${texts.unknown}</h1>
      <p>${texts.doNotPayAgain} ${texts.findingOut} <strong>${orderId}</strong></p>`,
  });
}

/**
 * A card arrived, but the server does not know its order: it may have been restarted after the card
 * was charged.
 */
export function uncertainPage(texts: Texts): string {
  return frame({
    language: texts.language,
    title: texts.notConfirmed,
    body: html`<h1>${texts.uncertain}</h1>
      <p>${texts.doNotPayAgain} ${texts.askUs}</p>`,
  });
}

/** An earlier order that was not paid. */
export function unpaidPage(texts: Texts, notice: Notice | undefined): string {
  return frame({
    language: texts.language,
    title: texts.notPaid,
    body: html`<h1>${texts.notPaid}</h1>
      ${notice && html`<p>${noticeText(texts, notice)}</p>`}
      ${newOrder(texts)}`,
  });
}

/** It shows only `text`, which is fixed: an error can repeat the posted data. */
export function problemPage(text: string): string {
  return frame({
    title: 'Something went wrong',
    body: html`<h1>Something went wrong</h1>
      <p>${text}</p>
      <p><a href="/checkout">Start again</a></p>`,
  });
}

const newOrder = ({ newOrder }: Texts) =>
  html`<form method="post" action="/checkout/new"><button>${newOrder}</button></form>`;
