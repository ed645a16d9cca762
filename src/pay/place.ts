import { isSeen } from '../form/page/is-rendered.ts';
import { createElement, rootOf, unclobbered } from '../form/page/unclobbered.ts';
import type { ShownOutcome } from './texts.ts';

/** The page's own element for the outcome. */
const OWN = '[data-cardseal-outcome]';

// Marks of this file. A copy of the page has them, too.
/** On an element that this file has added. */
const ADDED = 'data-cardseal-outcome-line';
/** On an element that this file has put into a place: it holds the text. */
const TOLD = 'data-cardseal-told';
/** On a form that this file has hidden: its `display` before. */
export const HIDDEN = 'data-cardseal-display';

/** The forms of the elements that this file has added. One of a copied page has none. */
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
  /**
   * Holds the text. The page or another form may replace it in its place, and a translator may
   * change what is in it: the text is this form's own as long as this element is there.
   */
  const line = createElement('span');
  line.setAttribute(TOLD, '');
  own(line, form);

  // A copy of a page may hold a form that was closed: hide it until its order is known to be open.
  if (unhide(form)) unclobbered(form, 'setAttribute')('hidden', '');

  /**
   * Finds the place for a text, and puts the text into it, if there is one. A page may render its
   * own element anew, move the form, and put it into the page late.
   */
  const find = (text = ''): HTMLElement => {
    detach(line);
    line.textContent = text;
    const own = findOwn(form);
    const found = own && (!text || tryPlace(own, line)) ? own : findAdded(form);
    if (found !== place) drop();
    if (!found.hasAttribute('role')) found.setAttribute('role', 'status');
    if (text && found !== own) put(line, found);
    place = found;
    return found;
  };

  const drop = () => {
    if (place?.hasAttribute(ADDED)) detach(place);
    place = undefined;
  };

  const noteHidden = () => {
    const has = unclobbered(form, 'hasAttribute');
    wasHidden ||= has('hidden') && !has(HIDDEN);
  };

  /** Shows a form that the page hides until it is known that the order is open. */
  const reveal = () => {
    unhide(form);
    noteHidden();
    unclobbered(form, 'removeAttribute')('hidden');
  };

  return {
    /** An element for the text is there before the text: it is a live region. */
    prepare() {
      if (!form.isConnected) return;
      const told = find().querySelector(`[${TOLD}]`);
      if (told && !ownerOf(told)) detach(told); // of a copied page
    },
    reveal,
    show({ text, isClosed }: ShownOutcome) {
      const found = find(text);
      const isHere = isShopperAt(form);
      if (isClosed) {
        noteHidden();
        hide(form);
      } else {
        reveal();
      }
      if (text && isHere) found.scrollIntoView?.({ block: 'nearest' }); // jsdom has none
      if (!isClosed || !isHere) return;
      if (!found.hasAttribute('tabindex')) found.tabIndex = -1; // so that it can have the focus
      found.focus();
    },
    /** Shows the form as the page had it, and removes the text. The page's own place stays. */
    leave() {
      unhide(form);
      if (wasHidden) unclobbered(form, 'setAttribute')('hidden', '');
      detach(line);
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

/** Puts the text into the page's element, unless nobody can see it there. */
function tryPlace(own: HTMLElement, line: HTMLElement): boolean {
  const wasHidden = own.hidden;
  put(line, own);
  if (isSeen(own)) return true;
  detach(line);
  own.hidden = wasHidden;
  return false;
}

function put(line: HTMLElement, place: HTMLElement): void {
  place.textContent = '';
  place.appendChild(line);
  place.removeAttribute('hidden');
}

/** Not by `remove()`: that of Prototype 1.6 throws if the element is nowhere. */
function detach(element: Element): void {
  element.parentNode?.removeChild(element);
}

function own(added: Element, owner: HTMLFormElement): void {
  owners ??= new WeakMap(); // not before: importing the package does nothing
  owners.set(added, owner);
}

const ownerOf = (added: Element) => owners?.get(added);

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
 * the form comes before those above it. What is outside an open dialog may be covered by it.
 */
function findOwn(form: HTMLFormElement): HTMLElement | undefined {
  let around = form.isConnected ? (form.parentNode as ParentNode | null) : document;
  while (around) {
    const all = Array.from(around.querySelectorAll<HTMLElement>(OWN));
    const outside = all.filter((place) => !place.closest('form') && !place.contains(form));
    const isAfter = (place: HTMLElement) => (form.compareDocumentPosition(place) & FOLLOWS) !== 0;
    if (outside.length > 0) return outside.find(isAfter) ?? outside[outside.length - 1];
    if ((around as HTMLDialogElement).open && (around as Element).localName === 'dialog') break;
    around = around.parentNode as ParentNode | null;
  }
  return undefined;
}

/** `Node.DOCUMENT_POSITION_FOLLOWING`. */
const FOLLOWS = 4;

/** An element right after the form. It is there already in a copy of a page. */
function findAdded(form: HTMLFormElement): HTMLElement {
  const next = unclobbered(form, 'nextElementSibling');
  const isFree = next?.hasAttribute(ADDED) && (ownerOf(next) ?? form) === form;
  const added = form.isConnected && isFree ? (next as HTMLElement) : addPlace(form);
  own(added, form);
  return added;
}

function addPlace(form: HTMLFormElement): HTMLElement {
  const added = createElement('p');
  added.setAttribute(ADDED, '');
  if (form.isConnected) unclobbered(form, 'after')(added);
  else document.body.appendChild(added); // the page has taken the form away
  return added;
}
