import type { CardFormOptions } from '../form/index.ts';
import type { CheckoutResponse, OutcomeMessages, OutcomeStatus, ShownOutcome } from './texts.ts';

/** Texts for the shopper: those of the form, and those about outcomes. */
export type CheckoutMessages = NonNullable<CardFormOptions['messages']> & OutcomeMessages;

/** Options for `bindCheckout`. Only own properties count. */
export interface CheckoutFormOptions
  extends Pick<
    CardFormOptions,
    'luhn' | 'keyMaxAgeMs' | 'keyTimeoutMs' | 'when' | 'maskForRecorders'
  > {
  /** The address of `checkout.handle`. It must be on the page's own origin. */
  url: string;

  /**
   * The outcome, if the server has rendered it into the page: what `checkout.outcome` returned,
   * best with the id of the order as `order`. Then the page does not ask for it, unless the form is
   * bound again while a payment is under way. Absent: the page asks `url`. Without an answer, the
   * form is shown, and the request for a key tells.
   */
  outcome?: (Omit<CheckoutResponse, 'status'> & { status: OutcomeStatus }) | undefined;

  /**
   * Headers for each request, such as one with a CSRF token. If the function throws, no request
   * goes out, and the error goes to `reportError`. Default: none.
   */
  headers?: (() => Record<string, string>) | undefined;

  /** Texts for the shopper. Default: English, for each text that is missing or empty. */
  messages?: CheckoutMessages | undefined;

  /**
   * Gets everything that the shopper has to be told about the payment. If it is given, the page
   * shows the texts and removes the form itself; else the library writes the text into the element
   * with `data-cardseal-outcome`, or into one that it adds after the form, and hides the form. At
   * each press, and when the browser shows the page again, the last text goes:
   * `{ status: 'open', text: '' }`.
   */
  onOutcome?: ((shown: ShownOutcome) => void) | undefined;
}

/**
 * A checkout form that is bound.
 *
 * @example
 * ```ts
 * // checkout-binding.ts
 * import { bindCheckout } from 'cardseal/pay';
 *
 * const form = document.querySelector('form')!;
 * const binding = bindCheckout(form, { url: '/checkout' });
 *
 * // When the component is removed:
 * export const onRemove = () => binding.unbind();
 * ```
 */
export interface CheckoutBinding {
  /**
   * Stops the library's work on the form, for example when a component is removed. What `unbind()`
   * of `bindCardForm` leaves in the form stays. A payment that is on its way goes on. The next
   * binding of the form tells its outcome, and so does the next page that asks for it.
   */
  unbind(): void;
}

/**
 * Attributes of elements of the page. Those of `cardseal/form` work, too:
 * docs/api/form.md#attributes
 */
export interface OutcomeAttributes {
  /**
   * On an element of the page, best an empty `<p role="status">`: it takes the text about the
   * payment. Without it, the library adds one after the form.
   */
  'data-cardseal-outcome'?: '';
}

declare global {
  interface GlobalEventHandlersEventMap {
    /**
     * The shopper has to be told about the payment. A page that cancels this event shows the text
     * and removes the form itself. The events of `cardseal/form` are raised, too.
     */
    'cardseal:outcome': CustomEvent<ShownOutcome>;
  }
}
