import { callSite, type Site } from './call-site.ts';
import { safely } from './patch.ts';
import type { Part } from './search.ts';

/** Something that leaves the page's memory, or is about to. */
export interface Outgoing {
  /** As findings name it, such as `fetch` or `localStorage`. */
  way: string;
  /** Where to, as the page gave it. */
  to: string;
  parts: Part[];
  /** Nothing has left yet: a script makes a text of it, or hands it to a worker. */
  isPreparing?: boolean;
  /** A request that may carry a payment: it has a body, unlike one for a key, or it is a form. */
  mayPay?: boolean;
  site: Site | undefined;
  /** For a form that the browser sends. */
  form?: HTMLFormElement;
}

export interface Watcher {
  /** Whether anything is looked for now. It reads the controls of the page, which takes time. */
  isLooking(): boolean;
  leaves(outgoing: Outgoing): void;
}

/** Addresses that are no request. */
export const STAYS_HERE = /^\s*(data|javascript):/i;

/** Where an address of the page leads to. */
export function addressOf(to: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = to;
  return anchor;
}

export type Leave = ReturnType<typeof leaver>;

/** Gives a watcher what a way out carries. Files are read later, with the site of now. */
export function leaver(watcher: Watcher) {
  return (way: string, url: unknown, body?: unknown, head: Part[] = []): void => {
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
  };
}

/** Gives a watcher an object that leaves. It is read only if something is looked for. */
export function objectLeaver(watcher: Watcher) {
  return (way: string, url: unknown, value: unknown): void => {
    if (!watcher.isLooking()) return;
    const to = textOf(url);
    const parts = [{ text: to }, { text: textIn(value) }];
    watcher.leaves({ way, to, parts, site: callSite() });
  };
}

/** By what a page pays. A beacon has no answer. */
const PAYING = ['fetch', 'XMLHttpRequest', 'WebSocket'];

/** The texts of a body, and those that can be read only later. */
function partsOf(body: unknown): { parts: Part[]; later: Promise<string>[] } {
  const parts: Part[] = [];
  const later: Promise<string>[] = [];
  const add = (value: unknown, key?: string) => {
    if (value instanceof Blob) later.push(new Response(value).text());
    else parts.push({ text: textOf(value), key });
  };
  if (body === undefined || body === null) return { parts, later };
  if (LISTS.some((type) => body instanceof type)) {
    for (const [value, key] of entriesOf(body as FormData)) add(value, key);
  } else if (body instanceof Request) {
    const isReadable = body.method !== 'GET' && !body.bodyUsed;
    if (isReadable) later.push(Request.prototype.clone.call(body).text());
  } else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    add(decoded(body)); // at once: the page may be about to leave
  } else if (body instanceof Document) {
    add(new XMLSerializer().serializeToString(body));
  } else {
    add(body);
  }
  return { parts, later };
}

/** Taken before the page can replace them, as Inputmask replaces `FormData`. */
const LISTS = [FormData, URLSearchParams, Headers];

/** By the platform's own function: an object of the page may have another. */
export function entriesOf(
  list: FormData | URLSearchParams | Headers,
): [value: unknown, key: string][] {
  const entries: [unknown, string][] = [];
  const { prototype } = LISTS.find((type) => list instanceof type)!;
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
export function textOf(value: unknown): string {
  if (Object(value) !== value) return String(value);
  if (value === location) return location.href;
  const type = ADDRESS_TYPES.find((it) => value instanceof it);
  return type ? Reflect.get(type.prototype, 'href', value) : '';
}

/** A property of an object of the page. No getter is run. */
export const dataOf = (object: unknown, name: string): unknown =>
  Object.getOwnPropertyDescriptor(Object(object), name)?.value;

/** How much of an object is read: a page may hand over all that it has. */
const MOST_TEXTS = 20_000;

/**
 * The texts in an object, as JSON has them: `"name":"value"`. No code of the page is run, as a
 * getter or `toJSON` would be.
 */
export function textIn(value: unknown): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const add = (it: unknown, name: string) => {
    if (texts.length >= MOST_TEXTS || seen.has(it)) return;
    if (typeof it === 'string' || typeof it === 'number') texts.push(`${name}"${it}"`);
    else if (it instanceof ArrayBuffer || ArrayBuffer.isView(it)) texts.push(decoded(it));
    if (Object(it) !== it || ArrayBuffer.isView(it)) return;
    seen.add(it);
    for (const key of Object.keys(Object(it))) add(dataOf(it, key), `"${key}":`);
    if (it instanceof Set) setForEach.call(it, (item) => add(item, ''));
    if (it instanceof Map) {
      mapForEach.call(it, (item, key) => {
        add(key, '');
        add(item, `"${textOf(key)}":`);
      });
    }
  };
  add(value, '');
  return texts.join();
}

/** Taken before the page can replace them: messages carry maps and sets, too. */
const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;

const decoded = (bytes: unknown): string => new TextDecoder().decode(bytes as ArrayBuffer);
