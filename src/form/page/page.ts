import type { CardFormOptions } from '../options.ts';
import { isCardPayment } from './card-payment.ts';
import { checkDestination, isAnsweredElsewhere } from './destination.ts';
import { isByShopper, withoutGesture } from './gesture.ts';
import { isRendered } from './is-rendered.ts';
import { onceLeaving } from './leaving.ts';
import { clickAgain, submitAgain } from './submit.ts';
import { elementsOf, unclobbered } from './unclobbered.ts';

export type Page = ReturnType<typeof pageOf>;

/** What the decisions about a form ask the page, and do in it. */
export const pageOf = (
  form: HTMLFormElement,
  { when, allowCrossOriginAction }: CardFormOptions,
) => ({
  /**
   * Whether a press pays by card.
   *
   * @param doLooksCount - Whether a form with hidden or disabled fields pays in another way.
   * @throws {@link CardEncryptionError} `unsupported_browser`, or `invalid_form` if `when` throws.
   */
  isCardPayment: (button: HTMLElement | null, doLooksCount: boolean): boolean =>
    isCardPayment(form, button, when, !doLooksCount),

  /** @throws {@link CardEncryptionError} `invalid_form` if a submit would go to a wrong place. */
  checkDestination: (button: HTMLElement | null): void =>
    checkDestination(form, button, allowCrossOriginAction),

  /** Whether a submit leaves the page as it is: its answer is shown in a frame. */
  isAnsweredElsewhere: (button: HTMLElement | null): boolean => isAnsweredElsewhere(form, button),

  /** Whether a click or Enter of the shopper has caused what happens now. */
  isByShopper,

  /** Whether the form is in the page. The page may have replaced it. */
  isConnected: (): boolean => form.isConnected,

  /** Submits the form again, or clicks the button again. The event comes before this returns. */
  repeat(kind: 'submit' | 'click' | 'encrypt', button: HTMLElement | null): void {
    withoutGesture(() => {
      if (kind === 'click') clickAgain(button!);
      else submitAgain(form, button);
    });
  },

  /** Whether the browser refuses a submit because of a control, and can show it (G9). */
  isRefusalShown: (kind: 'submit' | 'click' | 'encrypt', button: HTMLElement | null): boolean =>
    kind === 'submit' &&
    form.isConnected &&
    !unclobbered(form, 'noValidate') &&
    !button?.hasAttribute('formnovalidate') &&
    elementsOf(form).some(isShownAsInvalid),

  onceLeaving,
});

/** A fieldset with an invalid control is invalid, too, but the browser shows nothing there. */
const isShownAsInvalid = (element: Element): boolean =>
  element.localName !== 'fieldset' && element.matches(':invalid') && isRendered(element);
