import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** What a test has the server answer. A body is sent as it is. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** What the server got. */
export interface Got {
  method: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Gives the tests real pages with headers of their own, at this origin and another: `/answer/<id>` answers what the test has said by
 * `PUT /say/<id>`, and waits until it has; `/got/<id>` tells what came to it so far. `/dist/` has the built files, and so have `/js/` and `/js/cardseal/`, as in the documents; `/spy.js` collects in
 * `seen` what a page complains of; `/other-origin` tells the other origin, which allows everyone to read (CORS).
 */
export function pages(): Plugin {
  const entries = new Map<string, { answer?: Answer; waiting: (() => void)[]; got: Got[] }>();
  const entryOf = (id: string) => {
    if (!entries.has(id)) entries.set(id, { waiting: [], got: [] });
    return entries.get(id)!;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const [, route, id = ''] = new URL(request.url!, 'http://localhost').pathname.split('/');
    const send = (type: string, body: string) => response.setHeader('Content-Type', type).end(body);
    const entry = entryOf(id);
    if (route === 'got') return send('application/json', JSON.stringify(entry.got));
    if (route === 'say') {
      entry.answer = JSON.parse(await bodyOf(request));
      for (const answer of entry.waiting.splice(0)) answer();
      return send('text/plain', '');
    }
    if (route === 'answer') {
      const headers = request.headers as Record<string, string>;
      entry.got.push({ method: request.method!, headers, body: await bodyOf(request) });
      if (!entry.answer) await new Promise<void>((resolve) => entry.waiting.push(resolve));
      const answer = entry.answer!;
      return response
        .writeHead(answer.status ?? 200, { 'Content-Type': 'text/html', ...answer.headers })
        .end(answer.body);
    }
    if (route === 'dist')
      return send(
        'text/javascript',
        readFileSync(join(import.meta.dirname, '../../..', request.url!), 'utf8'),
      );
    if (route === 'js') {
      const file = request.url!.slice('/js/'.length).replace('cardseal/', '');
      const text = readFileSync(join(import.meta.dirname, '../../../dist', file), 'utf8');
      return send('text/javascript', text);
    }
    if (route === 'spy.js') return send('text/javascript', SPY);
    if (route === 'other-origin') {
      other ??= startOther();
      return send('text/plain', await other);
    }
    return next();
  };

  /** Answers as `handle` does, at an origin of its own. Starts when a test first asks for it. */
  const startOther = async () => {
    const server = createServer((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*');
      handle(request, response, () => response.writeHead(404).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  let other: Promise<string> | undefined;

  return {
    name: 'pages',
    configureServer: ({ middlewares }) => {
      middlewares.use(handle);
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Everything that a page's author would find in the console, as text. */
const SPY = `
  var seen = [];
  for (const level of ['log', 'warn', 'error']) console[level] = (...what) => seen.push(what.map((it) => it && it.message || String(it)).join(' '));
  addEventListener('error', ({ message }) => message && seen.push(message), true);
  addEventListener('unhandledrejection', ({ reason }) => seen.push('unhandled: ' + reason));
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.push('violates ' + effectiveDirective));
`;
