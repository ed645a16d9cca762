/**
 * The script tag: binds each form with `data-cardseal`, and adds the global `Cardseal`.
 *
 * How to set it up: docs/script-tag.md. `/// <reference types="cardseal/cardseal.js" />` declares
 * the global.
 */

import type { CardEncryptionError, encryptCard, prepareKey } from '../core/index.ts';
import type { CardFormBinding, CardFormOptions } from '../form/index.ts';

/** The global `Cardseal`: all of `cardseal`, and `bindCardForm`. */
export interface ScriptTag {
  /** As in `cardseal`: docs/api/core.md#cardencryptionerror */
  readonly CardEncryptionError: typeof CardEncryptionError;
  /** As in `cardseal`: docs/api/core.md#encryptcard */
  readonly encryptCard: typeof encryptCard;
  /** As in `cardseal`: docs/api/core.md#preparekey */
  readonly prepareKey: typeof prepareKey;
  /**
   * Binds a form at once, as `bindCardForm` of `cardseal/form` does: docs/api/form.md#bindcardform.
   * The form's attributes are options, too. An option that is given wins over its attribute. The
   * form needs no `data-cardseal` then.
   *
   * @param form - For example one in a closed shadow root, where the tag cannot look.
   * @param options - None is required if the form has an attribute for the key.
   * @throws {@link CardEncryptionError} `invalid_form` if `form` is not a form of this window.
   *
   * @example
   * ```html
   * <script src="/js/cardseal.js"></script>
   * <form method="post" action="/pay" data-cardseal-key-url="/card-key">
   *   <label>Card number <input autocomplete="cc-number" inputmode="numeric"></label>
   *   <label>Name on card <input autocomplete="cc-name"></label>
   *   <label>Expiry date <input autocomplete="cc-exp" placeholder="MM/YY"></label>
   *   <label>Security code <input autocomplete="cc-csc" inputmode="numeric"></label>
   *   <button>Pay</button>
   * </form>
   * <script>
   *   const binding = Cardseal.bindCardForm(document.forms[0], { luhn: true });
   * </script>
   * ```
   */
  bindCardForm(form: HTMLFormElement, options?: Partial<CardFormOptions>): CardFormBinding;
}

declare global {
  interface CardsealGlobal extends ScriptTag {}

  /** What `cardseal.js` or `cardseal.pay.js` adds to the page. */
  var Cardseal: CardsealGlobal;
}
