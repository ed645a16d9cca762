import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';
import { ACCOUNTS, createService } from '../../../demo/service/app.ts';
import { type Checkout, createCheckout, type Order } from '../../../src/checkout/index.ts';
import { recycledKeyPair } from '../card-payment-service.ts';
import { deferred } from '../deferred.ts';

/** What happens to the next request of a kind, instead of its plain answer. */
export type Fault =
  /** The server does everything, and its response is lost. */
  | 'lost'
  /** A proxy answers after the server has done everything. */
  | 'bad_gateway_after'
  /** A proxy answers, and the server hears nothing. */
  | 'bad_gateway'
  /** A proxy, or the server, asks to wait for a second. */
  | 'too_many'
  /** Another route answers. */
  | 'no_status'
  /** It takes until the test calls `go`. */
  | 'wait'
  /** The session has no order any more. */
  | 'no_session'
  | 'misconfigured'
  /** The payment goes on, and something on the way answers with this code. */
  | `failed_${number}`;

export type Kind = 'GET' | 'key' | 'pay';

/** What the server has seen of a page. */
export interface Seen {
  requests: Kind[];
  /** The bodies of the payments. */
  blocks: string[];
  /** How often the order was charged, by the records of the Card Payment Service. */
  charges: number;
}

interface Shop {
  order: Order;
  requests: Kind[];
  blocks: string[];
  faults: { kind: Kind; fault: Fault }[];
  /** Settled when the test calls `go`, before or after the request that waits for it. */
  go: ReturnType<typeof deferred<void>>;
}

/**
 * Gives the test pages a shop: `/shop/<id>/checkout` is `checkout.handle` of a real checkout and a
 * real Card Payment Service. A test tells it what goes wrong by `/shop/<id>/fault/<kind>/<fault>`.
 */
export function checkoutServer(): Plugin {
  const shops = new Map<string, Shop>();
  let checkout: Promise<Checkout> | undefined;
  let service: ReturnType<typeof createService> | undefined;

  const start = async (): Promise<Checkout> => {
    service = createService({ generateKeyPair: recycledKeyPair });
    const baseUrl = await service.listen({ host: '127.0.0.1', port: 0 });
    const payments = { baseUrl, secretKey: ACCOUNTS[0].secretKey };
    return createCheckout({ payments, log: () => {} });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    checkout ??= start();
    const { handle } = await checkout;
    const [, id, route, kind, fault] = request.url!.split('?')[0]!.split('/');
    const shop = shops.get(id!) ?? newShop(id!);
    shops.set(id!, shop);
    switch (route) {
      case 'checkout':
        return pass(shop, handle, request, response);
      case 'fault':
        shop.faults.push({ kind: kind as Kind, fault: fault as Fault });
        break;
      case 'go':
        shop.go.resolve();
        break;
    }
    const { requests, blocks } = shop;
    const charges = await chargesOf(await service!.inject(LIST), shop.order.id);
    const seen: Seen = { requests, blocks, charges };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(seen));
  };

  return {
    name: 'checkout',
    configureServer: ({ middlewares, httpServer }) => {
      // The address of the documents: one order, for all who come.
      middlewares.use('/checkout', (request, response, next) => {
        if (request.url !== '/') return next(); // a file of test/checkout
        request.url = '/of-documents/checkout';
        answer(request, response).catch(next);
      });
      middlewares.use('/shop', (request, response, next) => {
        answer(request, response).catch(next);
      });
      httpServer?.on('close', () => service?.close());
    },
  };
}

const LIST = {
  url: '/payments/card?limit=100',
  headers: { authorization: `Bearer ${ACCOUNTS[0].secretKey}` },
};

function chargesOf(listed: { body: string }, orderId: string): number {
  const { data } = JSON.parse(listed.body) as { data: { description: string; status: string }[] };
  const own = data.filter(({ description }) => description === orderId);
  return own.filter(({ status }) => status === 'committed').length;
}

function newShop(id: string): Shop {
  const order: Order = { id, amount: 1000, currency: 'USD', description: id };
  return { order, requests: [], blocks: [], faults: [], go: deferred() };
}

async function pass(
  shop: Shop,
  handle: Checkout['handle'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  const kind = request.method === 'GET' ? 'GET' : body ? 'pay' : 'key';
  shop.requests.push(kind);
  if (body) shop.blocks.push(body);
  const at = shop.faults.findIndex((it) => it.kind === kind);
  const fault = at < 0 ? undefined : shop.faults.splice(at, 1)[0]!.fault;
  const send = (status: number, text: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, headers).end(text);
  };
  switch (fault) {
    case 'bad_gateway':
      return send(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' });
    case 'too_many':
      return send(429, '<h1>Too many</h1>', { 'content-type': 'text/html', 'retry-after': '1' });
    case 'no_status':
      return send(200, '{"text":"You have paid"}');
    case 'misconfigured':
      return send(500, '{"status":"misconfigured"}');
    case 'wait':
      await shop.go.promise;
  }
  const { method, headers } = request;
  const given = Object.assign(Object.create(request), { method, headers, body });
  const answer = await handle(given, fault === 'no_session' ? undefined : shop.order);
  const text = await answer.text();
  if (fault === 'lost') {
    // Chromium repeats a POST by itself whose connection ends before the first byte.
    response.writeHead(200, { 'content-length': '1000' }).flushHeaders();
    response.socket!.end(() => response.destroy());
    return;
  }
  if (fault?.startsWith('failed_'))
    return send(Number(fault.slice('failed_'.length)), '{"status":"failed"}');
  if (fault === 'bad_gateway_after') return send(502, '<h1>Bad gateway</h1>');
  send(answer.status, text, Object.fromEntries(answer.headers));
}
