/** Keeps an event from its default action and from all other listeners. */
export function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
