import { cardButtonsOf } from './listeners.ts';
import { elementsOf } from './unclobbered.ts';

/** Marks an enabled button. A page that renders it again takes the mark away. */
const ENABLED = 'data-cardseal-enabled';

/**
 * Enables the buttons with `data-cardseal-enable`, once each: the page may disable them again, for
 * example while it sends.
 */
export function enableButtons(form: HTMLFormElement): void {
  for (const button of buttonsWith(form, 'data-cardseal-enable')) {
    if (button.hasAttribute(ENABLED) || !button.disabled) continue;
    button.setAttribute(ENABLED, '');
    button.disabled = false;
  }
}

/** Disables the buttons that were enabled. */
export function disableButtons(form: HTMLFormElement): void {
  for (const button of buttonsWith(form, ENABLED)) {
    button.removeAttribute(ENABLED);
    button.disabled = true;
  }
}

const buttonsWith = (form: HTMLFormElement, mark: string): HTMLButtonElement[] =>
  [...elementsOf(form), ...cardButtonsOf(form)].filter((it): it is HTMLButtonElement =>
    it.hasAttribute(mark),
  );
