/** A shop for old engines: real pages on a loopback address, which post for real. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DIST } from '../support/built.ts';
import keys from '../vectors/keys.json' with { type: 'json' };
import { SHOP_SCRIPT } from './shop-script.ts';

/** What the shopper's browser posted: the form's entries in their order. */
export type Posted = [name: string, value: string][];

export interface Shop {
  origin: string;
  /** Everything that was posted since the last call. */
  takePosted(): Posted[];
  close(): void;
}

export async function openShop(): Promise<Shop> {
  let posted: Posted[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url!, 'http://shop').pathname;
    const send = (type: string, body: string | Buffer) => {
      response.writeHead(200, {
        'Content-Type': `${type}; charset=utf-8`,
        'Cache-Control': 'no-store',
      });
      response.end(body);
    };
    if (path in PAGES) return send('text/html', PAGES[path as keyof typeof PAGES]());
    if (path === '/unparsable.js') return send('text/javascript', UNPARSABLE);
    if (path === '/card-key') return send('application/json', JSON.stringify(newKey()));
    if (path.startsWith('/dist/')) {
      return send('text/javascript', readFileSync(join(DIST, path.slice('/dist/'.length))));
    }
    if (path === '/pay') {
      posted.push([...new URLSearchParams(await bodyOf(request))]);
      return send('text/html', '<!doctype html><title>received</title>');
    }
    response.writeHead(404).end();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takePosted() {
      const taken = posted;
      posted = [];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const { public_key } = keys.rsa.find(({ bits }) => bits === 2048)!;
const newKey = () => ({ id: `cek_test_${randomUUID()}`, scheme: 'RSA_OAEP_SHA256_V1', public_key });

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Stands for a script that is newer than the engine: no engine parses it. */
const UNPARSABLE = 'globalThis.Cardseal = {}; class 0 {}';

/** Two submit buttons, so that a lost or a wrong button is noticed. Enter presses the first. */
const FIELDS = `
  <p><label>Order <input name="order" value="4711"></label>
  <p><label>Card number <input id="number" autocomplete="cc-number" inputmode="numeric"></label>
  <p><label>Name on card <input id="name" autocomplete="cc-name"></label>
  <p><label>Expiry date <input id="expiry" autocomplete="cc-exp"></label>
  <p><label>Security code <input id="cvv" autocomplete="cc-csc" inputmode="numeric"></label>`;
const BUTTONS = `
  <p><button id="first" name="action" value="pay by invoice address">Pay</button>
  <button id="second" name="action" value="pay as gift">Pay as a gift</button>`;

const page = (form: string, script: string) => `<!doctype html>
<meta charset="utf-8"><title>checkout</title>
<form id="checkout" method="post" action="/pay" ${form}>${FIELDS}${BUTTONS}</form>
${script}`;

const KEY_URL = 'data-cardseal data-cardseal-key-url="/card-key"';
const keyInPage = () =>
  `data-cardseal data-cardseal-key='${JSON.stringify(newKey()).replaceAll("'", '&#39;')}'`;

const CHECK =
  '<script src="/dist/cardseal.check.js" data-test-numbers="4929119283746509"></script>';

const withDisabledButtons = (text: string) =>
  text.replaceAll('<button', '<button disabled autocomplete="off" data-cardseal-enable');

/** By path. */
const PAGES = {
  /** By the script tag, which asks for its key. */
  '/tag': () => page(KEY_URL, '<script src="/dist/cardseal.js"></script>'),
  /** By the script tag's readable file, with the key in the page. */
  '/tag-readable': () => page(keyInPage(), '<script src="/dist/cardseal.readable.js"></script>'),
  /** By the core, with a script of the shop's own. */
  '/core': () => page('data-key-url="/card-key"', `<script type="module">${SHOP_SCRIPT}</script>`),
  /** What the page is if the engine cannot run the script. */
  '/unparsable': () => page(KEY_URL, '<script src="/unparsable.js"></script>'),
  /** The same, with buttons that only the script enables. */
  '/unparsable-disabled': () =>
    withDisabledButtons(page(KEY_URL, '<script src="/unparsable.js"></script>')),
  /** A shop before it has Cardseal, under the check: the number has a name, and is sent. */
  '/check': () =>
    page('', '').replace('<title>', `${CHECK}$&`).replace('id="number"', '$& name="number"'),
  /** The same markup with the real script: it enables the buttons. */
  '/tag-disabled': () =>
    withDisabledButtons(page(KEY_URL, '<script src="/dist/cardseal.js"></script>')),
};
