/*
 * What old browsers need: docs/browsers.md#what-happens-in-older-browsers. Without them, each of
 * these would be one call of the platform. `TextEncoder.encodeInto` has its replacement in
 * src/core/browser.ts, because the core needs it, too; the event `formdata` has none.
 */
import { unclobbered } from './unclobbered.ts';

type Button = HTMLButtonElement | HTMLInputElement;

/**
 * Joins lists. `Array.prototype.flat` came with Chrome 69 and Firefox 62, and `concat` asks a
 * polluted prototype whether to join.
 */
export function concat<T>(lists: readonly (readonly T[])[]): T[] {
  const all: T[] = [];
  for (const list of lists) for (const it of list) all.push(it);
  return all;
}

/** Chrome before 105, Firefox before 106 and Safari before 17.4 count what has a box as visible. */
export function checkVisibility(element: Element): boolean {
  const options = {
    __proto__: null, // a polluted Object.prototype must set no further option
    visibilityProperty: true,
    checkVisibilityCSS: true, // its name in Chrome 105 to 120
  };
  return element.checkVisibility?.(options) ?? true;
}

/** Aborts a request: there is none in Chrome before 66. */
export const newAborter = (): AbortController | undefined =>
  typeof window.AbortController === 'function' ? new window.AbortController() : undefined;

/** Chrome before 76, Firefox before 75 and Safari before 16 have none. */
export const requestSubmitOf = (
  form: HTMLFormElement,
): HTMLFormElement['requestSubmit'] | undefined => unclobbered(form, 'requestSubmit');

/**
 * The button of a submit. Engines without `SubmitEvent.submitter` (Chrome before 81, Firefox before
 * 75, Safari before 15.4) click the default button for Enter, too. The focused element does not
 * tell: Safari does not focus buttons. An event that a script makes has none in any engine.
 */
export function submitterOf(event: Event, form: HTMLFormElement): Button | null {
  const { submitter } = event as SubmitEvent;
  if (submitter !== undefined) return submitter as Button | null;
  return lastClicked?.form === form ? lastClicked : null;
}

let lastClicked: Button | null = null;

/** Remembers the button of a click until the submit that it causes, which is in the same task. */
export function rememberClick(button: Button): void {
  lastClicked = button;
  setTimeout(() => {
    lastClicked = null;
  });
}
