import type { CheckoutResponse } from 'cardseal/pay';
import { cardFields, payButton, paymentMethods } from './card-fields.ts';
import { frame } from './frame.ts';
import { type Html, html } from './html.ts';
import { money } from './money.ts';
import type { Order } from './order.ts';
import { fill, type Texts } from './texts.ts';

/** What both pages with the card form have. */
interface FormPage {
  /** The address of the page. The form's own addresses are below it. */
  at: string;
  order: Order;
  texts: Texts;
  /** What else the shopper has to read. */
  notice?: string | undefined;
}

/**
 * The page whose script binds the form. It is an ES module of the shop.
 *
 * @param outcome - How the order stands: the page does not ask for it.
 */
export function bundledPage(page: FormPage & { outcome: CheckoutResponse }): string {
  const { at, outcome, order } = page;
  const known = JSON.stringify({ ...outcome, order: order.id });
  return formPage(page, {
    script: html`<script type="module" src="/assets/bundled.js"></script>`,
    attributes: html`data-url="${at}/payment" data-outcome="${known}"`,
  });
}

/**
 * The same page for a shop without a script of its own: the attributes tell the script tag
 * everything.
 *
 * @param script - The address and the hash of `cardseal.pay.js`.
 */
export function tagPage(page: FormPage, script: { src: string; integrity: string }): string {
  const { at, texts } = page;
  const messages = JSON.stringify(texts.messages ?? {});
  return formPage(page, {
    script: html`<script src="${script.src}" integrity="${script.integrity}" defer></script>`,
    attributes: html`data-cardseal-url="${at}/payment" data-cardseal-when="[value=card]:checked"
          data-cardseal-messages="${messages}"`,
  });
}

function formPage(
  { at, order, texts, notice = '' }: FormPage,
  { script, attributes }: { script: Html; attributes: Html },
): string {
  const { language } = texts;
  const amount = money(order, language);
  return frame({
    language,
    title: texts.checkout,
    script,
    body: html`<h1>${texts.checkout}</h1>
      <p class="notice" role="alert" data-cardseal-outcome>${notice}</p>
      <div class="columns">
        <form id="checkout" method="post" action="${at}/invoice"
          ${attributes}>
          ${paymentMethods(texts)}
          ${cardFields(texts)}
          ${payButton(fill(texts.pay, { amount }), texts)}
        </form>
        <section class="summary" aria-labelledby="summary">
          <h2 id="summary">${texts.order}</h2>
          <dl>
            <dt>${texts.book}</dt><dd>${amount}</dd>
            <dt class="total">${texts.total}</dt><dd class="total">${amount}</dd>
          </dl>
        </section>
      </div>`,
  });
}
