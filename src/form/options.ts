import type {
  CardEncryptionError,
  CardEncryptionKey,
  CardField,
  EncryptedCard,
} from '../core/index.ts';
import type { CardProblem, FormProblem } from './feedback/texts.ts';

/** What the shopper has to correct, as `cardseal:problems` tells it. */
export interface ShownProblem {
  /** What is wrong. */
  readonly problem: CardProblem;
  /** The field of the card that it concerns. */
  readonly field: CardField;
  /** The text for the shopper: that of the option `messages`, or English. */
  readonly text: string;
  /** The controls that hold the field. A date or a name may be split over several. */
  readonly controls: (HTMLInputElement | HTMLSelectElement)[];
}

/** Options for `bindCardForm`. Only own properties count. */
export interface CardFormOptions {
  /**
   * The card encryption key as the service sent it, or a function that asks your server for one.
   *
   * The form calls a function when it is bound, and again whenever it needs another key. A key that
   * is given as an object is for one card; after that the page has to be reloaded. `restart()`, a
   * return to the page by Back, and `keyMaxAgeMs` use it up, too.
   *
   * The function gets a signal, which `unbind()`, `restart()` and `keyTimeoutMs` abort. It is
   * `undefined` in browsers without `AbortController` (Chrome before 66). If the function throws,
   * a press that waits for the key ends in a text. The error goes to `reportError`, unless it is a
   * `CardEncryptionError` or comes after the signal.
   */
  key:
    | CardEncryptionKey
    | ((signal: AbortSignal | undefined) => CardEncryptionKey | Promise<CardEncryptionKey>);

  /**
   * Called with the block, and with the button that was pressed (or `null`). The form is not
   * submitted, unless your function does so. The card's fields are empty by then. Not called for
   * buttons with `data-cardseal-button`, nor by `encrypt()`. Default: the browser submits the form.
   *
   * If it resolves to `'no_answer'`, the shopper reads that there is no answer, and the next press
   * hands over the same block. The same happens if it throws, because the card may have been sent
   * all the same; then the error goes to `reportError`, too.
   */
  onEncrypted?:
    | ((
        card: EncryptedCard,
        submitter: HTMLElement | null,
        // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing fits
      ) => void | 'no_answer' | Promise<void | 'no_answer'>)
    | undefined;

  /**
   * The name of the form field that carries the block, as JSON. It must not be empty. Default:
   * `encrypted_card`.
   */
  fieldName?: string | undefined;

  /** Whether the check digit of the card number is validated. Default: `true`. */
  luhn?: boolean | undefined;

  /**
   * The age, in milliseconds, up to which a key is used. An older key is replaced, and so is a
   * block that was made under it, until a press has passed with it. Set it below the lifetime of
   * your service's keys. Default: 600,000 (10 minutes) if `key` is a function; no limit if the key
   * is given as an object, because there is no other one.
   */
  keyMaxAgeMs?: number | undefined;

  /** How long to wait for a key, in milliseconds. Default: 15,000. */
  keyTimeoutMs?: number | undefined;

  /** Whether the form may be submitted to another origin than the page's. Default: `false`. */
  allowCrossOriginAction?: boolean | undefined;

  /**
   * Whether session recorders are kept from the card: its controls, and the hidden input of the
   * block, get the attributes by which recorders know what they may not record. Default: `true`.
   * The attributes stay after `unbind()`. More: docs/recorders.md
   */
  maskForRecorders?: boolean | undefined;

  /** Texts for the shopper. Default: English, for each text that is missing or empty. */
  messages?: Partial<Record<CardProblem | FormProblem, string | undefined>> | undefined;

  /**
   * Tells whether a press pays by card. `false` lets the press pass without a block. With or
   * without it, a press passes if its button has `data-cardseal-skip` or `formmethod="dialog"`, or
   * if the card's fields are all disabled, or are hidden and hold no digit.
   *
   * It is called at each press but `encrypt()` and those of such buttons, again before the block
   * goes out, when the form's data is collected, and when the form is checked: as it is bound, or
   * later, as it gets the focus. If the answer has changed before the block goes out, the shopper
   * reads `press_again`. If it throws, the press ends in `invalid_form`. While the form's data is
   * collected, `new FormData(form)` throws: a `when` that uses it is not asked then, and its answer
   * at the last press counts. While a press is under way, fields that the page disables or hides do
   * not make another press, or the repeat of this one, pay otherwise: `when` and the button decide.
   * Default: every press pays by card.
   */
  when?: (() => boolean) | undefined;
}

/**
 * A form that is bound.
 *
 * @example
 * ```ts
 * // card-form-binding.ts
 * import { bindCardForm } from 'cardseal/form';
 * import { testKey } from 'cardseal/testing'; // in a shop: ask your server for a key
 * import { sendCard } from './payment.ts'; // docs/payment.md
 *
 * const form = document.querySelector<HTMLFormElement>('#checkout')!;
 * const binding = bindCardForm(form, { key: () => testKey() });
 *
 * document.querySelector('#place-order')!.addEventListener('click', async () => {
 *   const block = await binding.encrypt();
 *   if (!block) return; // the shopper reads why
 *   const { result, text, asksForCard } = await sendCard(JSON.stringify(block));
 *   document.querySelector('output')!.replaceChildren(text);
 *   if (result === 'not_paid') binding.restart(); // for another card
 *   if (!asksForCard) binding.close();
 * });
 *
 * // When the component is removed:
 * export const onRemove = () => binding.unbind();
 * ```
 */
export interface CardFormBinding {
  /**
   * Resolves when the form is found correct and the first key has arrived. If another way to pay is
   * chosen, the form is checked later. Rejects with the {@link CardEncryptionError}; the rejection
   * may be ignored.
   */
  readonly ready: Promise<void>;

  /** Whether a press is under way, so that another one would have to wait. */
  readonly isBusy: boolean;

  /**
   * Opens the form for another card, for example after a decline. It drops the block, empties the
   * card's fields and asks for a new key. If your code fills a field for the next card, it does so
   * when the promise has resolved.
   *
   * @returns Resolves when the key has arrived. Rejects with a {@link CardEncryptionError}:
   * `key_unavailable` if the key was not given as a function; the page has to be reloaded then. The
   * rejection may be ignored: it is on the console, and the next press asks for a key again.
   */
  restart(): Promise<void>;

  /**
   * Stops the library's work on the form, for example when a component is removed. These changes
   * stay: the attributes of `maskForRecorders`, `autocomplete` of the card's controls, names and
   * values that were removed from them, and the live role of your own status element.
   *
   * A press under way ends, and the block is dropped. The card's fields are emptied if they hold
   * the card of a block. If your code has changed one since, by a mask for example, call
   * `restart()` first. The texts for the shopper go. If the form stays in the page,
   * `press_again` appears if this ends a press whose block is being made, and `no_answer` if it
   * stops a submit that has its block.
   */
  unbind(): void;

  /**
   * Ends the form's payments for good, for example when the order was paid in another tab. It does
   * the same as `unbind()`, but tells the shopper nothing: a press under way ends without a text,
   * and `encrypt()` resolves to `undefined`. The card's fields are emptied in any case.
   */
  close(): void;

  /**
   * Encrypts the card for a page that sends it by its own script. It validates the card, but not
   * the page's own controls, encrypts it, and empties its fields. It neither submits the form nor
   * calls `onEncrypted`. In a listener of a press that passes, such as a submit listener, it gives
   * the block of that press.
   *
   * @returns Resolves to the block, or to `undefined` if there is none: the shopper was shown a
   * message, `cardseal:submit` was cancelled, or `restart()`, `unbind()` or leaving the page ended
   * the press. It never rejects.
   */
  encrypt(): Promise<EncryptedCard | undefined>;
}

/**
 * Attributes of the elements of a form. A control of the card needs none if it has the
 * `autocomplete` word of its field: docs/card-fields.md
 */
export interface CardFormAttributes {
  /**
   * On a control: the field of the card that it holds. It wins over `autocomplete`, which scripts
   * of shops rewrite.
   */
  'data-cardseal-field'?:
    | 'number'
    | 'name'
    | 'given_name'
    | 'additional_name'
    | 'family_name'
    | 'expiry'
    | 'exp_month'
    | 'exp_year'
    | 'cvv';
  /**
   * On a control for a name that the shop needs, too: it keeps its `name`, is **sent in clear
   * text** as before, and is never emptied. No other field of the card can have it.
   */
  'data-cardseal-shared'?: '';
  /**
   * On a button that pays but does not submit: its click is a press. The value is the `id` of the
   * form. Without one, it is the form that the button is in, or the only bound form of the page.
   */
  'data-cardseal-button'?: string;
  /**
   * On a submit button, or on an element that submits by script: a press by it is no card payment,
   * and passes without a block.
   */
  'data-cardseal-skip'?: '';
  /**
   * On a button with `disabled`: it is enabled when the form is bound, also if binding fails,
   * because then a press has to end in a message.
   */
  'data-cardseal-enable'?: '';
  /**
   * On an element that a control names by `aria-describedby` or `aria-errormessage`: it takes the
   * text about that control. Elements that the library adds for such texts have it, too, for your
   * styles.
   */
  'data-cardseal-message'?: '';
  /**
   * On an element in the form: it takes all texts that concern no control. If the first control to
   * correct has no place for its text, it takes that text, too, and other controls get none beside
   * them.
   */
  'data-cardseal-status'?: '';
}

declare global {
  interface GlobalEventHandlersEventMap {
    /** A key has arrived. The form is correct, or is checked when payment by card is chosen. */
    'cardseal:ready': CustomEvent<null>;
    /**
     * A press pays by card. A page that cancels this event refuses the press, and shows a text of
     * its own.
     */
    'cardseal:submit': CustomEvent<{ submitter: HTMLElement | null }>;
    /**
     * The shopper has to correct the card. A page that cancels this event shows the texts itself.
     */
    'cardseal:problems': CustomEvent<ShownProblem[]>;
    /** The card is encrypted. */
    'cardseal:encrypted': CustomEvent<{ key_id: string }>;
    /** Once after each `cardseal:submit`: the form is idle again, or the browser sends it. */
    'cardseal:settled': CustomEvent<null>;
    /**
     * The press failed, or the form cannot be used. An error with a `field` is the shopper's to
     * correct. Every other one is also on the console.
     */
    'cardseal:error': CustomEvent<CardEncryptionError>;
  }
}
