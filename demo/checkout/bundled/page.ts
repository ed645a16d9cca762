import { cardFields, payButton, paymentMethods } from '../card-fields.ts';
import { frame, money, noticeLine } from '../frame.ts';
import { html } from '../html.ts';
import type { Order } from '../order.ts';
import { ENGLISH, fill, type Notice, noticeText } from '../texts.ts';

/**
 * The page with the card form. Its script asks for the key and sends what cardseal made of the
 * card. The address of the key names the order: the page gets no key for another one.
 *
 * @param notice - Why the shopper sees the form again.
 */
export function bundledPage(order: Order & { id: string }, notice?: Notice): string {
  const amount = money(order);
  const reason = notice && noticeText(ENGLISH, notice);
  return frame({
    title: reason ?? ENGLISH.checkout,
    script: html`<script type="module" src="/assets/bundled.js"></script>`,
    body: html`<h1>${ENGLISH.checkout}</h1>
      ${noticeLine(reason)}
      <p>${order.description}: <strong>${amount}</strong></p>
      <form id="checkout" method="post" action="/checkout/pay"
        data-key-url="/checkout/key/${order.id}">
        ${paymentMethods(ENGLISH)}
        ${cardFields(ENGLISH)}
        <p role="status" data-cardseal-status></p>
        ${payButton(fill(ENGLISH.pay, { amount }), ENGLISH)}
        <p id="status" role="status">Preparing the encryption …</p>
      </form>`,
  });
}
