/**
 * Calls `action` once, when the page is about to be left. It learns whether a `beforeunload`
 * listener of the page makes the browser ask the shopper. No event tells what they answer.
 *
 * @returns Stops listening.
 */
export function onceLeaving(action: (isAsked: boolean) => void): () => void {
  // It is added when the form is submitted, so it runs after the listeners of the page.
  const listener = (event: BeforeUnloadEvent) => {
    stop(); // one that stays would keep the page out of Firefox's back/forward cache
    action(event.defaultPrevented || Boolean(event.returnValue));
  };
  const stop = () => window.removeEventListener('beforeunload', listener);
  window.addEventListener('beforeunload', listener);
  return stop;
}
