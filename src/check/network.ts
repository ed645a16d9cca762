import { dataOf, entriesOf, type Leave, leaver, textOf, type Watcher } from './outgoing.ts';
import { prototypeOf, watch } from './patch.ts';
import type { Part } from './search.ts';

/** Watches requests, sockets, and addresses that an element loads. */
export function watchNetwork(watcher: Watcher): void {
  const leave = leaver(watcher);
  watchFetch(leave);
  watchXhr(leave);
  watch(Navigator.prototype, 'sendBeacon', (_, [url, body]) => leave('sendBeacon', url, body));
  for (const name of ['WebSocket', 'EventSource', 'Worker', 'SharedWorker']) {
    watch(window, name, (_, [url]) => leave(name, url));
  }
  watch(prototypeOf('RTCDataChannel'), 'send', (_, [data]) => leave('RTCDataChannel', '', data));
  watch(WebSocket.prototype, 'send', (socket: WebSocket, [data]) => {
    leave('WebSocket', socket.url, data);
  });
  watch(window, 'open', (_, [url]) => leave('window.open', url));
  watchAddresses(leave);
}

function watchFetch(leave: Leave): void {
  watch(window, 'fetch', (_, [input, init]) => {
    const request = [init, input].find((it): it is Request => it instanceof Request);
    const body = dataOf(init, 'body') || request;
    const head = headersOf(dataOf(init, 'headers')).concat(headersOf(request?.headers));
    leave('fetch', input instanceof Request ? input.url : input, body, head);
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

function watchXhr(leave: Leave): void {
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
    leave('XMLHttpRequest', url, body, head);
  });
}

/** Elements that load an address, as findings name them. */
const ADDRESSES: { [element: string]: string } = {
  img: 'an image',
  script: 'a script',
  iframe: 'a frame',
  link: 'a link',
  audio: 'a sound',
  video: 'a video',
};

/** Scripts, images, frames and links whose address a script of the page sets. */
function watchAddresses(leave: Leave): void {
  const leaves = (element: Element, name: string) => () => {
    const address = element.getAttribute(name);
    leave(`the address of ${ADDRESSES[element.localName]}`, address);
  };
  const watchProperty = ({ prototype }: { prototype: Element }, name: string) =>
    watch(prototype, name, (element: Element) => leaves(element, name), 'set');
  watchProperty(HTMLImageElement, 'src');
  watchProperty(HTMLImageElement, 'srcset');
  watchProperty(HTMLScriptElement, 'src');
  watchProperty(HTMLMediaElement, 'src');
  watchProperty(HTMLIFrameElement, 'src');
  watchProperty(HTMLLinkElement, 'href');
  watch(Element.prototype, 'setAttribute', (element: Element, [name]) => {
    const isAddress = /^(src|srcset|href)$/i.test(textOf(name));
    return isAddress && element.localName in ADDRESSES && leaves(element, textOf(name));
  });
}
