import { CardEncryptionError, encryptCard } from '../core/index.ts';
import { keptBlock } from './block.ts';
import { blockInput } from './block-input.ts';
import { cardFields } from './card/card-fields.ts';
import { cardForm } from './card-form.ts';
import { setAutocomplete } from './controls/autocomplete.ts';
import { cardControls, isMarked } from './controls/slots.ts';
import { cardMessages } from './feedback/messages.ts';
import { asCardEncryptionError, notices as noticesOf } from './feedback/notices.ts';
import { log, reportToPage } from './feedback/report.ts';
import { statusLine } from './feedback/status.ts';
import { textsOf } from './feedback/texts.ts';
import { keySource } from './key-source.ts';
import type { CardFormBinding, CardFormOptions } from './options.ts';
import { type BoundForm, findBoundForm, removeBoundForm } from './page/bound-forms.ts';
import { checkIsForm } from './page/card-payment.ts';
import { checkForm } from './page/check-form.ts';
import { enableButtons, keepEnabled } from './page/enable-buttons.ts';
import { checkFormBrowser } from './page/environment.ts';
import { addBoundForm } from './page/listeners.ts';
import { markForRecorders } from './page/marks.ts';
import { concat } from './page/old-browsers.ts';
import { pageOf } from './page/page.ts';

/**
 * Makes a form encrypt its card before it is submitted.
 *
 * A press of the submit button is stopped. The library reads and validates the card that is on the
 * screen, encrypts it, and submits the form again, with the block in a hidden input; or it calls
 * `onEncrypted`. The page's own submit listeners run when the form is submitted again, and find the
 * block; with `onEncrypted` they do not run. If something is wrong before that, nothing is sent,
 * the shopper reads why, and everything typed stays.
 *
 * The form tells by events how far it is: docs/api/form.md#events. Each {@link CardEncryptionError}
 * goes to the event `cardseal:error`, unless a listener of `cardseal:settled` has pressed again, or
 * ended the press, before. Its code is `invalid_card` or `card_too_long` if the shopper
 * has to correct `field`; `invalid_form` if the page has to be fixed; `unsupported_browser`;
 * `key_unavailable`; or what {@link prepareKey} and {@link encryptCard} throw.
 *
 * @param form - Its controls are found at each press, by `data-cardseal-field` or `autocomplete`.
 * None of them may have a `name`, except a name control with `data-cardseal-shared`.
 * @param options - Only its own properties count.
 * @returns The binding. It replaces an earlier one of the same form.
 * @throws {@link CardEncryptionError} `invalid_form` if `form` is not a form of this window.
 *
 * Scheme: docs/scheme.md#the-path-of-a-card
 *
 * @example
 * ```ts
 * import { bindCardForm } from 'cardseal/form';
 *
 * bindCardForm(document.querySelector<HTMLFormElement>('#checkout')!, {
 *   async key() {
 *     const answer = await fetch('/card-key', { method: 'POST' });
 *     if (!answer.ok) throw new Error(`/card-key answered ${answer.status}`);
 *     return answer.json(); // { id, scheme, public_key }
 *   },
 * });
 * ```
 */
export function bindCardForm(form: HTMLFormElement, options: CardFormOptions): CardFormBinding {
  checkIsForm(form);
  // A listener of what this raises may bind the form, too: the last call counts.
  for (let it = findBoundForm(form); it; it = findBoundForm(form)) it.unbind();
  return bind(form, withoutPrototype(options));
}

function bind(form: HTMLFormElement, options: CardFormOptions): CardFormBinding {
  const { onEncrypted, fieldName = 'encrypted_card', luhn = true } = options;
  const mark = options.maskForRecorders === false ? doNothing : markForRecorders;
  const { keyTimeoutMs = 15_000, keyMaxAgeMs } = options;

  const keys = keySource(options.key, keyTimeoutMs, keyMaxAgeMs);
  const page = pageOf(form, options);
  const fields = cardFields(form, luhn);
  const input = blockInput(form, fieldName, mark);
  const kept = keptBlock(fields, input, keys.isYoung);
  const status = statusLine(form);
  const messages = cardMessages(form, status);
  const texts = textsOf(options.messages);
  const notices = noticesOf(form, texts, status, messages, keys.isRenewable);

  const markAll = () => {
    mark(concat([cardControls(form), input.hiddenInputs()]));
    setAutocomplete(form);
  };
  const checkAll = () => {
    checkForm(form, onEncrypted ? undefined : page.checkDestination);
    input.checkPlace();
  };
  /** Another way to pay was chosen at binding: the form is checked when the card is. */
  let isCheckDue = false;
  const check = (): Promise<void> | undefined => {
    checkFormBrowser();
    isCheckDue = !page.isCardPayment(null, true);
    if (isCheckDue) return undefined;
    if (!isMarked(form)) return whenMarked(form).then(checkAll);
    checkAll();
    return undefined;
  };
  /** G8: the shopper may choose the card after the form was bound, and its fields come then. */
  const checkLate = () => {
    if (!isCheckDue || !isMarked(form)) return;
    try {
      isCheckDue = !page.isCardPayment(null, true);
      if (!isCheckDue) checkAll();
    } catch (error) {
      // The shopper hears of it at the press.
      log('error', `cardseal: ${asCardEncryptionError(error).message}`);
    }
  };
  let disableButtons = doNothing;
  const { start, ...handlers } = cardForm({
    ...{ onEncrypted, page, fields, kept, keys, notices },
    encrypt: encryptCard,
    later: runLater,
    report: reportToPage,
    stopListening() {
      removeBoundForm(bound);
      disableButtons();
    },
  });
  const bound: BoundForm = {
    ...handlers,
    form,
    onFocus() {
      markAll();
      checkLate();
    },
    onChange(control) {
      markAll(); // the page may have rendered them again, and recorders hear of this event next
      enableButtons(form);
      messages.onChange(control);
      handlers.onChange(control);
    },
  };
  // First: `check` asks for the buttons of bound forms, and the form must stop its presses,
  // whatever fails in this page.
  addBoundForm(bound);
  return start(() => {
    markAll();
    disableButtons = keepEnabled(form);
    status.prepare();
    return check();
  });
}

/** A plugin of the page may mark the controls after the form is bound. Waits for a second. */
async function whenMarked(form: HTMLFormElement): Promise<void> {
  for (let i = 0; i < 4 && !isMarked(form); i++) {
    await new Promise<void>((resolve) => runLater(resolve, 250));
  }
}

const doNothing = (): void => {};

const runLater = (action: () => void, ms = 0): void => void setTimeout(action, ms);

/** A polluted `Object.prototype` would add options. */
const withoutPrototype = <Options extends object>(options: Options): Options =>
  Object.assign(Object.create(null), options);
