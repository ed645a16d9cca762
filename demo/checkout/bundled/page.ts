import { cardFields } from '../card-fields.ts';
import { frame, money } from '../frame.ts';
import { html } from '../html.ts';
import type { Order } from '../order.ts';

/**
 * The page with the card form. Its script asks for the key, enables the button, and sends what cardseal made of the card.
 *
 * @param notice - Why the shopper sees the form again.
 */
export function bundledPage(order: Order, notice?: string): string {
  return frame({
    title: notice ?? 'Checkout',
    script: html`<script type="module" src="/assets/bundled.js"></script>`,
    body: html`<h1>Checkout</h1>
      ${notice && html`<p class="notice" role="alert" tabindex="-1" autofocus>${notice}</p>`}
      <p>${order.description}: <strong>${money(order)}</strong></p>
      <noscript><p class="notice">Paying needs JavaScript: it encrypts your card on this page. Without it nothing can be sent.</p></noscript>
      <form id="checkout" method="post" action="/checkout/pay">
        ${cardFields()}
        <button disabled>Pay ${money(order)}</button>
        <p id="status" role="status">Preparing the encryption …</p>
      </form>`,
  });
}
