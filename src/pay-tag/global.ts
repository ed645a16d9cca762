import type { bindCheckout } from '../pay/index.ts';
import type { ScriptTag } from '../script-tag/global.ts';

/** All of `cardseal.js`, and `bindCheckout`. */
export interface PayTag extends ScriptTag {
  /** As `bindCheckout` of `cardseal/pay`. */
  readonly bindCheckout: typeof bindCheckout;
}

declare global {
  interface CardsealGlobal extends PayTag {}
}
