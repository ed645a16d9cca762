import { CardEncryptionError } from '../../core/index.ts';
import { hasDigit } from '../card/characters.ts';
import { cardControls, isShared, numberAndCode } from '../controls/slots.ts';
import { checkFormBrowser } from './environment.ts';
import { isSkipPressed, isSkipped } from './gesture.ts';
import { isRendered } from './is-rendered.ts';

/**
 * Whether a press pays by card. Any other press passes unchanged.
 *
 * @param when - The page's own answer.
 * @param doLooksCount - Whether a form with hidden or disabled fields pays in another way. While a
 * block may be on its way, the page may have locked or hidden them.
 * @throws {@link CardEncryptionError} `unsupported_browser`, or `invalid_form` if `when` throws.
 */
export function isCardPayment(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  when: (() => boolean) | undefined,
  doLooksCount: boolean,
): boolean {
  if (isOtherButton(submitter) || isSkipPressed()) return false; // these work in every browser
  checkFormBrowser();
  checkIsForm(form);
  // Only `false`: a `when` that forgets to return must not let a card press pass without a block.
  if (when && askPage(when) === false) return false;
  if (!doLooksCount) return true;
  const ownControls = cardControls(form).filter((control) => !isShared(control));
  const areDisabled = ownControls.every((control) => control.matches(':disabled'));
  if (ownControls.length > 0 && areDisabled) return false;
  const controls = numberAndCode(form);
  if (controls.length === 0) return true; // the form is wrong: the press has to end in a message
  // A page may hide these fields and copy a card into them from its own: then they hold a digit.
  return controls.some(isRendered) || controls.some(hasDigit);
}

/** Whether a button never pays by card: Cancel in a dialog, a coupon, another way to pay. */
export function isOtherButton(submitter: HTMLElement | null): boolean {
  if (!submitter) return false;
  const method = submitter.getAttribute('formmethod')?.toLowerCase();
  return method === 'dialog' || isSkipped(submitter);
}

/** @throws {@link CardEncryptionError} `invalid_form`, also if the form was moved into a frame. */
export function checkIsForm(form: HTMLFormElement | null): void {
  // A form of a frame raises its events in a window that the library does not listen on.
  if (form?.localName === 'form' && form.ownerDocument === document) return;
  throw new CardEncryptionError('invalid_form', 'bindCardForm needs a form of this window');
}

function askPage(when: () => boolean): boolean {
  try {
    return when();
  } catch {
    // An error from page code may contain card data.
    throw new CardEncryptionError('invalid_form', 'when, or data-cardseal-when, must not fail');
  }
}
