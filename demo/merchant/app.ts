import helmet from '@fastify/helmet';
import type { OrderStore, PaymentsClient } from 'cardseal/checkout';
import Fastify, { type FastifyReply } from 'fastify';
import { buildAssets } from '../checkout/assets.ts';
import { problemPage } from '../checkout/outcomes.ts';
import { addCheckout } from './checkout.ts';

export interface MerchantOptions {
  /** The client of the Card Payment Service: `new CardPayments({ baseUrl, secretKey })`. */
  payments: PaymentsClient;
  /** Where the orders are kept; in the memory of this process. */
  store?: OrderStore | undefined;
  /**
   * Gets one line for each request, with method, route and status, and one for each payment whose
   * outcome needs a look.
   */
  log?: (line: string) => void;
}

/** What cardseal works under; and the page's own stylesheet and request. */
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
};

/**
 * The merchant's server: it serves the checkout pages, and it alone talks to the Card Payment
 * Service. Not listening yet: `await createMerchant(options).listen({ port: 0 })`. It never logs or
 * sends back anything that a browser sent.
 */
export function createMerchant({ payments, store, log = () => {} }: MerchantOptions) {
  const assets = buildAssets();
  const app = Fastify({
    bodyLimit: 8 * 1024, // a block takes less than 2
    requestTimeout: 30_000,
    forceCloseConnections: true,
    exposeHeadRoutes: false, // HEAD would order a key
    // A path that cannot be decoded
    frameworkErrors: (_error, _request, reply) => sendProblem(reply as FastifyReply, 400),
  });
  app.removeAllContentTypeParsers(); // what Fastify's own cannot parse they repeat in their errors
  app.addContentTypeParser(
    ['text/plain', 'application/json', 'application/x-www-form-urlencoded'],
    { parseAs: 'string' },
    async (_: unknown, body: string) => body,
  );

  app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
  });
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    reply.header('cache-control', 'no-store'); // a page has a key that is of one checkout alone
    // SameSite lets through what comes from another port or subdomain
    const site = headers['sec-fetch-site'];
    if (method === 'POST' && site && site !== 'same-origin' && site !== 'none')
      return sendProblem(reply, 403);
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode }) => {
    // The route: an address as it was sent can have a card in it
    log(`${method} ${routeOptions.url ?? '(no such page)'} ${statusCode}`);
  });
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, 404));
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    // Without its message
    if (!error.statusCode || error.statusCode >= 500) log(`Failed: ${error.name}`);
    return sendProblem(reply, error.statusCode ?? 500);
  });

  app.get('/', async (_request, reply) => reply.redirect('/checkout'));
  // The shop has none, and a browser that gets 404 complains in the console.
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send());
  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params }, reply) => {
    const asset = assets.get(params.file);
    return asset ? reply.type(asset.type).send(asset.body) : reply.callNotFound();
  });
  app.register(async (scope) => addCheckout(scope, { payments, store, log, at: '/checkout' }));
  return app;
}

const PROBLEMS: Record<number, string> = {
  400: 'The shop did not accept what was sent.',
  404: 'There is no such page.',
  502: 'The shop cannot take payments right now.',
};

function sendProblem(reply: FastifyReply, status: number) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(problemPage(PROBLEMS[status] ?? PROBLEMS[status < 500 ? 400 : 502]!));
}
