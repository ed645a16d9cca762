/**
 * The server of the shops: pages, keys, payments. Each visit has a path of its own, so that a late
 * request is counted where it belongs. Every request is kept as it came.
 */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { DIST } from '../support/built.ts';
import { openBlock } from '../support/open-block.ts';
import { type Card, FIRST } from './cards.ts';
import { LIBRARIES } from './libraries.ts';
import type { Shop } from './shop.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const CONTROLS = join(import.meta.dirname, 'controls');
const ROOT = join(import.meta.dirname, '../..');

/** What the server does in one visit. */
export interface Settings {
  /** The outcome of each payment, in order. The last one stays. */
  outcomes: ('approve' | 'decline' | 'fail')[];
  /** The answers that do not come before `release()`. */
  holds?: 'key' | 'payment';
  /** Whether each request for a key fails, in order. The last one stays. */
  keys: ('ok' | 'fail')[];
  /** Serves an empty file instead of the library. */
  unbound: boolean;
  /** Forbids all script by a header. */
  scriptless: boolean;
  /** Loads cardseal.check.js before all other scripts of a page. */
  checked: boolean;
  /** Serves the page as the shop had it before it used the library: its card controls have names. */
  unmigrated: boolean;
}

export interface Seen {
  method: string;
  url: string;
  headers: string;
  body: string;
}

/** A POST of an order, with or without a block. */
export interface Payment {
  /** The decrypted card; `undefined` if there is no block. */
  card: Card | undefined;
  /** What is wrong with the block; empty if nothing is. */
  wrong: string;
  payload: string | undefined;
  /** All other fields, in the order in which they came. */
  fields: [name: string, value: string][];
  url: string;
  type: string;
}

/** One visit of one shopper to one shop. */
export class Visit {
  readonly requests: Seen[] = [];
  readonly payments: Payment[] = [];
  readonly keyIds = new Set<string>();
  keyRequests = 0;
  /** Lets the held answers go. */
  release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor(
    readonly base: string,
    readonly page: string,
    readonly query: string,
    readonly blockField: string,
    readonly settings: Settings,
  ) {}

  get address() {
    return `${this.base}/${this.page}.html${this.query}`;
  }

  /** Waits for `release()` if answers of this kind are held. */
  async mayAnswer(kind: Settings['holds']): Promise<void> {
    if (this.settings.holds === kind) await this.#released;
  }
}

const DEFAULTS: Settings = {
  outcomes: ['approve'],
  keys: ['ok'],
  unbound: false,
  scriptless: false,
  checked: false,
  unmigrated: false,
};

export class ShopServer {
  readonly #visits = new Map<string, Visit>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => {
      this.problems.push(`${request.method} ${request.url}: ${error.stack}`);
      response.writeHead(500).end();
    });
  });
  readonly #bundles = new Map<string, string>();
  readonly #publicKey: string;
  readonly #privateKey: KeyObject;
  /** Requests that belong to no visit: libraries, icons. */
  readonly shared: Seen[] = [];
  /** Errors of the server itself. */
  readonly problems: string[] = [];

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#publicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    this.#privateKey = privateKey;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Opens a path for one more visit. */
  visit(shop: Shop, settings: Partial<Settings> = {}): Visit {
    const { port } = this.#server.address() as AddressInfo;
    const path = `/v${this.#visits.size}`;
    const all = { ...DEFAULTS, ...settings };
    const query = shop.query ? `?${shop.query}` : '';
    const blockField = shop.blockField ?? 'encrypted_card';
    const base = `http://127.0.0.1:${port}${path}`;
    const visit = new Visit(base, shop.name, query, blockField, all);
    this.#visits.set(path, visit);
    return visit;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [path = '', query = ''] = request.url!.split('?');
    const [, first, ...rest] = path.split('/');
    const visit = this.#visits.get(`/${first}`);
    const seen = {
      method: request.method!,
      url: request.url!,
      headers: request.rawHeaders.join('\n'),
      body: body.toString('latin1'),
    };
    (visit?.requests ?? this.shared).push(seen);
    if (!visit) return this.#library(path, response);
    const file = rest.join('/');
    if (file === 'cardseal.js') return this.#script(visit, response);
    if (file === 'cardseal.check.js') {
      return send(response, 200, 'text/javascript', readFileSync(join(DIST, file)));
    }
    if (file === 'card-key') return this.#key(visit, response);
    if (/^pay(\.\w+)?$/.test(file)) return this.#pay(visit, file, request, body, query, response);
    if (file.endsWith('.bundle.js')) return this.#bundle(file, response);
    return this.#page(visit, file, query, response);
  }

  #library(path: string, response: ServerResponse): void {
    const file = LIBRARIES[path.replace('/lib/', '')];
    if (!file) {
      send(response, 404, 'text/plain', '');
      return;
    }
    const cached = { 'cache-control': 'max-age=3600' };
    const folders = [import.meta.dirname, ROOT]; // the tests use a few of them, too
    const paths = folders.map((folder) => join(folder, 'node_modules', file));
    const text = readFileSync(paths.find((path) => existsSync(path)) ?? paths[0]!);
    send(response, 200, typeOf(file), text, cached);
  }

  #script(visit: Visit, response: ServerResponse): void {
    const { unbound, unmigrated } = visit.settings;
    const script = unbound || unmigrated ? '' : readFileSync(join(DIST, 'cardseal.js'));
    send(response, 200, 'text/javascript', script);
  }

  /** A module of a fixture, bundled with what it imports from this package and from others. */
  #bundle(file: string, response: ServerResponse): void {
    const name = file.replace('.bundle.js', '');
    const entry = ['tsx', 'ts'].map((ending) => join(FIXTURES, `${name}.${ending}`));
    let script = this.#bundles.get(name);
    if (!script) {
      const [result] = buildSync({
        entryPoints: [entry.find((path) => existsSync(path))!],
        bundle: true,
        write: false,
        format: 'esm',
        jsx: 'automatic',
        define: { 'process.env.NODE_ENV': '"production"' },
        alias: { 'cardseal/form': join(DIST, 'form/index.js') },
      }).outputFiles;
      script = result!.text;
      this.#bundles.set(name, script);
    }
    send(response, 200, 'text/javascript', script);
  }

  async #key(visit: Visit, response: ServerResponse): Promise<void> {
    const { keys } = visit.settings;
    const result = keys[Math.min(visit.keyRequests, keys.length - 1)];
    visit.keyRequests++;
    if (result === 'ok') await visit.mayAnswer('key');
    if (result === 'fail') return send(response, 503, 'text/plain', '');
    const id = `cek_${randomUUID()}`;
    visit.keyIds.add(id);
    const key = { id, scheme: 'RSA_OAEP_SHA256_V1', public_key: this.#publicKey };
    send(response, 200, 'application/json', JSON.stringify(key));
  }

  async #pay(
    visit: Visit,
    file: string,
    request: IncomingMessage,
    body: Buffer,
    query: string,
    response: ServerResponse,
  ): Promise<void> {
    const { outcomes } = visit.settings;
    const outcome = outcomes[Math.min(visit.payments.length, outcomes.length - 1)]!;
    visit.payments.push(await this.#read(visit, request, body, query));
    await visit.mayAnswer('payment');
    if (outcome === 'fail') return send(response, 500, 'text/plain', 'The shop is not well.');
    const isPaid = outcome === 'approve';
    if (file === 'pay.json') {
      const answer = { status: isPaid ? 'paid' : 'failed', message: isPaid ? THANKS : DECLINED };
      return send(response, 200, 'application/json', JSON.stringify(answer));
    }
    if (file === 'pay.fragment') {
      const text = isPaid ? THANKS : DECLINED;
      return send(response, 200, 'text/html', `<p role="alert">${text}</p>`);
    }
    if (isPaid && file === 'pay.turbo') {
      return void response.writeHead(303, { location: `${visit.base}/thanks.html` }).end();
    }
    if (isPaid) return send(response, 200, 'text/html', page('Thanks', `<h1>${THANKS}</h1>`));
    const from = request.headers.referer?.match(/\/([\w-]+\.html)$/)?.[1];
    return this.#page(visit, from ?? `${visit.page}.html`, 'declined', response, 422);
  }

  async #read(visit: Visit, request: IncomingMessage, body: Buffer, query: string) {
    const type = request.headers['content-type'] ?? '';
    const entries = await readEntries(type, body, query);
    const isBlock = ([name]: [string, string]) => name === visit.blockField;
    const blocks = entries.filter(isBlock).map(([, value]) => value);
    const payment: Payment = {
      card: undefined,
      wrong: '',
      payload: undefined,
      fields: entries.filter((entry) => !isBlock(entry)),
      url: request.url!.replace(/^\/v\d+/, ''),
      type: type.split(';')[0]!,
    };
    if (blocks.length > 1) payment.wrong = `${blocks.length} blocks`;
    if (blocks[0]) this.#decrypt(visit, blocks[0], payment);
    return payment;
  }

  #decrypt(visit: Visit, block: string, payment: Payment): void {
    try {
      const { payload, key_id } = JSON.parse(block);
      payment.payload = payload;
      if (!visit.keyIds.has(key_id)) payment.wrong = 'a key that this visit never got';
      const { Pan, Name, ExpMonth, ExpYear, Cvc } = openBlock(block, this.#privateKey);
      payment.card = { number: Pan!, name: Name!, month: ExpMonth!, year: ExpYear!, code: Cvc! };
    } catch (error) {
      payment.wrong = `no readable block: ${(error as Error).message}`;
    }
  }

  #page(visit: Visit, file: string, query: string, response: ServerResponse, status = 200): void {
    if (file === 'thanks.html') {
      send(response, 200, 'text/html', page('Thanks', `<h1>${THANKS}</h1>`));
      return;
    }
    const path = [FIXTURES, CONTROLS].map((folder) => join(folder, file)).find(existsSync);
    if (!path) {
      send(response, 404, 'text/plain', 'Not found');
      return;
    }
    const notice = query === 'declined' ? `<p role="alert">${DECLINED}</p>` : '';
    const { scriptless, checked, unmigrated } = visit.settings;
    let text = readFileSync(path, 'utf8').replace('<!-- notice -->', notice);
    if (file.endsWith('.html') && unmigrated) text = withNames(text);
    if (file.endsWith('.html') && checked) text = withCheck(text);
    const policy = 'sandbox allow-forms allow-same-origin allow-popups';
    const headers = scriptless ? { 'content-security-policy': policy } : {};
    send(response, status, typeOf(file), text, headers);
  }
}

export const THANKS = 'Thank you for your order.';
export const DECLINED = 'Your bank declined this card.';

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`;

/** The page as it was before: names instead of marks. */
const withNames = (text: string): string =>
  text
    .replace(/<(?:input|select)\b[^>]*>/g, (tag) => {
      const mark = /data-cardseal-field="(\w+)"|autocomplete="[^"]*\bcc-([\w-]+)"/.exec(tag);
      if (!mark || tag.includes('data-cardseal-shared')) return tag;
      return tag.replace(/^<\w+/, `$& name="card_${mark[1] ?? mark[2]}"`);
    })
    .replace(/\bdisabled\b(?=[^<>]*data-cardseal-enable)/g, '')
    .replace(/ data-cardseal(-[\w-]+)?(=("[^"]*"|'[^']*'|[^\s>]+))?/g, '');

/** The check comes before all other scripts. */
const withCheck = (text: string): string =>
  text.replace(
    '<meta charset="utf-8">',
    `$&<script src="cardseal.check.js" data-test-numbers="${FIRST.number}"></script>`,
  );

function typeOf(file: string): string {
  if (file.endsWith('.html')) return 'text/html; charset=utf-8';
  return file.endsWith('.css') ? 'text/css' : 'text/javascript; charset=utf-8';
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  const noStore = { 'cache-control': 'no-store' };
  response.writeHead(status, { 'content-type': type, ...noStore, ...headers }).end(body);
}

async function readEntries(type: string, body: Buffer, query: string) {
  if (type.startsWith('application/json')) {
    return Object.entries(JSON.parse(body.toString())).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
  }
  if (type.startsWith('multipart/form-data')) {
    const headers = { 'content-type': type };
    const form = await new Response(new Uint8Array(body), { headers }).formData();
    return [...form].map(([name, value]): [string, string] => [name, String(value)]);
  }
  return [...new URLSearchParams(body.length ? body.toString() : query)];
}
