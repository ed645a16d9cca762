import { type Html, html } from './html.ts';
import type { Texts } from './texts.ts';

/**
 * The four card controls. Below each is the place where cardseal writes what is wrong with it: the
 * element that `aria-describedby` names, marked with `data-cardseal-message`. No control has a
 * name, so no form ever posts it.
 */
export function cardFields(texts: Texts): Html {
  return html`
          <div class="card">
            <div class="field">
              <label for="number">${texts.number}</label>
              <div class="with-brand">
                <input id="number" autocomplete="cc-number" inputmode="numeric"
                  placeholder="1234 1234 1234 1234" aria-describedby="number-problem">
                <output id="brand" for="number"></output>
              </div>
              ${message('number-problem')}
            </div>
            <div class="row">
              <div class="field">
                <label for="expiry">${texts.expiry}</label>
                <input id="expiry" autocomplete="cc-exp" inputmode="numeric"
                  placeholder="${texts.expiryHint}" aria-describedby="expiry-problem">
                ${message('expiry-problem')}
              </div>
              <div class="field">
                <label for="code">${texts.code}</label>
                <input id="code" autocomplete="cc-csc" inputmode="numeric"
                  placeholder="123" aria-describedby="code-problem">
                ${message('code-problem')}
              </div>
            </div>
            <div class="field">
              <label for="name">${texts.name}</label>
              <input id="name" autocomplete="cc-name" spellcheck="false"
                aria-describedby="name-problem">
              ${message('name-problem')}
            </div>
          </div>`;
}

/**
 * The shopper's choice of how to pay. The stylesheet hides the card fields when it is the invoice.
 */
export function paymentMethods(texts: Texts): Html {
  return html`
          <fieldset class="methods">
            <legend>${texts.method}</legend>
            <label><input type="radio" name="payment_method" value="card"
              checked> ${texts.byCard}</label>
            <label><input type="radio" name="payment_method" value="invoice"
              > ${texts.byInvoice}</label>
          </fieldset>`;
}

/**
 * The button is disabled until cardseal has bound the form and enables it: no press comes too
 * early. `autocomplete="off"` keeps Firefox from restoring the state that the button had when the
 * page was reloaded.
 */
export function payButton(label: string, texts: Texts): Html {
  return html`<p role="status" data-cardseal-status></p>
          <button disabled autocomplete="off" data-cardseal-enable>${label}</button>
          <noscript><p class="notice">${texts.needsScript}</p></noscript>`;
}

const message = (id: string) => html`<p id="${id}" class="problem" data-cardseal-message></p>`;
