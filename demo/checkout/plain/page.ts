import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CardEncryptionKey } from 'cardseal';
import { cardFields, payButton, paymentMethods } from '../card-fields.ts';
import { frame, money, noticeLine } from '../frame.ts';
import { html } from '../html.ts';
import type { Order } from '../order.ts';
import { fill, type Notice, noticeText, type Texts } from '../texts.ts';

/** Of the built script-tag file. */
const { 'cardseal.js': integrity } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../dist/integrity.json'), 'utf8'),
);

/**
 * The page with the card form for shops without a script of their own: the script tag encrypts the
 * card, the browser submits the form. Must be sent with `Cache-Control: no-store`, because the key
 * belongs to this checkout alone.
 *
 * @param key - What `browserKey` picked. It serves for the first card; cardseal asks the server for
 * every later key.
 * @param notice - Why the shopper sees the form again.
 */
export function plainPage(
  order: Order & { id: string },
  key: CardEncryptionKey,
  texts: Texts,
  notice?: Notice,
): string {
  const { language, messages = {} } = texts;
  const amount = money(order, language);
  const reason = notice && noticeText(texts, notice);
  const keyJson = JSON.stringify(key);
  const messagesJson = JSON.stringify(messages);
  return frame({
    language,
    title: reason ?? texts.checkout,
    script: html`<script src="/assets/cardseal.js" integrity="${integrity}" defer></script>`,
    body: html`<h1>${texts.checkout}</h1>
      ${noticeLine(reason)}
      <p>${texts.book}: <strong>${amount}</strong></p>
      <form method="post" action="/checkout/plain/pay" data-cardseal data-cardseal-key="${keyJson}"
        data-cardseal-key-url="/checkout/key/${order.id}"
        data-cardseal-when="[value=card]:checked" data-cardseal-messages="${messagesJson}">
        ${paymentMethods(texts)}
        ${cardFields(texts)}
        <p role="status" data-cardseal-status></p>
        ${payButton(fill(texts.pay, { amount }), texts)}
      </form>`,
  });
}
