import type { CardEncryptionError, encryptCard, prepareKey } from '../core/index.ts';
import type { CardFormBinding, CardFormOptions } from '../form/index.ts';

/** All of `cardseal`, and `bindCardForm`. */
export interface ScriptTag {
  readonly CardEncryptionError: typeof CardEncryptionError;
  readonly encryptCard: typeof encryptCard;
  readonly prepareKey: typeof prepareKey;
  /**
   * As `bindCardForm` of `cardseal/form`, with the form's attributes as options. An option that is
   * given wins over its attribute.
   */
  bindCardForm(form: HTMLFormElement, options?: Partial<CardFormOptions>): CardFormBinding;
}

declare global {
  interface CardsealGlobal extends ScriptTag {}

  /** What `cardseal.js` or `cardseal.pay.js` adds to the page. */
  var Cardseal: CardsealGlobal;
}
