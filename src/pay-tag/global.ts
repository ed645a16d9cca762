/**
 * The second script file: all of `cardseal.js`, and `bindCheckout` for each form with
 * `data-cardseal-url`.
 *
 * What both halves of a checkout do: docs/pay.md.
 * `/// <reference types="cardseal/cardseal.pay.js" />` declares the global.
 */

import type { bindCheckout } from '../pay/index.ts';
import type { ScriptTag } from '../script-tag/global.ts';

/**
 * The global `Cardseal`: all of `cardseal.js`, and `bindCheckout`.
 *
 * @example
 * ```html
 * <script src="/js/cardseal.pay.js" defer></script>
 * <form data-cardseal-url="/checkout">
 *   <label>Card number <input autocomplete="cc-number" inputmode="numeric"></label>
 *   <label>Name on card <input autocomplete="cc-name"></label>
 *   <label>Expiry date <input autocomplete="cc-exp" placeholder="MM/YY"></label>
 *   <label>Security code <input autocomplete="cc-csc" inputmode="numeric"></label>
 *   <button disabled autocomplete="off" data-cardseal-enable>Pay</button>
 * </form>
 * ```
 */
export interface PayTag extends ScriptTag {
  /** As in `cardseal/pay`: docs/api/pay.md#bindcheckout */
  readonly bindCheckout: typeof bindCheckout;
}

declare global {
  interface CardsealGlobal extends PayTag {}
}
