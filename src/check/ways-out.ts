import { callSite, type Site } from './call-site.ts';
import { safely, watch } from './patch.ts';
import type { Part } from './search.ts';

/** Something that leaves the page's memory, or is about to. */
export interface Outgoing {
  /** As findings name it, such as `fetch` or `localStorage`. */
  way: string;
  /** Where to, as the page gave it. */
  to: string;
  parts: Part[];
  /** A request that may carry a payment: it has a body, unlike one for a key, or it is a form. */
  mayPay?: boolean;
  site: Site | undefined;
  /** For a form that the browser sends. */
  form?: HTMLFormElement;
}

export interface Watcher {
  /** Whether anything is looked for now: if not, the page runs as without the check. */
  isLooking(): boolean;
  leaves(outgoing: Outgoing): void;
}

/** Watches each way out of the page, but for submits of the shopper: {@link watchSubmits}. */
export function watchWaysOut(watcher: Watcher): void {
  watchFetch(watcher);
  watchXhr(watcher);
  watchOthers(watcher);
  watchAddresses(watcher);
  watch(HTMLFormElement.prototype, 'submit', (form: HTMLFormElement) => {
    const site = callSite();
    let data = HAS_DATA_EVENT ? undefined : new FormData(form);
    onData(form, (event) => {
      data = event.formData;
    });
    return () => data && leaveByForm(watcher, form, data, site, null);
  });
}

/** Addresses that are no request. */
const STAYS_HERE = /^\s*(data|javascript):/i;

/** Gives the watcher what a way out carries. Files are read later, with the site of now. */
function leave(watcher: Watcher, way: string, url: unknown, body: unknown, head: Part[] = []) {
  const to = textOf(url);
  if (STAYS_HERE.test(to) || !watcher.isLooking()) return;
  const outgoing = { way, to, site: callSite() };
  const { parts, later } = partsOf(body);
  const mayPay = PAYING.indexOf(way) >= 0 && parts.length + later.length > 0;
  watcher.leaves({ ...outgoing, mayPay, parts: [{ text: to }].concat(head, parts) });
  for (const reading of later) {
    reading.then(
      (text) => safely(() => watcher.leaves({ ...outgoing, parts: [{ text }] })),
      () => {}, // it cannot be read, nor sent
    );
  }
}

/** By what a page pays. A beacon has no answer. */
const PAYING = ['fetch', 'XMLHttpRequest', 'WebSocket'];

/** The texts of a body, and those that can be read only later. */
function partsOf(body: unknown): { parts: Part[]; later: Promise<string>[] } {
  const parts: Part[] = [];
  const later: Promise<string>[] = [];
  const add = (value: unknown, key?: string) => {
    if (value instanceof Blob) later.push(new Response(value).text());
    else parts.push(key === undefined ? { text: textOf(value) } : { text: textOf(value), key });
  };
  if (body === undefined || body === null) return { parts, later };
  if (body instanceof FormData || body instanceof URLSearchParams) {
    for (const [value, key] of entriesOf(body)) add(value, key);
  } else if (body instanceof Request) {
    const isReadable = body.method !== 'GET' && !body.bodyUsed;
    if (isReadable) later.push(Request.prototype.clone.call(body).text());
  } else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    add(new TextDecoder().decode(body as ArrayBuffer)); // at once: the page may be about to leave
  } else if (body instanceof Document) {
    add(new XMLSerializer().serializeToString(body));
  } else {
    add(body);
  }
  return { parts, later };
}

/** By the platform's own function: an object of the page may have another. */
function entriesOf(list: FormData | URLSearchParams | Headers): [value: unknown, key: string][] {
  const entries: [unknown, string][] = [];
  const { prototype } = [FormData, URLSearchParams, Headers].find((type) => list instanceof type)!;
  Reflect.apply(prototype.forEach, list, [
    (value: unknown, key: string) => entries.push([value, key]),
  ]);
  return entries;
}

/** What is an address by itself. Taken before the page can replace it. */
const ADDRESS_TYPES = [URL, HTMLAnchorElement];

/**
 * The text that the platform makes of a value. An object of the page has none here: its code would
 * run once more than without the check.
 */
function textOf(value: unknown): string {
  if (Object(value) !== value) return String(value);
  if (value === location) return location.href;
  const type = ADDRESS_TYPES.find((it) => value instanceof it);
  return type ? Reflect.get(type.prototype, 'href', value) : '';
}

/** A property of an object of the page. No getter is run. */
const dataOf = (object: unknown, name: string): unknown =>
  Object.getOwnPropertyDescriptor(Object(object), name)?.value;

/** Of what the platform has copied: no code of the page is in it. */
function jsonOf(copy: unknown): string {
  try {
    return JSON.stringify(copy) || '';
  } catch {
    return ''; // a circle
  }
}

function watchFetch(watcher: Watcher): void {
  watch(window, 'fetch', (_, [input, init]) => {
    const request = input instanceof Request ? input : undefined;
    const body = dataOf(init, 'body') || request;
    const head = headersOf(dataOf(init, 'headers')).concat(headersOf(request?.headers));
    leave(watcher, 'fetch', request ? request.url : input, body, head);
  });
}

/** Of `Headers`, of a list of pairs, or of an object. An iterator can be read only once. */
function headersOf(headers: unknown): Part[] {
  const parts: Part[] = [];
  const add = (text: unknown, key: unknown) => {
    parts.push({ text: textOf(text), key: textOf(key) });
  };
  if (headers instanceof Headers) for (const [text, key] of entriesOf(headers)) add(text, key);
  else if (Array.isArray(headers)) {
    for (const pair of headers) if (Array.isArray(pair)) add(pair[1], pair[0]);
  } else for (const key of Object.keys(Object(headers))) add(dataOf(headers, key), key);
  return parts;
}

function watchXhr(watcher: Watcher): void {
  const requests = new WeakMap<XMLHttpRequest, { url: unknown; head: Part[] }>();
  const { prototype } = XMLHttpRequest;
  watch(prototype, 'open', (request: XMLHttpRequest, [, url]) => {
    requests.set(request, { url, head: [] });
  });
  watch(prototype, 'setRequestHeader', (request: XMLHttpRequest, [key, text]) => {
    requests.get(request)?.head.push({ key: textOf(key), text: textOf(text) });
  });
  watch(prototype, 'send', (request: XMLHttpRequest, [body]) => {
    const { url, head } = requests.get(request) || { url: '', head: [] };
    leave(watcher, 'XMLHttpRequest', url, body, head);
  });
}

function watchOthers(watcher: Watcher): void {
  watch(Navigator.prototype, 'sendBeacon', (_, [url, body]) => {
    leave(watcher, 'sendBeacon', url, body);
  });
  for (const name of ['WebSocket', 'EventSource']) {
    watch(window, name, (_, [url]) => leave(watcher, name, url, undefined));
  }
  watch(WebSocket.prototype, 'send', (socket: WebSocket, [data]) => {
    leave(watcher, 'WebSocket', socket.url, data);
  });
  watchMessages(watcher);
  watch(window, 'open', (_, [url]) => leave(watcher, 'window.open', url, undefined));
  watch(Storage.prototype, 'setItem', (storage: Storage, [key, value]) => {
    const way = storage === localStorage ? 'localStorage' : 'sessionStorage';
    leave(watcher, way, '', undefined, [{ key: textOf(key), text: textOf(value) }]);
  });
  const setCookie = (_: Document, [text]: unknown[]) => leave(watcher, 'cookie', '', text);
  watch(Document.prototype, 'cookie', setCookie, 'set');
  for (const name of ['pushState', 'replaceState']) {
    watch(History.prototype, name, (history: History, [, , url]) => () => {
      leave(watcher, 'history', url ?? '', jsonOf(history.state));
    });
  }
}

/**
 * Messages of this page and of frames of its origin, as they arrive. `postMessage` itself stays the
 * platform's own: a message from within a function of the check would have the wrong `source`. The
 * page's code is named if only one place has used `postMessage`.
 */
function watchMessages(watcher: Watcher): void {
  const { postMessage } = window;
  const sites = new Map<string, Site>();
  const get = () => {
    const site = safely(() => (watcher.isLooking() ? callSite() : undefined));
    if (site) sites.set(`${site.script}:${site.line}`, site);
    return postMessage;
  };
  const set = (value: unknown) => define({ value, writable: true });
  const define = (part: PropertyDescriptor) =>
    Object.defineProperty(window, 'postMessage', { enumerable: true, configurable: true, ...part });
  define({ get, set });
  const arrives = ({ data, origin, isTrusted }: MessageEvent) => {
    if (!isTrusted || origin !== window.origin || !watcher.isLooking()) return;
    const [site] = sites.size === 1 ? [...sites.values()] : [];
    watcher.leaves({ way: 'postMessage', to: '', parts: [{ text: jsonOf(data) }], site });
  };
  window.addEventListener('message', (event) => safely(() => arrives(event)), true);
}

/** Elements that load an address, as findings name them. */
const ADDRESSES: { [element: string]: string } = {
  img: 'an image',
  script: 'a script',
  iframe: 'a frame',
  link: 'a link',
};

/** Scripts, images, frames and links whose address a script of the page sets. */
function watchAddresses(watcher: Watcher): void {
  const leaves = (element: Element, name: string) => () => {
    const address = element.getAttribute(name);
    leave(watcher, `the address of ${ADDRESSES[element.localName]}`, address, undefined);
  };
  const watchProperty = ({ prototype }: { prototype: Element }, name: string) =>
    watch(prototype, name, (element: Element) => leaves(element, name), 'set');
  watchProperty(HTMLImageElement, 'src');
  watchProperty(HTMLImageElement, 'srcset');
  watchProperty(HTMLScriptElement, 'src');
  watchProperty(HTMLIFrameElement, 'src');
  watchProperty(HTMLLinkElement, 'href');
  watch(Element.prototype, 'setAttribute', (element: Element, [name]) => {
    const isAddress = /^(src|srcset|href)$/i.test(textOf(name));
    return isAddress && element.localName in ADDRESSES && leaves(element, textOf(name));
  });
}

/**
 * Watches the submits of a window or a shadow root, which its submits do not leave. A submit that
 * nobody has cancelled is sent by the browser, with what its `formdata` event holds at the end. So
 * does Firefox (seen in 153) with one that a script made up.
 */
export function watchSubmits(root: Window | ShadowRoot, watcher: Watcher): void {
  root.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event as SubmitEvent;
      const site = safely(callSite);
      const form = event.target as HTMLFormElement;
      const leaves = (data: FormData) => {
        if (!event.defaultPrevented) leaveByForm(watcher, form, data, site, submitter);
      };
      if (!HAS_DATA_EVENT && event.isTrusted) {
        afterDispatch(root, event, () => leaves(new FormData(form)));
      }
      onData(form, (dataEvent) => {
        const isListening = event.currentTarget !== null; // the page may ask for the data, too
        if (!isListening) afterDispatch(root, dataEvent, () => leaves(dataEvent.formData));
      });
    },
    true,
  );
}

/** Older browsers have no such event: there `new FormData(form)` runs no code of the page. */
const HAS_DATA_EVENT = 'FormDataEvent' in window;

/** Calls `then` if the entries of a form are collected in this task. */
function onData(form: HTMLFormElement, then: (event: FormDataEvent) => void): void {
  const listener = (event: FormDataEvent) => {
    if (event.target === form) then(event);
  };
  const { addEventListener, removeEventListener } = EventTarget.prototype; // not a control's name
  addEventListener.call(form, 'formdata', listener as EventListener, true);
  setTimeout(() => removeEventListener.call(form, 'formdata', listener as EventListener, true));
}

function leaveByForm(
  watcher: Watcher,
  form: HTMLFormElement,
  data: FormData,
  site: Site | undefined,
  submitter: HTMLElement | null,
): void {
  watcher.isLooking(); // reads the card; a form counts even if there is none
  const read = (element: Element, name: string) =>
    Element.prototype.getAttribute.call(element, name);
  const either = (name: string) =>
    (submitter && read(submitter, `form${name}`)) || read(form, name) || '';
  const to = either('action');
  if (STAYS_HERE.test(to) || /^dialog$/i.test(either('method'))) return;
  const entries = entriesOf(data).map(([value, key]) => ({ key, text: textOf(value) }));
  const parts = [{ text: to } as Part].concat(entries);
  watcher.leaves({ way: 'form', to, parts, mayPay: true, site, form });
}

/** Calls `then` once when the listeners of the page have run. */
function afterDispatch(root: Window | ShadowRoot, event: Event, then: () => void): void {
  let isOver = false;
  const end = () => {
    root.removeEventListener(event.type, last);
    if (!isOver) safely(then);
    isOver = true;
  };
  // Added now, it is the last listener. It is not reached if the page stops the event.
  const last = (other: Event) => {
    if (other === event) end();
  };
  root.addEventListener(event.type, last);
  setTimeout(end);
}

/** Also where a control is named `elements`. */
export const elementsOf = (form: HTMLFormElement): Element[] =>
  Array.prototype.slice.call(Reflect.get(HTMLFormElement.prototype, 'elements', form));
