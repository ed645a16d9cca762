import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CardEncryptionKey } from 'cardseal';
import { cardFields } from '../card-fields.ts';
import { frame, money } from '../frame.ts';
import { html } from '../html.ts';
import type { Order } from '../order.ts';

/** Of the built script-tag file. */
const { 'cardseal.js': integrity } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../dist/integrity.json'), 'utf8'));

/**
 * The page with the card form for shops without a script of their own: the script tag encrypts the card, the browser submits the form. Must
 * be sent with `Cache-Control: no-store`, because the key is of this checkout alone.
 *
 * @param key - What `browserKey` picked.
 * @param notice - Why the shopper sees the form again.
 */
export function plainPage(order: Order, key: CardEncryptionKey, notice?: string): string {
  return frame({
    title: notice ?? 'Checkout',
    script: html`<script src="/assets/cardseal.js" integrity="${integrity}" defer></script>`,
    body: html`<h1>Checkout</h1>
      ${notice && html`<p class="notice" role="alert" tabindex="-1" autofocus>${notice}</p>`}
      <p>${order.description}: <strong>${money(order)}</strong></p>
      <noscript><p class="notice">Paying needs JavaScript: it encrypts your card on this page. Without it nothing of it is sent.</p></noscript>
      <form method="post" action="/checkout/plain/pay" data-cardseal data-cardseal-key="${JSON.stringify(key)}">
        ${cardFields()}
        <button>Pay ${money(order)}</button>
      </form>`,
  });
}
