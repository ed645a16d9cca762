/**
 * Calls an action after elements have come into a form or a page, or have gone, or have changed
 * the attribute that is given. Never throws: an unsupported browser has no observer, and a page may
 * have replaced it.
 *
 * @returns Stops watching.
 */
export function watchElements(root: Node, action: () => void, attribute?: string): () => void {
  try {
    const observer = new window.MutationObserver(action);
    observer.observe(root, {
      __proto__: null, // a polluted Object.prototype must set no further option
      childList: true,
      subtree: true,
      attributeFilter: attribute === undefined ? undefined : [attribute],
    } as MutationObserverInit);
    return () => observer.disconnect();
  } catch {
    return () => {};
  }
}
