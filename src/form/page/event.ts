import { unclobbered } from './unclobbered.ts';

/** Keeps an event from its default action and from all other listeners. */
export function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether all its listeners have run. */
export const isDispatched = (event: Event): boolean => event.eventPhase === 0; // Event.NONE

/** Its targets, innermost first. An unsupported browser may not know the path. */
export const pathOf = (event: Event): EventTarget[] => event.composedPath?.() ?? [event.target!];

/**
 * Raises an event of the library on a form. Never throws: an unsupported browser has no
 * `CustomEvent`, and a page may have replaced it.
 *
 * @returns `false` if a listener has cancelled it.
 */
export function raise(form: HTMLFormElement, type: string, init: CustomEventInit): boolean {
  let event: Event | undefined;
  try {
    event = new window.CustomEvent(type, { bubbles: true, composed: true, ...init });
    unclobbered(form, 'dispatchEvent')(event);
  } catch {}
  return !event?.defaultPrevented;
}
