import { isRendered, isSeen } from '../page/is-rendered.ts';
import { whenStill } from '../page/still.ts';
import { submitButtons } from '../page/submit.ts';
import { createElement, unclobbered } from '../page/unclobbered.ts';
import { watchElements } from '../page/watch-elements.ts';
import { bringIntoView } from './places.ts';

/** The line for texts that concern no field, or that have no place beside their field. */
export type StatusLine = ReturnType<typeof statusLine>;

/** The page's own element for the line. */
const OWN = 'data-cardseal-status';

/** Marks a line that this file has added to the page. */
const ADDED = 'data-cardseal-line';

/** Forms whose text outlives their binding, and its line outside: the next binding keeps both. */
let left: WeakMap<HTMLFormElement, HTMLElement | undefined> | undefined;

/**
 * An added line is there from the beginning: not every screen reader reads a text that comes
 * together with its live region. G1: without a text it takes no room, whatever the page's styles
 * are. Else the button would move, perhaps while the shopper presses it.
 */
const NO_ROOM = 'all: initial !important; position: absolute !important';

/**
 * Writes into the form's element with `data-cardseal-status`. If there is none that the shopper can
 * see, it writes into a line of its own, before the submit button.
 */
export function statusLine(form: HTMLFormElement) {
  const find = unclobbered(form, 'querySelector');
  /** Lines of the page that are hidden while they are empty. */
  const hidden: HTMLElement[] = [];
  /** A line that stands outside the form, as its button does, or because the form is not seen. */
  let outside: HTMLElement | undefined;
  let stopRestoring = () => {};

  /** The elements that may hold the text. A page that is rendered anew may replace them. */
  const lines = (): HTMLElement[] => {
    const all = [find<HTMLElement>(`[${OWN}]`), find<HTMLElement>(`[${ADDED}]`), outside];
    return all.filter((line): line is HTMLElement => line?.isConnected === true);
  };

  const setText = (line: HTMLElement, text: string) => {
    makeLive(line);
    line.textContent = text;
    if (line.hidden && !hidden.includes(line)) hidden.push(line);
    if (hidden.includes(line)) line.hidden = text === '';
    if (line.hasAttribute(ADDED)) line.style.cssText = text === '' ? NO_ROOM : '';
  };

  const clear = () => {
    stopRestoring();
    for (const line of lines()) setText(line, '');
  };

  /** The page may have replaced or hidden the form while the press was under way. */
  const insert = (): HTMLElement => {
    const line = createElement('p');
    line.setAttribute(ADDED, '');
    setText(line, '');
    const button = submitButtons(form).find(isRendered);
    if (form.isConnected && button) {
      button.parentNode!.insertBefore(line, button);
    } else if (form.isConnected && isRendered(form)) {
      unclobbered(form, 'appendChild')(line);
    } else {
      document.body?.appendChild(line); // there is none while a script writes the page anew
    }
    if (!unclobbered(form, 'contains')(line)) outside = line;
    return line;
  };

  const tryLine = (line: HTMLElement, text: string): boolean => {
    setText(line, text);
    // After the text: an empty element may not be drawn at all, and would seem to be hidden.
    if (form.isConnected && isSeen(line)) return true;
    setText(line, '');
    return false;
  };

  const place = (text: string) => {
    if (lines().some((line) => tryLine(line, text))) return;
    for (const line of lines()) if (line.hasAttribute(ADDED)) line.remove();
    setText(insert(), text);
  };

  const write = (text: string, isBroughtIntoView: boolean) => {
    clear();
    place(text);
    const line = lines().find(({ textContent }) => textContent === text);
    if (line && isBroughtIntoView) bringIntoView(line);

    // A page that renders its form anew may remove a text that it does not know. One that has
    // changed stays: a browser may have translated it.
    let restores = 0;
    const restore = () => {
      if (lines().some((line) => line.textContent!.trim())) return;
      place(text);
      restores += 1;
      if (restores === MAX_RESTORES) stopRestoring();
    };
    stopRestoring = watchElements(form, restore, ADDED);
  };

  const prepare = () => {
    outside = left?.get(form);
    const isLeft = left?.delete(form);
    for (const line of lines()) setText(line, isLeft ? line.textContent! : '');
    if (lines().length === 0 && form.isConnected && isRendered(form)) insert();
  };

  const leave = () => {
    stopRestoring();
    left ??= new WeakMap(); // not before: importing the package does nothing
    for (const line of lines()) {
      if (line.textContent !== '') left.set(form, outside);
      else if (line.hasAttribute(ADDED)) line.remove();
    }
  };

  return {
    clear: () => whenStill(clear),
    /** Writes into the page's own element. Returns whether the shopper can see the text there. */
    writeOfPage(text: string): boolean {
      const [line] = lines();
      if (!line?.hasAttribute(OWN) || !tryLine(line, text)) return false;
      write(text, true);
      return true;
    },
    write: (text: string, isBroughtIntoView = true) =>
      whenStill(() => write(text, isBroughtIntoView)),
    /** Makes the live region. A copy of the form may have brought a line with an old text. */
    prepare: () => whenStill(prepare),
    /** Removes what this file has added. A text stays until the form is bound again. */
    leave: () => whenStill(leave),
  };
}

/** A page that removes the text more often than this keeps it removed. */
const MAX_RESTORES = 5;

/** Roles whose new texts are announced. */
const LIVE = ['alert', 'log', 'status'];

function makeLive(line: HTMLElement): void {
  const isLive = line.hasAttribute('aria-live') || LIVE.includes(line.getAttribute('role')!);
  if (isLive) return;
  if (line.hasAttribute('role')) line.setAttribute('aria-live', 'assertive');
  else line.setAttribute('role', 'alert');
}
