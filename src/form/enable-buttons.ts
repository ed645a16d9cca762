import { cardButtonsOf } from './listeners.ts';
import { elementsOf } from './unclobbered.ts';

/**
 * Enables the buttons with `data-cardseal-enable`, once each: the page may disable them again, for
 * example while it sends. Returns how to disable them, and how to enable those that are new.
 */
export function buttonEnabler(form: HTMLFormElement) {
  const enabled = new Set<HTMLButtonElement>();
  return {
    enable() {
      for (const element of [...elementsOf(form), ...cardButtonsOf(form)]) {
        const button = element as HTMLButtonElement;
        if (!button.hasAttribute('data-cardseal-enable')) continue;
        if (enabled.has(button) || !button.disabled) continue;
        button.disabled = false;
        enabled.add(button);
      }
    },
    restore() {
      for (const button of enabled) button.disabled = true;
    },
  };
}
