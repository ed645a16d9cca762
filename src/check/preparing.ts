import { callSite } from './call-site.ts';
import { textIn, textOf, type Watcher } from './outgoing.ts';
import { prototypeOf, watch } from './patch.ts';

/**
 * Watches where scripts make a text of what they have, or hand it to a worker. What they send
 * later may be compressed, or leave from where the check cannot look.
 */
export function watchPreparing(watcher: Watcher): void {
  const prepares = (way: string, text: string) => {
    if (!HAS_CODE.test(text) || !watcher.isLooking()) return;
    watcher.leaves({ way, to: '', parts: [{ text }], isPreparing: true, site: callSite() });
  };
  watch(JSON, 'stringify', () => (text: unknown) => prepares('JSON.stringify', textOf(text)));
  for (const name of ['encode', 'encodeInto']) {
    watch(TextEncoder.prototype, name, (_, [text]) => prepares('TextEncoder', textOf(text)));
  }
  for (const name of ['Worker', 'ServiceWorker', 'MessagePort', 'BroadcastChannel']) {
    watch(prototypeOf(name), 'postMessage', (_, [message]) => {
      if (watcher.isLooking()) prepares(name, textIn(message));
    });
  }
}

/** Most texts have no three digits in a row. It costs little to pass these by. */
const HAS_CODE = /[0-9]{3}/;
