import { isSeen } from '../form/page/is-rendered.ts';
import { createElement, rootOf, unclobbered } from '../form/page/unclobbered.ts';
import type { ShownOutcome } from './texts.ts';

/** The page's own element for the outcome. */
const OWN = '[data-cardseal-outcome]';

// Marks of this file. A copy of the page has them, too.
/** On an element that this file has added. */
const ADDED = 'data-cardseal-outcome-line';
/** On an element whose text this file has written. */
const TOLD = 'data-cardseal-told';
/** On a form that this file has hidden: its `display` before. */
export const HIDDEN = 'data-cardseal-display';

/** The form whose text this page has written into an element. A copy of a page has none. */
let owners: WeakMap<Element, HTMLFormElement> | undefined;

/**
 * Writes the outcome into the page's element, or into one after the form: that moves nothing which
 * the shopper is about to press. Hides the form when nothing can be paid any more.
 */
export function outcomePlace(form: HTMLFormElement) {
  /** Whether the page had hidden the form. */
  let wasHidden = false;
  /** Where the text stands. Another form may have the same place. */
  let place: HTMLElement | undefined;
  let told = '';

  // A copy of a page may hold a form that was closed: hide it until its order is known to be open.
  if (unhide(form)) unclobbered(form, 'setAttribute')('hidden', '');

  /**
   * Finds the place, and writes the text into it, if there is one. A page may render its own
   * element anew, move the form, and put it into the page late.
   */
  const find = (text = ''): HTMLElement => {
    const own = findOwn(form);
    const found = own && (!text || tryPlace(own, text, form)) ? own : findAdded(form);
    if (found !== place) drop();
    if (!found.hasAttribute('role')) found.setAttribute('role', 'status');
    if (text && found !== own) write(found, text, form);
    place = found;
    return found;
  };

  const drop = () => {
    clear();
    if (place?.hasAttribute(ADDED) && isOfNoOther(place, form)) place.remove();
    place = undefined;
  };

  /** A text of the page or of another form stays. */
  const clear = () => {
    const isOwn = place && ownerOf(place) === form && place.textContent === told;
    if (isOwn) write(place!, '', form);
  };

  /** Shows a form that the page hides until it is known that the order is open. */
  const reveal = () => {
    unhide(form);
    wasHidden ||= unclobbered(form, 'hasAttribute')('hidden');
    unclobbered(form, 'removeAttribute')('hidden');
  };

  return {
    /** An element for the text is there before the text: it is a live region. */
    prepare() {
      if (!form.isConnected) return;
      const found = find();
      if (found.hasAttribute(TOLD) && !ownerOf(found)) write(found, '', form); // of a copied page
    },
    reveal,
    show({ text, isClosed }: ShownOutcome) {
      const found = find(text);
      if (!text) clear();
      told = text;
      const isHere = isShopperAt(form);
      if (isClosed) hide(form);
      else reveal();
      if (text && isHere) found.scrollIntoView?.({ block: 'nearest' }); // jsdom has none
      if (!isClosed || !isHere) return;
      if (!found.hasAttribute('tabindex')) found.tabIndex = -1; // so that it can have the focus
      found.focus();
    },
    /** Shows the form as the page had it, and removes the text. The page's own place stays. */
    leave() {
      unhide(form);
      if (wasHidden) unclobbered(form, 'setAttribute')('hidden', '');
      drop();
    },
  };
}

/** Whether the focus is in the form, or nowhere. Safari gives none to a button that is tapped. */
function isShopperAt(form: HTMLFormElement): boolean {
  const focused = rootOf(form).activeElement ?? document.activeElement;
  const isOfForm = (focused as HTMLButtonElement | null)?.form === form; // it may stand outside
  return (
    !focused || focused === document.body || isOfForm || unclobbered(form, 'contains')(focused)
  );
}

/** Writes into the page's element, unless nobody can see the text there. */
function tryPlace(own: HTMLElement, text: string, form: HTMLFormElement): boolean {
  const wasHidden = own.hidden;
  write(own, text, form);
  if (isSeen(own)) return true;
  write(own, '', form);
  own.hidden = wasHidden;
  return false;
}

function write(place: HTMLElement, text: string, owner: HTMLFormElement): void {
  place.textContent = text;
  if (text) {
    place.removeAttribute('hidden');
    place.setAttribute(TOLD, '');
  } else {
    place.removeAttribute(TOLD);
  }
  own(place, owner);
}

function own(place: Element, owner: HTMLFormElement): void {
  owners ??= new WeakMap(); // not before: importing the package does nothing
  owners.set(place, owner);
}

const ownerOf = (place: Element) => owners?.get(place);

/** A copy of a page has lines without an owner. */
const isOfNoOther = (place: Element, form: HTMLFormElement) => (ownerOf(place) ?? form) === form;

function hide(form: HTMLFormElement): void {
  const set = unclobbered(form, 'setAttribute');
  const style = unclobbered(form, 'style');
  if (!unclobbered(form, 'hasAttribute')(HIDDEN)) set(HIDDEN, style.display);
  set('hidden', '');
  style.cssText += '; display: none !important'; // a stylesheet may show what is hidden
}

/** Undoes what `hide` has done, and the page has not undone. Returns whether it had. */
function unhide(form: HTMLFormElement): boolean {
  const display = unclobbered(form, 'getAttribute')(HIDDEN);
  if (display === null) return false;
  const remove = unclobbered(form, 'removeAttribute');
  const style = unclobbered(form, 'style');
  remove(HIDDEN);
  remove('hidden');
  if (style.display === 'none') style.display = display;
  return true;
}

/**
 * The nearest one outside forms, which may go: a page may have several forms. The first one after
 * the form comes before those above it.
 */
function findOwn(form: HTMLFormElement): HTMLElement | undefined {
  let around = form.isConnected ? (form.parentNode as ParentNode | null) : document;
  while (around) {
    const all = Array.from(around.querySelectorAll<HTMLElement>(OWN));
    const outside = all.filter((place) => !place.closest('form') && !place.contains(form));
    const isAfter = (place: HTMLElement) => (form.compareDocumentPosition(place) & FOLLOWS) !== 0;
    if (outside.length > 0) return outside.find(isAfter) ?? outside[outside.length - 1];
    around = around.parentNode as ParentNode | null;
  }
  return undefined;
}

/** `Node.DOCUMENT_POSITION_FOLLOWING`. */
const FOLLOWS = 4;

/** An element right after the form. It is there already in a copy of a page. */
function findAdded(form: HTMLFormElement): HTMLElement {
  const next = unclobbered(form, 'nextElementSibling');
  const isFree = next?.hasAttribute(ADDED) && isOfNoOther(next, form);
  return form.isConnected && isFree ? (next as HTMLElement) : addLine(form);
}

function addLine(form: HTMLFormElement): HTMLElement {
  const added = createElement('p');
  added.setAttribute(ADDED, '');
  if (form.isConnected) unclobbered(form, 'after')(added);
  else document.body.appendChild(added); // the page has taken the form away
  own(added, form);
  return added;
}
