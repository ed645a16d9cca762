import { type Html, html } from './html.ts';
import type { Texts } from './texts.ts';

/**
 * The five card controls. Below each is the place where cardseal writes what is wrong with it: the
 * element that `aria-describedby` names, marked with `data-cardseal-message`. Month and year share
 * one. No control has a name, so no form ever posts it.
 */
export function cardFields(texts: Texts): Html {
  const months = Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(2, '0'));
  const years = Array.from({ length: 20 }, (_, i) => String(new Date().getUTCFullYear() + i));
  return html`
        <div class="card">
          <div class="field">
            <label for="number">${texts.number}</label>
            <input id="number" autocomplete="cc-number" inputmode="numeric"
              aria-describedby="number-problem">
            ${message('number-problem')}
          </div>
          <div class="field">
            <label for="name">${texts.name}</label>
            <input id="name" autocomplete="cc-name" spellcheck="false"
              aria-describedby="name-problem">
            ${message('name-problem')}
          </div>
          <div class="row">
            <div class="expiry">
              <div class="field">
                <label for="exp_month">${texts.month}</label>
                <select id="exp_month" autocomplete="cc-exp-month"
                  aria-describedby="expiry-problem">${options(months)}</select>
              </div>
              <div class="field">
                <label for="exp_year">${texts.year}</label>
                <select id="exp_year" autocomplete="cc-exp-year"
                  aria-describedby="expiry-problem">${options(years)}</select>
              </div>
              ${message('expiry-problem')}
            </div>
            <div class="field">
              <label for="cvv">${texts.code}</label>
              <input id="cvv" autocomplete="cc-csc" inputmode="numeric"
                aria-describedby="cvv-problem">
              ${message('cvv-problem')}
            </div>
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
  return html`<button disabled autocomplete="off" data-cardseal-enable>${label}</button>
        <noscript><p class="notice">${texts.needsScript}</p></noscript>`;
}

const message = (id: string) => html`<p id="${id}" class="problem" data-cardseal-message></p>`;

const options = (values: string[]) =>
  ['', ...values].map((value) => html`<option value="${value}">${value}</option>`);
