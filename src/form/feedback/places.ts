import type { Control } from '../controls/slots.ts';
import { isSeen, styleOf } from '../page/is-rendered.ts';
import { createElement, rootOf, unclobbered } from '../page/unclobbered.ts';
import { wordsOf } from '../page/words.ts';

/** Where the text about some controls stands. */
export interface Place {
  readonly element: HTMLElement;
  write(text: string): void;
  /** Whether the shopper can see the text. */
  isSeen(): boolean;
  /** Removes the text, and restores what was there before. */
  remove(): void;
}

/** Marks an element for messages: of the page, or with the value `library` of the library. */
const MESSAGE = 'data-cardseal-message';

/** The page's own element for the messages of one of these controls. */
export function pagePlace(controls: Control[]): Place | undefined {
  const element = controls.map(messageElement).find(isFree);
  return element && placeIn(element);
}

/** Controls may share an element: the first text stays. */
const isFree = (element: HTMLElement | undefined) => element?.textContent === '';

function messageElement(control: Control): HTMLElement | undefined {
  const root = rootOf(control);
  for (const attribute of ['aria-errormessage', DESCRIBED_BY]) {
    for (const id of wordsOf(control.getAttribute(attribute) ?? '')) {
      const element = root.getElementById(id);
      if (element?.hasAttribute(MESSAGE)) return element;
    }
  }
  return undefined;
}

function placeIn(element: HTMLElement): Place {
  const wasHidden = element.hidden;
  return {
    element,
    write(text) {
      element.textContent = text;
      element.hidden = false;
    },
    isSeen: () => element.textContent !== '' && isSeen(element),
    remove() {
      element.textContent = '';
      element.hidden = wasHidden;
    },
  };
}

/** G6: an element of the library's own, directly after the controls, which name it. */
export function addPlace(form: HTMLFormElement, controls: Control[]): Place {
  const last = controls[controls.length - 1]!;
  const element = createElement('span');
  element.setAttribute(MESSAGE, 'library');
  element.style.cssText = 'display: block';
  element.id = freeId(rootOf(last));
  const undo = controls.map((control) => describe(control, element.id));
  return {
    element,
    write(text) {
      element.textContent = text;
      insertAfter(element, last, form);
    },
    isSeen: () => isSeen(element),
    remove() {
      for (const restore of undo) restore();
      element.parentNode?.removeChild(element);
    },
  };
}

/** A copy of the form may have brought texts. */
export function removeCopies(form: HTMLFormElement): void {
  const copies = unclobbered(form, 'querySelectorAll')(`[${MESSAGE}=library]`);
  for (const copy of copies) copy.parentNode!.removeChild(copy);
}

function freeId(root: Document | ShadowRoot): string {
  let number = 1;
  while (root.getElementById(`cardseal-message-${number}`)) number += 1;
  return `cardseal-message-${number}`;
}

const DESCRIBED_BY = 'aria-describedby';

/** Makes the control name its text. Returns how to undo it. */
function describe(control: Control, id: string): () => void {
  const before = control.getAttribute(DESCRIBED_BY);
  const withText = [...wordsOf(before ?? ''), id].join(' ');
  control.setAttribute(DESCRIBED_BY, withText);
  return () => {
    const now = control.getAttribute(DESCRIBED_BY);
    if (now === null) return; // the page has removed it
    const others = wordsOf(now).filter((word) => word !== id);
    const after = now === withText ? before : others.join(' ');
    if (after === null) control.removeAttribute(DESCRIBED_BY);
    else control.setAttribute(DESCRIBED_BY, after);
  };
}

/**
 * Inserts the text after a control and what belongs to it: a label around or after it, which would
 * otherwise have the text in its name, or the widget that stands in for it. If the text cannot be
 * seen there, it stands after the box that the control is in.
 */
function insertAfter(element: HTMLElement, control: Control, form: HTMLFormElement): void {
  let field: Element = control.closest('label') ?? control;
  if (!isSeen(control)) field = nextSeen(field) ?? field;
  const isLabel = (it: Element | null) => (it as HTMLLabelElement | null)?.control === control;
  while (isLabel(field.nextElementSibling)) field = field.nextElementSibling!;
  for (;;) {
    const box = field.parentNode!;
    box.insertBefore(element, field.nextSibling);
    const isOutermost = box === form || !(box as Element).parentElement;
    if (isOutermost || (isSeen(element) && !isRow(box as Element))) return;
    field = box as Element;
  }
}

function nextSeen(field: Element): Element | null {
  const next = field.nextElementSibling;
  return next && isSeen(next) ? next : null;
}

/** Whether a box has its contents side by side, so that one more would make the others narrower. */
function isRow(box: Element): boolean {
  const display = styleOf(box, 'display');
  if (display === 'table-row') return true;
  const isInLine = styleOf(box, 'flex-direction').startsWith('row');
  return display.includes('flex') && isInLine && styleOf(box, 'flex-wrap') === 'nowrap';
}

/** Scrolls, unless the text is in view and nothing covers it. */
export function bringIntoView(element: HTMLElement): void {
  const { left, top, bottom } = element.getBoundingClientRect();
  const root = rootOf(element);
  const isInView = [top, bottom].every((edge) => {
    const y = (edge + (top + bottom) / 2) / 2;
    return element.contains(root.elementFromPoint?.(left + 1, y) ?? null);
  });
  const options = { __proto__: null, block: 'center' }; // a polluted Object.prototype adds nothing
  if (!isInView) element.scrollIntoView?.(options as ScrollIntoViewOptions);
}
