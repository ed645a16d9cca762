import { cardButtonsOf } from './listeners.ts';
import { elementsOf, unclobbered } from './unclobbered.ts';

/**
 * What a bound form sets in the page. It sets `novalidate`, because the browser would stop a press
 * if a control had a message of the library. It enables the buttons with `data-cardseal-enable`.
 */
export function formAttributes(form: HTMLFormElement) {
  const getAttribute = unclobbered(form, 'getAttribute');
  const setAttribute = unclobbered(form, 'setAttribute');
  const before = getAttribute('novalidate');
  // A page may put a copy of a bound form back, with the library's attribute on it.
  const hadNoValidate = before !== null && before !== OURS;
  /**
   * Buttons that were enabled, each with whether it was disabled before. The page may disable a
   * button again, for example while it sends: that is left as it is.
   */
  const buttons = new Map<HTMLButtonElement, boolean>();

  /**
   * @param isFreshlyRendered - Whether the page has set the form's attributes since the library
   * did. Then it may have disabled the buttons, too.
   */
  const enableButtons = (isFreshlyRendered: boolean) => {
    for (const element of [...elementsOf(form), ...cardButtonsOf(form)]) {
      const button = element as HTMLButtonElement;
      if (!button.hasAttribute('data-cardseal-enable')) continue;
      if (buttons.has(button) && !isFreshlyRendered) continue;
      // `restore` disables each button that was disabled at any of these times.
      const wasDisabledBefore = buttons.get(button) ?? false;
      buttons.set(button, wasDisabledBefore || button.disabled);
      button.disabled = false;
    }
  };

  return {
    /** Whether the page's author wrote `novalidate`, and so the page validates the form itself. */
    hadNoValidate,
    /** Sets everything: at first, and again after the page has replaced the form's attributes. */
    apply() {
      const isFreshlyRendered = getAttribute('novalidate') !== OURS;
      if (isFreshlyRendered) setAttribute('novalidate', OURS);
      enableButtons(isFreshlyRendered);
    },
    /** Undoes everything. */
    restore() {
      if (hadNoValidate) setAttribute('novalidate', before);
      else unclobbered(form, 'removeAttribute')('novalidate');
      for (const [button, wasDisabled] of buttons) button.disabled ||= wasDisabled;
    },
  };
}

/** The value of `novalidate` that tells the library's attribute from the author's. */
const OURS = 'cardseal';
