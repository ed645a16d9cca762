import { shownOf } from 'cardseal/pay';
import { frame } from './frame.ts';
import { type Html, html } from './html.ts';
import { money } from './money.ts';
import type { Order } from './order.ts';
import { fill, type Texts } from './texts.ts';

/** What the service told of a payment that succeeded. */
export interface Receipt {
  status: 'committed' | 'authorized';
  /** The id of the intent. */
  reference: string;
  card: { brand: string; last4: string } | null;
}

/** @param at - The address of the page. */
export function receiptPage(
  at: string,
  order: Order,
  { status, reference, card }: Receipt,
  texts: Texts,
): string {
  const { language } = texts;
  return frame({
    language,
    title: texts.paid,
    body: html`<h1>${texts.thanks}</h1>
      <dl class="receipt">
        <dt>${texts.amount}</dt><dd>${money(order, language)}</dd>
        <dt>${texts.status}</dt><dd>${texts.statuses[status]}</dd>
        ${card ? cardRow(card, texts) : ''}
        <dt>${texts.reference}</dt><dd>${reference}</dd>
      </dl>
      ${newOrder(at, texts)}`,
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

export function invoicePage(at: string, order: Order, texts: Texts): string {
  const { language } = texts;
  return frame({
    language,
    title: texts.byInvoice,
    body: html`<h1>${texts.thanks}</h1>
      <dl class="receipt">
        <dt>${texts.amount}</dt><dd>${money(order, language)}</dd>
      </dl>
      <p>${texts.invoiced}</p>
      ${newOrder(at, texts)}`,
  });
}

/**
 * The service's answer was lost, so the card must not be asked for again, and no other order is
 * offered: people resolve this one.
 */
export function unknownPage(order: Order, texts: Texts): string {
  const { text } = shownOf({ status: 'not_certain', order: order.id }, texts.messages);
  return frame({
    language: texts.language,
    title: texts.notConfirmed,
    body: html`<h1>${texts.notConfirmed}</h1>
      <p role="alert">${text}</p>`,
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

const newOrder = (at: string, { newOrder }: Texts) =>
  html`<form method="post" action="${at}/new"><button>${newOrder}</button></form>`;
