import { isRendered } from './is-rendered.ts';
import { submitButtons } from './submit.ts';
import type { FormProblem, Texts } from './texts.ts';
import { createElement, unclobbered } from './unclobbered.ts';

/** The line for messages that concern no field. */
export type StatusLine = ReturnType<typeof statusLine>;

/** The texts that forms showed when they were unbound. Created late: see `importedKeys`, key.ts. */
let textsLeftBehind: WeakMap<HTMLFormElement, PlacedText> | undefined;

/**
 * Writes into the form's element with `data-cardseal-status`. If there is none, the line is a
 * paragraph before the submit button, for as long as it says something.
 */
export function statusLine(form: HTMLFormElement, texts: Texts) {
  let placed: PlacedText | undefined;
  let stopRestoring = () => {};
  /** Whether the text asks the shopper to wait. */
  let isWaiting = false;

  const clear = () => {
    stopRestoring();
    placed?.remove();
    placed = undefined;
    textsLeftBehind?.get(form)?.remove();
    textsLeftBehind?.delete(form);
    removeLine(form); // a copy that the page has made
    isWaiting = false;
  };
  /** Shows any text, for example one that the browser made. */
  const write = (text: string) => {
    clear();
    placed = place(form, text);
    if (typeof MutationObserver !== 'function') return; // see checkFormBrowser

    let restores = 0;
    const observer = new MutationObserver(() => {
      if (placed?.isThere()) return;
      placed?.remove();
      placed = place(form, text);
      restores += 1;
      if (restores === MAX_RESTORES) observer.disconnect();
    });
    // A line outside the form is not watched: pages replace forms, and seldom what is around them.
    // A page that updates its elements in place may turn the line into one of its own, which then
    // lacks the attribute.
    observer.observe(form, { childList: true, subtree: true, attributeFilter: [LINE] });
    stopRestoring = () => observer.disconnect();
  };
  return {
    clear,
    write,
    show(problem: FormProblem) {
      write(texts(problem));
      isWaiting = problem === 'one_moment' || problem === 'payment_under_way';
    },
    /** The text stays until the form's next binding writes or clears one. */
    leaveToNextBinding() {
      stopRestoring();
      textsLeftBehind ??= new WeakMap();
      if (placed) textsLeftBehind.set(form, placed);
    },
    /** Removes a text that asks the shopper to wait, and leaves any other. */
    endWaiting() {
      if (isWaiting) clear();
    },
  };
}

/**
 * A page that renders its form anew, for example after an answer of its server, removes a text that
 * it does not know. The text is restored this often; after that the page has its way.
 */
const MAX_RESTORES = 5;

/** Marks a line that this file has made. */
const LINE = 'data-cardseal-line';

interface PlacedText {
  isThere(): boolean;
  remove(): void;
}

function place(form: HTMLFormElement, text: string): PlacedText {
  const own = unclobbered(form, 'querySelector')<HTMLElement>('[data-cardseal-status]');
  if (!own || !form.isConnected) return insertLine(form, text);
  // First the text: an empty element may not be drawn at all, and would seem to be hidden.
  const placed = writeInto(own, text);
  if (isRendered(own)) return placed;
  placed.remove(); // it stands in a part of the page that is hidden
  return insertLine(form, text);
}

function removeLine(form: HTMLFormElement): void {
  const line = unclobbered(form, 'querySelector')(`[${LINE}]`);
  line?.parentNode?.removeChild(line);
}

function writeInto(element: HTMLElement, text: string): PlacedText {
  const wasHidden = element.hidden;
  // Without a role the change of the text would not be announced.
  const isLive = element.hasAttribute('role') || element.hasAttribute('aria-live');
  if (!isLive) element.setAttribute('role', 'alert');
  element.hidden = false;
  element.textContent = text;
  const remove = () => {
    element.textContent = '';
    element.hidden = wasHidden;
    if (!isLive) element.removeAttribute('role');
  };
  return { isThere: () => element.isConnected && element.textContent !== '', remove };
}

function insertLine(form: HTMLFormElement, text: string): PlacedText {
  const line = createElement('p');
  line.setAttribute('role', 'alert');
  line.setAttribute(LINE, '');
  line.textContent = text;
  const button = submitButtons(form).find(isRendered);
  const { body } = form.ownerDocument; // null while a script writes the page anew
  const isReplaced = !form.isConnected; // by the page, while the press was under way
  if (isReplaced) body?.appendChild(line);
  else if (button) button.parentNode!.insertBefore(line, button);
  else if (isRendered(form)) unclobbered(form, 'appendChild')(line);
  else body?.appendChild(line);
  // A page that updates its elements in place may have made one of its own out of the line.
  const isOurs = () => line.hasAttribute(LINE);
  return {
    isThere: () => line.isConnected && line.textContent !== '' && isOurs(),
    remove() {
      if (isOurs()) line.parentNode?.removeChild(line);
    },
  };
}
