/**
 * Calls `action` once, when the page is about to be left. It learns whether a `beforeunload`
 * listener of the page makes the browser ask the shopper. No event tells what they answer.
 *
 * @returns Stops listening.
 */
export function onceLeaving(action: (isAsked: boolean) => void): () => void {
  const listener = (event: BeforeUnloadEvent) => {
    stop(); // one that stays would keep the page out of Firefox's back/forward cache
    // A listener of the page may run after this one. No timer runs while the shopper is asked.
    setTimeout(() => action(event.defaultPrevented || Boolean(event.returnValue)));
  };
  const stop = () => window.removeEventListener('beforeunload', listener);
  window.addEventListener('beforeunload', listener);
  return stop;
}
