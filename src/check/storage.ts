import { callSite, type Site } from './call-site.ts';
import { leaver, objectLeaver, textIn, textOf, type Watcher } from './outgoing.ts';
import { hear, prototypeOf, safely, watch } from './patch.ts';

/** Watches what stays in the browser or goes to another frame. */
export function watchStorage(watcher: Watcher): void {
  const leave = leaver(watcher);
  const leaveObject = objectLeaver(watcher);
  watchAssignedItems(watcher);
  const leaveValue = (_: unknown, [value]: unknown[]) => leaveObject('IndexedDB', '', value);
  watch(IDBObjectStore.prototype, 'put', leaveValue);
  watch(IDBObjectStore.prototype, 'add', leaveValue);
  watch(IDBCursor.prototype, 'update', leaveValue);
  watch(Document.prototype, 'cookie', (_, [text]) => leave('cookie', '', text), 'set');
  watch(prototypeOf('CookieStore'), 'set', (_, cookie) => leaveObject('cookie', '', cookie));
  for (const name of ['pushState', 'replaceState']) {
    watch(History.prototype, name, (history: History, [, , url]) => () => {
      leaveObject('history', url ?? '', history.state);
    });
  }
  watchMessages(watcher);
}

/** `setItem`, and items that a script assigns: these are seen at the next event. */
function watchAssignedItems(watcher: Watcher): void {
  const leave = leaver(watcher);
  const { getItem, key } = Storage.prototype;
  const stores = ['localStorage', 'sessionStorage'].map((way) => {
    return { way, store: storeOf(way), seen: new Map<string, string>() };
  });
  watch(Storage.prototype, 'setItem', (storage: Storage, [name, value]) => {
    const found = stores.find(({ store }) => store === storage);
    if (!found) return;
    found.seen.set(textOf(name), textOf(value));
    leave(found.way, '', undefined, [{ key: textOf(name), text: textOf(value) }]);
  });
  const look = () => {
    if (!watcher.isLooking()) return;
    for (const { way, store, seen } of stores) {
      for (let i = 0; store && i < store.length; i++) {
        const name = key.call(store, i)!;
        const text = getItem.call(store, name)!;
        if (seen.get(name) === text) continue;
        seen.set(name, text);
        watcher.leaves({ way, to: '', parts: [{ key: name, text }], site: undefined });
      }
    }
  };
  hear(['change', 'focusin', 'click', 'pagehide'], look, true);
}

/** A page may be denied it. */
function storeOf(way: string): Storage | undefined {
  try {
    return Reflect.get(window, way);
  } catch {
    return undefined;
  }
}

/**
 * Messages of this page and of frames of its origin, as they arrive. `postMessage` itself stays the
 * platform's own: a message from within a function of the check would have the wrong `source`. The
 * page's code is named if only one place has ever used `postMessage`, as it may keep the function.
 */
function watchMessages(watcher: Watcher): void {
  const { postMessage } = window;
  const sites = new Map<string, Site>();
  const get = () => {
    const site = safely(callSite);
    if (site) sites.set(`${site.script}:${site.line}`, site);
    return postMessage;
  };
  const set = (value: unknown) => {
    sites.clear(); // from now on nobody can tell who uses it
    define({ value, writable: true });
  };
  const define = (part: PropertyDescriptor) =>
    Object.defineProperty(window, 'postMessage', { enumerable: true, configurable: true, ...part });
  define({ get, set });
  hear(['message'], (event) => {
    const { data, origin, isTrusted } = event as MessageEvent;
    if (!isTrusted || origin !== location.origin || !watcher.isLooking()) return;
    const [site] = sites.size === 1 ? [...sites.values()] : []; // two places name nobody
    watcher.leaves({ way: 'postMessage', to: '', parts: [{ text: textIn(data) }], site });
  });
}
