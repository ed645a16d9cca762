import { boundForms } from './bound-forms.ts';
import { concat } from './old-browsers.ts';
import { rootOf } from './unclobbered.ts';
import { unique } from './unique.ts';

const CARD_BUTTON = 'data-cardseal-button';

export const isCardButton = (element: Element): boolean => element.hasAttribute(CARD_BUTTON);

/**
 * The form of a button with `data-cardseal-button`: the form whose id the attribute names, the form
 * that the button is in, or the only bound form of the page.
 */
export function formOfCardButton(button: HTMLElement): HTMLFormElement | null {
  const id = button.getAttribute(CARD_BUTTON);
  if (id) return rootOf(button).getElementById(id) as HTMLFormElement | null;
  const own = (button as HTMLButtonElement).form ?? button.closest('form');
  if (own) return own;
  const forms = boundForms.map(({ form }) => form).filter(({ isConnected }) => isConnected);
  return forms.length === 1 ? forms[0]! : null;
}

/** The buttons with `data-cardseal-button` that belong to a form, in its shadow root or outside. */
export function cardButtonsOf(form: HTMLFormElement): HTMLElement[] {
  const roots = unique([[document], [rootOf(form)]]);
  const buttons = roots.map((root) => [...root.querySelectorAll<HTMLElement>(`[${CARD_BUTTON}]`)]);
  return concat(buttons).filter((button) => formOfCardButton(button) === form);
}
