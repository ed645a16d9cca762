import { findFields } from '../card/fields.ts';
import { log } from '../feedback/report.ts';
import { isOtherButton } from './card-payment.ts';
import { cardButtonsOf, isCardButton } from './listeners.ts';
import { submitButtons } from './submit.ts';

/**
 * Checks the form when it is bound, so that the page's developer hears of a fault at once.
 *
 * @param checkDestination - Checks where a submit by a button goes. Absent if a script sends it.
 * @throws {@link CardEncryptionError} `invalid_form`.
 */
export function checkForm(
  form: HTMLFormElement,
  checkDestination: ((button: HTMLElement | null) => void) | undefined,
): void {
  findFields(form);
  // The block goes with the submit of such a button. A card button's script sends it by itself.
  const button = submitButtons(form).find((it) => !isCardButton(it) && !isOtherButton(it)) ?? null;
  const hasCardButton = cardButtonsOf(form).length > 0;
  // A form with card buttons only is sent by a script: its action need not be a destination.
  if (button || !hasCardButton) checkDestination?.(button);
  if (!button && !hasCardButton) {
    log('warn', 'cardseal: the card form has no submit button; mark yours: data-cardseal-button');
  }
}
