import { CardEncryptionError } from '../../core/index.ts';
import { findFields } from '../controls/fields.ts';
import type { Control } from '../controls/slots.ts';
import { log } from '../feedback/report.ts';
import { cardButtonsOf, isCardButton } from './card-buttons.ts';
import { isOtherButton } from './card-payment.ts';
import { type Button, submitButtons } from './submit.ts';
import { unclobbered } from './unclobbered.ts';
import { wordsOf } from './words.ts';

/**
 * G8: checks the form when it is bound, so that the page's developer hears of a fault at once.
 *
 * @param checkDestination - Checks where a submit by a button goes. Absent if a script sends it.
 * @throws {@link CardEncryptionError} `invalid_form`.
 */
export function checkForm(
  form: HTMLFormElement,
  checkDestination: ((button: HTMLElement | null) => void) | undefined,
): void {
  checkFrame();
  warnOfCutNumber(findFields(form).number);
  // The block goes with the submit of such a button. A card button's script sends it by itself.
  const button = submitButtons(form).find((it) => !isCardButton(it) && !isOtherButton(it)) ?? null;
  if (button) {
    checkDestination?.(button);
    if (checkDestination) warnOfPlainText(form, button);
  } else if (cardButtonsOf(form).length === 0) {
    // A custom element may submit it: then each press checks where it goes.
    const advice = 'call encrypt(), or mark your button: data-cardseal-button';
    log('info', `cardseal: the card form has no submit button: ${advice}`);
  }
}

/** A frame that may submit nothing raises no submit event at all. */
function checkFrame(): void {
  const sandbox = frameOf()?.getAttribute('sandbox');
  if (sandbox == null || wordsOf(sandbox.toLowerCase()).includes('allow-forms')) return;
  const message = 'The card form is in a frame whose sandbox must have allow-forms';
  throw new CardEncryptionError('invalid_form', message);
}

function frameOf(): Element | null {
  try {
    return window.frameElement; // null if the page around it has another origin
  } catch {
    return null;
  }
}

/** 16 digits have three gaps, and some numbers have 19 digits. */
function warnOfCutNumber(controls: Control[]): void {
  const [control] = controls as HTMLInputElement[];
  if (controls.length > 1 || !(control!.maxLength > 0 && control!.maxLength < 19)) return;
  const { maxLength } = control!;
  log('warn', `cardseal: maxlength="${maxLength}" cuts off card numbers that are pasted: use 23`);
}

function warnOfPlainText(form: HTMLFormElement, button: Button): void {
  const type = button.formEnctype || unclobbered(form, 'enctype');
  if (type === 'text/plain') log('warn', 'cardseal: few servers read enctype="text/plain"');
}
