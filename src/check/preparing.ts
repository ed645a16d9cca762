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
  const mayHaveCard = (text: string) => HAS_CODE.test(text) && watcher.isLooking();
  // Bytes that are wiped in the same turn go nowhere. So does Cardseal with a card of texts.
  const encodes = (text: string, bytes: Uint8Array) => {
    if (!mayHaveCard(text)) return;
    const site = callSite();
    const isWiped = () => bytes.every((byte) => byte === 0);
    Promise.resolve().then(() => safely(() => isWiped() || leaves('TextEncoder', text, site)));
  };
  watch(JSON, 'stringify', () => (made: unknown) => {
    const text = textOf(made);
    if (mayHaveCard(text)) leaves('JSON.stringify', text, callSite());
  });
  const { prototype } = TextEncoder;
  watch(prototype, 'encode', (_, [text]) => (made: unknown) => {
    encodes(textOf(text), made as Uint8Array);
  });
  watch(prototype, 'encodeInto', (_, [text, target]) => () => {
    encodes(textOf(text), target as Uint8Array);
  });
  for (const name of ['Worker', 'ServiceWorker', 'MessagePort', 'BroadcastChannel']) {
    watch(prototypeOf(name), 'postMessage', (_, [message]) => {
      if (!watcher.isLooking()) return;
      const text = textIn(message);
      if (HAS_CODE.test(text)) leaves(name, text, callSite());
    });
  }
}

/** Most texts have no three digits in a row. It costs little to pass these by. */
const HAS_CODE = /[0-9]{3}/;
