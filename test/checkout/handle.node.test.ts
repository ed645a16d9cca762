/** One route for everything that a page asks, in each server that it says to work in. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  request as send,
} from 'node:http';
import { text } from 'node:stream/consumers';
import express from 'express';
// @ts-expect-error: the types are those of Express 5
import express4 from 'express-4';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import {
  type Checkout,
  createCheckout,
  memoryStore,
  type Order,
  type OrderStore,
} from '../../src/checkout/index.ts';
import { encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { listenOnLoopback } from '../support/loopback.ts';

const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

const service = createService({ generateKeyPair: recycledKeyPair });
let baseUrl: string;
beforeAll(async () => {
  baseUrl = await service.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

const log: string[] = [];
let order: Order | undefined;
beforeEach(() => {
  log.length = 0;
  order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
});

function newCheckout(store: OrderStore = memoryStore()): Checkout {
  const payments = { baseUrl, secretKey: ACCOUNTS[0].secretKey };
  return createCheckout({ payments, store, log: (line) => log.push(line) });
}

interface Server {
  url: string;
  close(): unknown;
}

async function serve(listener: RequestListener): Promise<Server> {
  const { host, close } = await listenOnLoopback(createServer(listener));
  return { url: `http://${host}/checkout`, close };
}

/** The parsers that a shop may have for its other routes. */
const PARSERS = ['json', 'text', 'raw', 'urlencoded'] as const;

/** Each server with the one line that a merchant writes. */
const SERVERS: Record<string, (checkout: Checkout) => Promise<Server>> = {
  http: (checkout) => serve(checkout.node(() => order)),
  'Express 5': (checkout) => {
    const app = express();
    app.all(
      '/checkout',
      checkout.node(() => order),
    );
    return serve(app);
  },
  'Express 5 behind parsers of all kinds': (checkout) => {
    const app = express();
    for (const parser of PARSERS) app.use(express[parser]({ extended: true }));
    app.all(
      '/checkout',
      checkout.node(() => order),
    );
    return serve(app);
  },
  'Express 4 behind parsers of all kinds': (checkout) => {
    const app = express4();
    for (const parser of PARSERS) app.use(express4[parser]({ extended: true }));
    app.all(
      '/checkout',
      checkout.node(() => order),
    );
    return serve(app);
  },
  Fastify: async (checkout) => {
    const app = Fastify();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request: unknown, body: string | Buffer, done) => done(null, body),
    );
    app.all('/checkout', (request) => checkout.handle(request, order));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return { url: `${url}/checkout`, close: () => app.close() };
  },
  Koa: (checkout) => {
    const app = new Koa();
    app.use(async (context) => {
      const response = await checkout.handle(context, order);
      context.status = response.status;
      context.set(Object.fromEntries(response.headers));
      context.body = await response.text();
    });
    return serve(app.callback());
  },
  'Hono, by the Request of the platform': async (checkout) => {
    const app = new Hono();
    app.all('/checkout', ({ req }) => checkout.handle(req.raw, order));
    return serveWeb((request) => app.fetch(request));
  },
};

/** Node has no server of its own for a function from `Request` to `Response`. */
function serveWeb(answer: (request: Request) => Response | Promise<Response>): Promise<Server> {
  return serve(async (incoming, outgoing) => {
    const { method = 'GET', url, headers } = incoming;
    const hasBody = method === 'POST';
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(hasBody && { body: incoming as never, duplex: 'half' }),
    });
    const response = await answer(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });
}

/** What a page has got. */
interface Got {
  http: number;
  headers: Headers;
  status?: string;
  order?: string;
  key?: { id: string };
  last?: string;
  reason?: string | null;
  reference?: string;
}

async function ask(url: string, init: RequestInit = {}): Promise<Got> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const body = await response.text();
  const { status: http, headers } = response;
  return { http, headers, ...(body && JSON.parse(body)) };
}

async function keyOf(url: string) {
  const { key } = await ask(url, { method: 'POST' });
  return key as never;
}

async function blockFor(url: string, number = APPROVED): Promise<string> {
  const card = { number, name: 'Ada Lovelace', exp_month: '12', exp_year: '2039', cvv: '123' };
  return JSON.stringify(await encryptCard(await keyOf(url), card));
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  ask(url, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...headers } });

const NATIVE = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'text/html,application/xhtml+xml',
  'sec-fetch-site': 'same-origin',
};
const formWith = (block: string) => new URLSearchParams({ encrypted_card: block }).toString();

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = await start(newCheckout());
    url = server.url;
  });
  afterAll(() => server.close());

  test('gives the outcome, a key and a payment under one address, and nothing may be cached', async () => {
    const open = await ask(url);
    expect(open).toMatchObject({ http: 200, status: 'open' });
    const key = await ask(url, { method: 'POST' });
    expect(key).toMatchObject({ http: 200, status: 'open', order: order!.id });
    expect(Object.keys(key.key!).sort()).toEqual(['id', 'public_key', 'scheme']);
    const paid = await post(url, await blockFor(url));
    expect(paid).toMatchObject({ http: 200, status: 'committed' });
    expect(paid.reference).toMatch(/^pi_card_/);
    expect(await ask(url)).toMatchObject({ http: 200, status: 'committed' });
    for (const { headers } of [open, key, paid]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  test('a page that asks for a key of an order that is paid gets the outcome, which is no error', async () => {
    await post(url, await blockFor(url));
    expect(await ask(url, { method: 'POST' })).toMatchObject({ http: 200, status: 'committed' });
  });

  test('a decline is an outcome, and another card pays', async () => {
    const declined = await post(url, await blockFor(url, DECLINED));
    expect(declined).toMatchObject({ http: 200, status: 'failed', reason: expect.any(String) });
    expect(await post(url, await blockFor(url))).toMatchObject({ status: 'committed' });
  });

  test('a native POST is answered with 303 to the page that it came from', async () => {
    const body = formWith(await blockFor(url));
    const headers = { ...NATIVE, referer: 'http://shop.test/basket?step=2' };
    const answer = await ask(url, { method: 'POST', body, headers });
    expect(answer).toMatchObject({ http: 303 });
    expect(answer.headers.get('location')).toBe('/basket?step=2');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await ask(url)).toMatchObject({ status: 'committed' });
  });

  test('what is no block is refused, and what is too large is not parsed', async () => {
    expect(await post(url, '{"number":"4242')).toMatchObject({
      http: 400,
      status: 'invalid_encrypted_card',
    });
    const large = await ask(url, {
      method: 'POST',
      body: `{"a":"${'x'.repeat(9000)}"}`,
      headers: { 'content-type': 'text/plain' },
    });
    expect(large).toMatchObject({ http: 413, status: 'too_large' });
    expect(JSON.stringify(log)).not.toContain('4242');
  });

  // Twice: an array, if a parser of forms has read it.
  test.each(['', 'email=zoe%40shop.example', 'encrypted_card=a&encrypted_card=b'])(
    'a form without a block is refused, and leads back to its page: %s',
    async (body) => {
      const answer = await ask(url, { method: 'POST', body, headers: NATIVE });
      expect(answer).toMatchObject({ http: 303 });
      expect(answer.headers.get('location')).toBe('/?outcome=invalid_encrypted_card');
      expect(log.join()).toMatch(
        /^Refused: invalid_encrypted_card: order "[^"]+": the (form|body)/,
      );
      expect(log.join()).not.toContain('zoe');
    },
  );

  test('a POST of another site or subdomain is refused', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site };
      const answer = await ask(url, { method: 'POST', headers });
      expect(answer).toMatchObject({ http: 403, status: 'cross_site' });
    }
    expect(await ask(url)).toMatchObject({ status: 'open' });
  });

  test('a block and a key request that name another order are of a page that is out of date', async () => {
    const body = await blockFor(url);
    const headers = { 'cardseal-order': 'another' };
    expect(await post(url, body, headers)).toMatchObject({ http: 404, status: 'no_order' });
    expect(await ask(url, { method: 'POST', headers })).toMatchObject({ status: 'no_order' });
    const lines = [`Block not sent: order "${order!.id}": the page is of another order`];
    expect(log).toEqual(lines);
    const own = { 'cardseal-order': encodeURIComponent(order!.id) };
    expect(await post(url, body, own)).toMatchObject({ status: 'committed' });
    expect(log).toEqual(lines);
  });

  test('a shopper without an order gets none by a POST', async () => {
    const body = await blockFor(url);
    order = undefined;
    expect(await ask(url)).toMatchObject({ http: 404, status: 'no_order' });
    expect(await ask(url, { method: 'POST' })).toMatchObject({ http: 404, status: 'no_order' });
    expect(log).toEqual([]);
    expect(await post(url, body)).toMatchObject({ http: 404, status: 'no_order' });
    expect(log).toEqual([
      'Block not sent: the session has no order. It has ended, or the request came without its cookie',
    ]);
  });

  test('any other method is named', async () => {
    const answer = await ask(url, { method: 'PUT' });
    expect([404, 405]).toContain(answer.http); // 404: the framework's own
  });
});

describe('a body that a parser has read', () => {
  const parsedBy = {
    'Express 5': () => {
      const app = express();
      app.use(express.json());
      return app;
    },
    'Express 4': () => {
      const app = express4();
      app.use(express4.json());
      return app;
    },
  };
  test.each(Object.entries(parsedBy))(
    'is misconfigured in %s, and the log names the fix',
    async (_, make) => {
      const app = make();
      app.all('/checkout', newCheckout().node(() => order) as never);
      const { url, close } = await serve(app);
      const body = await blockFor(url);
      const headers = { 'content-type': 'application/json' };
      expect(await post(url, body, headers)).toMatchObject({ http: 500, status: 'misconfigured' });
      expect(log.join()).toContain('Mount checkout.handle before the parser');
      expect(await ask(url)).toMatchObject({ status: 'open' }); // nothing was sent
      close();
    },
  );

  test.each(['has read', 'is reading'])(
    'is misconfigured if somebody %s the stream of a Request',
    async (who) => {
      const request = new Request('http://shop.test/checkout', { method: 'POST', body: '{}' });
      if (who === 'has read') await request.text();
      else request.body!.getReader();
      const response = await newCheckout().handle(request, order);
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({ status: 'misconfigured' });
    },
  );
});

test('an order whose id is no text is an error for each request: a page must not show its form', async () => {
  const wrong = { ...order, id: 7 } as unknown as Order;
  for (const method of ['GET', 'POST']) {
    const answer = newCheckout().handle(
      new Request('http://shop.test/checkout', { method }),
      wrong,
    );
    await expect(answer).rejects.toThrow('order.id must be text');
  }
});

describe('a native POST', () => {
  let server: Server;
  afterEach(() => server.close());

  async function locationOf(body: string, referer: string, page?: string): Promise<string | null> {
    server ??= await serve(() => {});
    server.close();
    server = await serve(newCheckout().node(() => order, { page }));
    const headers = { ...NATIVE, ...(referer && { referer }) };
    const { headers: got } = await ask(server.url, { method: 'POST', body, headers });
    return got.get('location');
  }

  test('goes where the merchant says, and takes along what no order tells', async () => {
    expect(await locationOf('encrypted_card=x', '', '/pay')).toBe(
      '/pay?outcome=invalid_encrypted_card',
    );
    const again = '/pay?outcome=invalid_encrypted_card&step=2';
    order = undefined;
    expect(await locationOf('encrypted_card=x', '', again)).toBe('/pay?step=2&outcome=no_order');
  });

  test.each([
    ['/?checkout', '/?checkout&outcome=invalid_encrypted_card'],
    ['/shop?q=&id=1&id=2', '/shop?q=&id=1&id=2&outcome=invalid_encrypted_card'],
    ['/shop?order.id=5&a=%20+b?c', '/shop?order.id=5&a=%20+b?c&outcome=invalid_encrypted_card'],
    ['/shop?%6futcome=no_order&outcomes', '/shop?outcomes&outcome=invalid_encrypted_card'],
    ['/pay?step=2#card', '/pay?step=2&outcome=invalid_encrypted_card#card'],
    ['/支払い', '/%E6%94%AF%E6%89%95%E3%81%84?outcome=invalid_encrypted_card'],
    ['/pay#card', '/pay?outcome=invalid_encrypted_card#card'],
    ['?step=2', '?step=2&outcome=invalid_encrypted_card'],
    ['/my pay\x7f', '/my%20pay%7F?outcome=invalid_encrypted_card'],
  ])('keeps the address %s as it is, but for the outcome', async (page, location) => {
    expect(await locationOf('encrypted_card=x', '', page)).toBe(location);
  });

  test('never leads to another origin', async () => {
    const bad = ['http://shop.test//evil.test/a', 'about:blank', 'no address', ''];
    for (const referer of bad) {
      const location = await locationOf('encrypted_card=x', referer);
      expect(location).toMatch(/^\/(?!\/)/);
    }
  });
});

test('a body that grows too large is refused before its end, and the connection gets the answer', async () => {
  const { url, close } = await serve(newCheckout().node(() => order));
  const request = send(url, { method: 'POST', headers: { 'content-type': 'text/plain' } });
  request.write('x'.repeat(9000)); // and no end
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(413);
  expect(JSON.parse(await text(response))).toEqual({ status: 'too_large' });
  request.destroy();
  close();
});

test('a client that breaks off its body leaves no error behind', async () => {
  const answers: string[] = [];
  const answer = newCheckout().node(() => order);
  const { url, close } = await serve(async (request, response) => {
    await answer(request, response);
    answers.push(`${request.method} ${response.statusCode}`);
  });
  const request = send(url, { method: 'POST', headers: { 'content-type': 'text/plain' } });
  request.on('error', () => {});
  request.write('{"payload":');
  await fetch(url, { method: 'PUT' }); // by its answer, the first request has come, too
  request.destroy();
  await vi.waitFor(() => expect(answers).toContain('POST 400'));
  expect(log).toEqual([]);
  close();
});

test('too many key requests are answered with 429 and the time to wait', async () => {
  const { url, close } = await serve(newCheckout().node(() => order));
  let answer = await ask(url, { method: 'POST' });
  for (let i = 0; i < 20 && answer.http === 200; i++) answer = await ask(url, { method: 'POST' });
  expect(answer).toMatchObject({ http: 429, status: 'too_many' });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  close();
});

test('a service that gives no key is 502, and an outcome that is not certain names the order', async () => {
  const payments = { baseUrl: 'http://127.0.0.1:9/', secretKey: ACCOUNTS[0].secretKey };
  const store: OrderStore = {
    read: () => Promise.reject(new Error('down')),
    write: () => Promise.reject(new Error('down')),
  };
  const log = () => {};
  const { url, close } = await serve(createCheckout({ payments, log }).node(() => order));
  expect(await ask(url, { method: 'POST' })).toMatchObject({ http: 502, status: 'no_key' });
  const broken = await serve(createCheckout({ payments, store, log }).node(() => order));
  expect(await ask(broken.url)).toMatchObject({ status: 'not_certain', order: order!.id });
  close();
  broken.close();
});

describe('an order that cannot be found', () => {
  const fails = () => {
    throw new Error('the database is down');
  };

  test('is for Express', async () => {
    const app = express();
    app.all('/checkout', newCheckout().node(fails));
    const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
      response.status(503).json({ error: error.message });
    };
    app.use(onError);
    const { url, close } = await serve(app);
    expect(await ask(url)).toMatchObject({ http: 503, error: 'the database is down' });
    close();
  });

  test('is a line in the log without it: never its message, which may repeat a body', async () => {
    const { url, close } = await serve(newCheckout().node(() => JSON.parse('4242424242424242x')));
    expect(await ask(url)).toMatchObject({ http: 500, status: 'misconfigured' });
    expect(log).toEqual(['checkout.node: SyntaxError']);
    close();
  });

  test('is told by what is wrong with it, if it is none', async () => {
    const { url, close } = await serve(newCheckout().node(() => ({ ...order!, amount: 0.5 })));
    expect(await ask(url, { method: 'POST' })).toMatchObject({ http: 500 });
    expect(log).toEqual(['checkout.node: order.amount must be a whole number of minor units']);
    close();
  });
});

describe('a request that something else has answered before', () => {
  /** A store that is slower than the time limit of the server. */
  const slow: OrderStore = {
    read: () => new Promise((resolve) => setTimeout(resolve, 100, undefined)),
    write: async () => true,
  };
  const limited = (listener: (request: IncomingMessage, response: ServerResponse) => unknown) =>
    serve((request, response) => {
      listener(request, response);
      setTimeout(() => response.writeHead(503).end('{"status":"slow"}'), 10);
    });
  const line =
    'checkout.node: something else has answered the request already, such as a time limit. ' +
    'Nothing was sent; the page gets the outcome when it asks again';

  test('gets no second answer, a line in the log, and rejects nothing', async () => {
    const answered: Promise<void>[] = [];
    const handler = newCheckout(slow).node(() => order);
    const { url, close } = await limited((request, response) => {
      answered.push(handler(request, response));
    });
    expect(await ask(url)).toMatchObject({ http: 503, status: 'slow' });
    await answered[0];
    expect(log).toEqual([line]);
    close();
  });

  test.each([
    ['Express 5', express],
    ['Express 4', express4 as typeof express],
  ])('is no error for %s, which would cut the connection', async (_, makeApp) => {
    const app = makeApp();
    const errors: unknown[] = [];
    app.all('/checkout', newCheckout(slow).node(() => order) as express.RequestHandler);
    app.use(((error, _request, _response, _next) =>
      errors.push(error)) as express.ErrorRequestHandler);
    const { url, close } = await limited(app as RequestListener);
    expect(await ask(url)).toMatchObject({ http: 503, status: 'slow' });
    await vi.waitFor(() => expect(log).toEqual([line]));
    expect(errors).toEqual([]);
    close();
  });
});

describe('an answer that cannot be sent', () => {
  const request = { method: 'GET', headers: {}, body: undefined } as unknown as IncomingMessage;
  const broken = {
    writeHead() {
      throw new Error('a hook of the response has failed');
    },
    end: () => {},
  };

  test('is an error for Express', async () => {
    const next = vi.fn();
    await newCheckout().node(() => order)(request, broken, next);
    expect(next.mock.calls).toEqual([[new Error('a hook of the response has failed')]]);
  });

  test('is a line in the log without it', async () => {
    await newCheckout().node(() => order)(request, broken);
    expect(log).toEqual(['checkout.node: Error']);
  });
});

test('the sender of a request is the one that the merchant names', async () => {
  const asked: (string | undefined)[] = [];
  const senderOf = (request: IncomingMessage) => {
    asked.push(request.headers['x-real-ip'] as string);
    return asked.at(-1);
  };
  const { url, close } = await serve(newCheckout().node(() => order, { senderOf }));
  await ask(url, { method: 'POST', headers: { 'x-real-ip': '203.0.113.9' } });
  expect(asked).toEqual(['203.0.113.9']);
  close();
});

describe('the handler by itself', () => {
  const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
  const ask = (init: RequestInit, options = {}, checkout = newCheckout()) =>
    checkout.handle(new Request('http://shop.example/checkout', init), order, options);
  const post = (type: string, accept: string) =>
    ask({ method: 'POST', body: 'x=1', headers: { 'content-type': type, accept } });

  test('answers HEAD as GET', async () => {
    expect((await ask({ method: 'HEAD' })).status).toBe(200);
  });

  test('names the methods that it knows', async () => {
    const answer = await ask({ method: 'PUT' });
    expect([answer.status, answer.headers.get('allow'), await answer.json()]).toEqual([
      405,
      'GET, HEAD, POST',
      { status: 'method' },
    ]);
  });

  test('takes a request that no page has caused', async () => {
    const headers = { 'sec-fetch-site': 'none' };
    expect((await ask({ method: 'POST', headers })).status).toBe(200);
  });

  test('answers a body that breaks off with 400', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const answer = await ask(init);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { status: 'invalid_encrypted_card' },
    ]);
  });

  test.each([
    [FORM, 'text/html,*/*', 303],
    [FORM, 'application/json', 400],
    ['application/json', 'text/html,*/*', 400],
  ])('takes %s with accept: %s for a native submit or not: %i', async (type, accept, status) => {
    expect((await post(type, accept)).status).toBe(status);
  });

  test('leads back to an address without a question mark', async () => {
    const paid = {
      ...{ state: 'paid', amount: 1000, currency: 'USD', paid: 'committed', intentId: 'pi_1' },
      ...{ sent: true, attempt: null, keyErrors: 0, keys: [] },
    };
    const read = async () => ({ value: JSON.stringify(paid), version: 1 });
    const checkout = newCheckout({ read, write: async () => true });
    const headers = { 'content-type': FORM, accept: 'text/html' };
    const init = { method: 'POST', body: 'encrypted_card=', headers };
    const answer = await ask(init, { page: '/pay' }, checkout);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/pay']);
  });

  test('logs that an order cannot be found, whatever is thrown', async () => {
    const server = await serve(newCheckout().node(() => Promise.reject(undefined)));
    expect((await fetch(server.url)).status).toBe(500);
    expect(log).toEqual(['checkout.node: it threw no Error']);
    await server.close();
  });
});
