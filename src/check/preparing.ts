import { callSite, type Site } from './call-site.ts';
import { textIn, textOf, type Watcher } from './outgoing.ts';
import { prototypeOf, safely, watch } from './patch.ts';

/**
 * Watches where scripts make a text of what they have, or hand it to a worker. What they send
 * later may be compressed, or leave from where the check cannot look.
 */
export function watchPreparing(watcher: Watcher): void {
  const leaves = (way: string, text: string, site: Site | undefined) =>
    watcher.leaves({ way, to: '', parts: [{ text }], isPreparing: true, site });
  const prepares = (way: string, text: string) => {
    if (HAS_CODE.test(text) && watcher.isLooking()) leaves(way, text, callSite());
  };
  // Bytes that are wiped in the same turn go nowhere. So does Cardseal with a card of texts.
  const encodes = (text: string, bytes: Uint8Array) => {
    if (!HAS_CODE.test(text) || !watcher.isLooking()) return;
    const site = callSite();
    const isWiped = () => bytes.every((byte) => byte === 0);
    Promise.resolve().then(() => safely(() => isWiped() || leaves('TextEncoder', text, site)));
  };
  watch(JSON, 'stringify', () => (text: unknown) => prepares('JSON.stringify', textOf(text)));
  const { prototype } = TextEncoder;
  watch(prototype, 'encode', (_, [text]) => (made: unknown) => {
    encodes(textOf(text), made as Uint8Array);
  });
  watch(prototype, 'encodeInto', (_, [text, target]) => () => {
    encodes(textOf(text), target as Uint8Array);
  });
  for (const name of ['Worker', 'ServiceWorker', 'MessagePort', 'BroadcastChannel']) {
    watch(prototypeOf(name), 'postMessage', (_, [message]) => {
      if (watcher.isLooking()) prepares(name, textIn(message));
    });
  }
}

/** Most texts have no three digits in a row. It costs little to pass these by. */
const HAS_CODE = /[0-9]{3}/;
