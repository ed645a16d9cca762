import { createElement, unclobbered } from '../form/page/unclobbered.ts';
import type { ShownOutcome } from './texts.ts';

/** The page's own element for the outcome. */
const OWN = '[data-cardseal-outcome]';

/**
 * Writes the outcome into the page's element, or into one after the form: that moves nothing which
 * the shopper is about to press. Hides the form when nothing can be paid any more.
 */
export function outcomePlace(form: HTMLFormElement) {
  const own = findOwn(form);
  const place = own ?? createElement('p');
  const wasHidden = form.hasAttribute('hidden');
  const style = unclobbered(form, 'style');
  const { display } = style;
  if (!place.hasAttribute('role')) place.setAttribute('role', 'status');
  place.tabIndex = -1; // so that it can have the focus
  if (!own) unclobbered(form, 'after')(place);

  const setHidden = (isHidden: boolean) => {
    if (isHidden) unclobbered(form, 'setAttribute')('hidden', '');
    else unclobbered(form, 'removeAttribute')('hidden');
    style.display = isHidden ? 'none' : display; // a stylesheet may show what is hidden
  };

  return {
    /** The page may hide the form until it is known that the order is open. */
    showForm: () => setHidden(false),
    show({ text, isClosed }: ShownOutcome) {
      place.textContent = text;
      const hadFocus = form.contains(document.activeElement);
      setHidden(isClosed);
      if (text && hadFocus) place.scrollIntoView({ block: 'nearest' });
      if (isClosed && hadFocus) place.focus();
    },
    /** Leaves form and page as they were. */
    leave() {
      setHidden(wasHidden);
      if (own) own.textContent = '';
      else place.remove();
    },
  };
}

/** The nearest one, because a page may have several forms. It is not in the form, which may go. */
function findOwn(form: HTMLFormElement): HTMLElement | undefined {
  let around: ParentNode | null = form.parentNode as ParentNode | null;
  while (around) {
    const places = Array.from(around.querySelectorAll<HTMLElement>(OWN));
    const outside = places.find((place) => !form.contains(place));
    if (outside) return outside;
    around = around.parentNode;
  }
  return undefined;
}
