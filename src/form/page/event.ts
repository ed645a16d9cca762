/** Keeps an event from its default action and from all other listeners. */
export function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether all its listeners have run. */
export const isDispatched = (event: Event): boolean => event.eventPhase === 0; // Event.NONE

/** Its targets, innermost first. An unsupported browser may not know the path. */
export const pathOf = (event: Event): EventTarget[] => event.composedPath?.() ?? [event.target!];
