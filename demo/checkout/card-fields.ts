import { type Html, html } from './html.ts';

/** The five card controls, and below each a place for what is wrong with it. None has a name, so no form ever posts them by itself. */
export function cardFields(): Html {
  const months = Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(2, '0'));
  const years = Array.from({ length: 20 }, (_, i) => String(new Date().getUTCFullYear() + i));
  const options = (values: string[]) => ['', ...values].map((value) => html`<option value="${value}">${value}</option>`);
  return html`
        <div class="field">
          <label for="number">Card number</label>
          <input id="number" autocomplete="cc-number" inputmode="numeric" aria-describedby="number-problem">
          <p id="number-problem" class="problem"></p>
        </div>
        <div class="field">
          <label for="name">Name on card</label>
          <input id="name" autocomplete="cc-name" spellcheck="false" aria-describedby="name-problem">
          <p id="name-problem" class="problem"></p>
        </div>
        <div class="row">
          <div class="field">
            <label for="exp_month">Expiry month</label>
            <select id="exp_month" autocomplete="cc-exp-month" aria-describedby="exp_month-problem">${options(months)}</select>
            <p id="exp_month-problem" class="problem"></p>
          </div>
          <div class="field">
            <label for="exp_year">Expiry year</label>
            <select id="exp_year" autocomplete="cc-exp-year" aria-describedby="exp_year-problem">${options(years)}</select>
            <p id="exp_year-problem" class="problem"></p>
          </div>
          <div class="field">
            <label for="cvv">Security code</label>
            <input id="cvv" autocomplete="cc-csc" inputmode="numeric" aria-describedby="cvv-problem">
            <p id="cvv-problem" class="problem"></p>
          </div>
        </div>`;
}
