import { createElement, rootOf, unclobbered } from '../form/page/unclobbered.ts';
import type { ShownOutcome } from './texts.ts';

/** The page's own element for the outcome. */
const OWN = '[data-cardseal-outcome]';

/** Marks an element that this file has added. A copy of the page has it, too. */
const ADDED = 'data-cardseal-outcome-line';

/** On a form that this file has hidden: its `display` before. A copy of the page has it, too. */
const DISPLAY = 'data-cardseal-display';

/**
 * Writes the outcome into the page's element, or into one after the form: that moves nothing which
 * the shopper is about to press. Hides the form when nothing can be paid any more.
 */
export function outcomePlace(form: HTMLFormElement) {
  const wasHidden = unclobbered(form, 'hasAttribute')('hidden');
  /** Where the text stands. */
  let place: HTMLElement | undefined;

  /** A page may render its own element anew, and may put the form into the page late. */
  const find = (): HTMLElement => {
    const isThere = place?.hasAttribute(ADDED) && place.isConnected;
    const found = findOwn(form) ?? (isThere ? place! : findAdded(form));
    if (found !== place) drop();
    if (!found.hasAttribute('role')) found.setAttribute('role', 'status');
    found.tabIndex = -1; // so that it can have the focus
    place = found;
    return found;
  };

  const clear = () => {
    if (place) place.textContent = '';
  };

  const drop = () => {
    clear();
    if (place?.hasAttribute(ADDED)) place.remove();
  };

  return {
    find,
    /** Takes a text away that a copy of a page has brought. */
    clear,
    show({ text, isClosed }: ShownOutcome) {
      const place = find();
      place.textContent = text;
      const hadFocus = unclobbered(form, 'contains')(rootOf(form).activeElement);
      if (isClosed) hide(form);
      else reveal(form);
      if (text && hadFocus) place.scrollIntoView({ block: 'nearest' });
      if (isClosed && hadFocus) place.focus();
    },
    /** Leaves form and page as they were. */
    leave() {
      reveal(form);
      if (wasHidden) unclobbered(form, 'setAttribute')('hidden', '');
      drop();
    },
  };
}

/** Shows a form that the page has hidden until the order is known to be open, or that `hide` has. */
export function reveal(form: HTMLFormElement): void {
  const remove = unclobbered(form, 'removeAttribute');
  remove('hidden');
  const display = unclobbered(form, 'getAttribute')(DISPLAY);
  if (display === null) return; // then `display` is the page's own business
  unclobbered(form, 'style').display = display;
  remove(DISPLAY);
}

function hide(form: HTMLFormElement): void {
  const set = unclobbered(form, 'setAttribute');
  const style = unclobbered(form, 'style');
  if (!unclobbered(form, 'hasAttribute')(DISPLAY)) set(DISPLAY, style.display);
  set('hidden', '');
  style.display = 'none'; // a stylesheet may show what is hidden
}

/** The nearest one, because a page may have several forms. It is not in the form, which may go. */
function findOwn(form: HTMLFormElement): HTMLElement | undefined {
  let around = form.isConnected ? (form.parentNode as ParentNode | null) : document;
  while (around) {
    const places = Array.from(around.querySelectorAll<HTMLElement>(OWN));
    const outside = places.find((place) => !form.contains(place));
    if (outside) return outside;
    around = around.parentNode as ParentNode | null;
  }
  return undefined;
}

/** An element after the form. It is there already in a copy of a page. */
function findAdded(form: HTMLFormElement): HTMLElement {
  const next = unclobbered(form, 'nextElementSibling');
  if (form.isConnected && next?.hasAttribute(ADDED)) return next as HTMLElement;
  const added = createElement('p');
  added.setAttribute(ADDED, '');
  if (form.isConnected) unclobbered(form, 'after')(added);
  else document.body.appendChild(added); // the page has taken the form away
  return added;
}
