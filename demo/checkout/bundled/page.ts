import type { CardEncryptionKey } from 'cardseal';
import { cardFields } from '../card-fields.ts';
import { frame, money } from '../frame.ts';
import { html } from '../html.ts';
import type { Order } from '../order.ts';

/**
 * The page with the card form. Its script enables the button once the key is ready, and sends what it made of the card by itself. Must be
 * sent with `Cache-Control: no-store`, because the key is of this checkout alone.
 *
 * @param key - What `browserKey` picked.
 * @param notice - Why the shopper sees the form again.
 */
export function bundledPage(order: Order, key: CardEncryptionKey, notice?: string): string {
  return frame({
    title: notice ?? 'Checkout',
    script: '/assets/bundled.js',
    body: html`<h1>Checkout</h1>
      ${notice && html`<p class="notice" role="alert" tabindex="-1" autofocus>${notice}</p>`}
      <p>${order.description}: <strong>${money(order)}</strong></p>
      <noscript><p class="notice">Paying needs JavaScript: it encrypts your card on this page. Without it nothing can be sent.</p></noscript>
      <form id="checkout" method="post" action="/checkout/pay" data-key="${JSON.stringify(key)}" novalidate>
        ${cardFields()}
        <button disabled>Pay ${money(order)}</button>
        <p id="status" role="status">Preparing the encryption …</p>
        <p id="again" hidden><a href="/checkout">Start again</a></p>
      </form>`,
  });
}
