import type { CardFormOptions } from '../options.ts';
import { isCardPayment } from './card-payment.ts';
import { checkDestination, isAnsweredElsewhere } from './destination.ts';
import { isModified, notePress, withoutGesture } from './gesture.ts';
import { isRendered } from './is-rendered.ts';
import { onceLeaving } from './leaving.ts';
import { clickAgain, submitAgain } from './submit.ts';
import { rootOf } from './unclobbered.ts';

export type Page = ReturnType<typeof pageOf>;

/** What a bound form asks the page, and does in it. */
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
    isCardPayment(form, button, when, doLooksCount),

  /** @throws {@link CardEncryptionError} `invalid_form` if a submit would go to a wrong place. */
  checkDestination: (button: HTMLElement | null): void =>
    checkDestination(form, button, allowCrossOriginAction),

  /** Whether a submit leaves the page as it is: its answer is shown in a frame. */
  isAnsweredElsewhere: (button: HTMLElement | null): boolean => isAnsweredElsewhere(form, button),

  /** A press begins: returns whether an event of the shopper has caused it. */
  notePress: (button: HTMLElement | null): boolean => notePress(form, button),

  /** Whether the form is in the page. The page may have replaced it. */
  isConnected: (): boolean => form.isConnected,

  /**
   * Submits the form again, or clicks the button again. The event comes before this returns.
   *
   * @param target - What was clicked.
   * @returns Whether the browser refuses a control instead, and shows why (G9).
   */
  repeat: (
    kind: 'submit' | 'click' | 'encrypt',
    button: HTMLElement | null,
    target: EventTarget | null,
  ): boolean =>
    isRefusalShown(form, () =>
      withoutGesture(() => {
        if (kind === 'click') clickAgain(button!, target);
        else submitAgain(form, button);
      }),
    ),

  isModified,
  onceLeaving,
});

/**
 * Whether the browser refuses a submit because of a control, and shows that. Then it has moved the
 * focus there. It shows nothing at a control that is not rendered or inert, or if the page has
 * cancelled the control's `invalid` event.
 */
function isRefusalShown(form: HTMLFormElement, submit: () => void): boolean {
  const refused: { event: Event; element: Element }[] = [];
  const listener = (event: Event) => {
    // An event of a shadow root forgets its target.
    refused.push({ event, element: event.target as Element });
  };
  const root = rootOf(form);
  root.addEventListener('invalid', listener, true);
  try {
    submit();
  } finally {
    root.removeEventListener('invalid', listener, true);
  }
  return refused.some(({ event, element }) => {
    if (event.defaultPrevented || rootOf(element).activeElement !== element) return false;
    // Chromium takes the focus from a control that is hidden or inert only when it draws the page.
    return isRendered(element) && !element.closest('[inert]');
  });
}
