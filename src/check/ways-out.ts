import { callSite, type Site } from './call-site.ts';
import { safely, watchConstructor, watchMethod, watchSetter } from './patch.ts';
import type { Part } from './search.ts';

/** Something that leaves the page's memory, or is about to. */
export interface Outgoing {
  /** As findings name it, such as `fetch` or `localStorage`. */
  way: string;
  /** Where to, as the page gave it. */
  to: string;
  parts: Part[];
  /** A request that may carry a payment: it has a body, or it is a form. */
  mayPay?: boolean;
  site: Site | undefined;
  /** For a form that the browser sends. */
  form?: HTMLFormElement;
}

export interface Watcher {
  /** Whether anything is looked for now: if not, the page runs as without the check. */
  isLooking(): boolean;
  leaves(outgoing: Outgoing): void;
  /** A request begins. */
  asks(): void;
  /** A request has its answer, or has failed. */
  answered(): void;
}

/** Watches each way out of the page, but for forms: {@link watchForms}. */
export function watchWaysOut(watcher: Watcher): void {
  watchFetch(watcher);
  watchXhr(watcher);
  watchOthers(watcher);
  watchAddresses(watcher);
  watchMethod(HTMLFormElement.prototype, 'submit', (form: HTMLFormElement) => {
    leaveByForm(watcher, form, callSite(), null);
  });
}

/** Gives the watcher what a way out carries. Files are read later, with the site of now. */
function leave(watcher: Watcher, way: string, to: unknown, body: unknown, head: Part[] = []): void {
  if (!watcher.isLooking()) return;
  const mayPay = REQUESTS.indexOf(way) >= 0 && body !== undefined && body !== null;
  const outgoing = { way, to: String(to), mayPay, site: callSite() };
  const { parts, files } = partsOf(body);
  watcher.leaves({ ...outgoing, parts: [{ text: String(to) }].concat(head, parts) });
  for (const file of files) {
    const read = (text: string) => {
      watcher.leaves({ ...outgoing, mayPay: false, parts: [{ text }] });
    };
    new Response(file).text().then(
      (text) => safely(() => read(text)),
      () => {},
    );
  }
}

/** By what a page pays. A beacon has no answer. */
const REQUESTS = ['fetch', 'XMLHttpRequest', 'WebSocket'];

/** The texts of a body, and what can be read only later. */
function partsOf(body: unknown): { parts: Part[]; files: Blob[] } {
  const parts: Part[] = [];
  const files: Blob[] = [];
  const add = (value: unknown, key?: string) => {
    if (value instanceof Blob) files.push(value);
    else parts.push(key === undefined ? { text: String(value) } : { text: String(value), key });
  };
  if (body === undefined || body === null) return { parts, files };
  if (body instanceof FormData || body instanceof URLSearchParams) {
    (body as URLSearchParams).forEach((value, key) => {
      add(value, key);
    });
  } else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    files.push(new Blob([body as ArrayBuffer]));
  } else if (body instanceof Document) {
    add(new XMLSerializer().serializeToString(body));
  } else if (typeof body === 'object' && !(body instanceof Blob)) {
    add(jsonOf(body));
  } else {
    add(body);
  }
  return { parts, files };
}

/** An object that the page passes on as it is, such as a state of the history. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) || '';
  } catch {
    return ''; // a circle, or a stream
  }
}

function watchFetch(watcher: Watcher): void {
  watchMethod(window, 'fetch', (_, [input, init]) => {
    const { body, headers } = (init || {}) as RequestInit;
    const request = input instanceof Request ? input : undefined;
    const head = headersOf(headers).concat(headersOf(request?.headers));
    leave(watcher, 'fetch', request ? request.url : input, body, head);
    watcher.asks();
    if (request && body === undefined && !request.bodyUsed && watcher.isLooking()) {
      const { method, url } = request;
      const outgoing = { way: 'fetch', to: url, mayPay: method !== 'GET', site: callSite() };
      const read = (text: string) => watcher.leaves({ ...outgoing, parts: [{ text }] });
      request
        .clone()
        .text()
        .then(
          (text) => safely(() => read(text)),
          () => {},
        );
    }
    return (result: unknown) => {
      (result as Promise<unknown>).then(watcher.answered, watcher.answered);
    };
  });
}

function headersOf(headers: HeadersInit | undefined): Part[] {
  const parts: Part[] = [];
  if (headers) {
    new Headers(headers).forEach((text, key) => {
      parts.push({ text, key });
    });
  }
  return parts;
}

function watchXhr(watcher: Watcher): void {
  const requests = new WeakMap<XMLHttpRequest, { url: unknown; head: Part[] }>();
  const { prototype } = XMLHttpRequest;
  watchMethod(prototype, 'open', (request: XMLHttpRequest, [, url]) => {
    requests.set(request, { url, head: [] });
  });
  watchMethod(prototype, 'setRequestHeader', (request: XMLHttpRequest, [key, text]) => {
    const known = requests.get(request);
    if (known) known.head.push({ key: String(key), text: String(text) });
  });
  watchMethod(prototype, 'send', (request: XMLHttpRequest, [body]) => {
    const known = requests.get(request) || { url: '', head: [] };
    leave(watcher, 'XMLHttpRequest', known.url, body, known.head);
    watcher.asks();
    EventTarget.prototype.addEventListener.call(request, 'loadend', watcher.answered);
  });
}

function watchOthers(watcher: Watcher): void {
  watchMethod(Navigator.prototype, 'sendBeacon', (_, [url, body]) =>
    leave(watcher, 'sendBeacon', url, body),
  );
  watchConstructor('WebSocket', (_, [url]) => leave(watcher, 'WebSocket', url, undefined));
  watchConstructor('EventSource', (_, [url]) => leave(watcher, 'EventSource', url, undefined));
  watchMethod(WebSocket.prototype, 'send', (socket: WebSocket, [data]) =>
    leave(watcher, 'WebSocket', socket.url, data),
  );
  watchMethod(window, 'postMessage', (_, [data]) =>
    leave(watcher, 'postMessage', '', data === undefined ? null : data),
  );
  watchMethod(window, 'open', (_, [url]) => leave(watcher, 'window.open', url, undefined));
  watchMethod(Storage.prototype, 'setItem', (storage: Storage, [key, value]) =>
    leave(watcher, storageName(storage), '', value, [{ text: String(key) }]),
  );
  watchSetter(Document.prototype, 'cookie', (_, [text]) => leave(watcher, 'cookie', '', text));
  for (const name of ['pushState', 'replaceState']) {
    watchMethod(History.prototype, name, (_, [state, , url]) =>
      leave(watcher, 'history', url === undefined || url === null ? '' : url, state),
    );
  }
}

function storageName(storage: Storage): string {
  try {
    return storage === localStorage ? 'localStorage' : 'sessionStorage';
  } catch {
    return 'storage';
  }
}

/** Scripts, images, frames and links whose address a script of the page sets. */
function watchAddresses(watcher: Watcher): void {
  const leaves = (element: Element, url: unknown) =>
    leave(watcher, `the address of ${article(element.localName)}`, url, undefined);
  const setters: [object, string][] = [
    [HTMLImageElement.prototype, 'src'],
    [HTMLImageElement.prototype, 'srcset'],
    [HTMLScriptElement.prototype, 'src'],
    [HTMLIFrameElement.prototype, 'src'],
    [HTMLLinkElement.prototype, 'href'],
  ];
  for (const [prototype, name] of setters) {
    watchSetter(prototype, name, (element: Element, [url]) => leaves(element, url));
  }
  watchMethod(Element.prototype, 'setAttribute', (element: Element, [name, value]) => {
    const isAddress = /^(src|srcset|href)$/i.test(String(name));
    if (isAddress && /^(img|script|iframe|link)$/.test(element.localName)) leaves(element, value);
  });
}

const NAMES: { [element: string]: string } = { img: 'image', iframe: 'frame' };

function article(localName: string): string {
  const name = NAMES[localName] || localName;
  return `${name === 'image' ? 'an' : 'a'} ${name}`;
}

/**
 * Watches the submits of a window or a shadow root, which its submits do not leave. A submit that
 * nobody has cancelled is sent by the browser.
 */
export function watchSubmits(root: Window | ShadowRoot, watcher: Watcher): void {
  root.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event as SubmitEvent;
      const site = safely(callSite);
      afterDispatch(root, event, () => {
        if (event.defaultPrevented) return;
        leaveByForm(watcher, event.target as HTMLFormElement, site, submitter);
      });
    },
    true,
  );
}

function leaveByForm(
  watcher: Watcher,
  form: HTMLFormElement,
  site: Site | undefined,
  submitter: HTMLElement | null,
): void {
  watcher.isLooking(); // reads the card; a form counts even if there is none
  const read = (element: Element, name: string) =>
    Element.prototype.getAttribute.call(element, name);
  const to = (submitter && read(submitter, 'formaction')) || read(form, 'action') || '';
  watcher.leaves({ way: 'form', to, parts: entriesOf(form, submitter), mayPay: true, site, form });
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

/**
 * The parts of a form that the browser sends. Not by `new FormData(form)`, whose event would run
 * code of the page once more.
 */
function entriesOf(form: HTMLFormElement, submitter: HTMLElement | null): Part[] {
  const elements = Reflect.get(HTMLFormElement.prototype, 'elements', form);
  const parts: Part[] = [];
  for (const element of Array.prototype.slice.call(elements) as HTMLInputElement[]) {
    const { name, type, value, localName } = element;
    const isButton = localName === 'button' || /^(submit|button|reset|image)$/.test(type);
    const isOff = /^(checkbox|radio)$/.test(type) && !element.checked;
    const isSent =
      name && !element.matches(':disabled') && !isOff && (!isButton || element === submitter);
    if (isSent) parts.push({ key: name, text: String(value) });
  }
  return parts;
}
