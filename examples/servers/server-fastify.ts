import Fastify, { type FastifyReply } from 'fastify';
import { endOnSigterm } from './end.js';
import type { Answer } from './page.js';
import { orderOf, sendKey, showCheckout, startOrder, takePayment } from './shop.js';

const app = Fastify({
  bodyLimit: 8 * 1024, // a block takes less than 2 KiB
  // An address can hold a card: log the route, and repeat neither.
  logger: {
    serializers: { req: ({ method, routeOptions }) => ({ method, route: routeOptions?.url }) },
  },
  frameworkErrors: (_error, _request, { raw }) => raw.writeHead(400).end(),
});
app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));

// The routes of other plugins keep their parsers.
app.register(async (pay) => {
  pay.removeAllContentTypeParsers();
  pay.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, body: string) => body);

  pay.get('/checkout', async ({ headers }, reply) =>
    send(reply, await showCheckout(orderOf(headers.cookie))),
  );
  pay.post('/checkout/key', async ({ headers }, reply) =>
    send(reply, await sendKey(orderOf(headers.cookie), String(headers['x-forwarded-for'] ?? ''))),
  );
  pay.post('/checkout/new', async ({ headers }, reply) =>
    send(reply, await startOrder(orderOf(headers.cookie))),
  );
  pay.post<{ Body: string | undefined }>('/checkout/pay', async ({ headers, body = '' }, reply) => {
    const { accept, 'content-type': type } = headers;
    const forwardedFor = String(headers['x-forwarded-for'] ?? '');
    const order = orderOf(headers.cookie);
    return send(reply, await takePayment(order, { type, accept, forwardedFor }, body));
  });
});

function send(reply: FastifyReply, { status, headers, body }: Answer) {
  return reply.code(status).headers(headers).send(body);
}

await app.listen({ port: Number(process.env.PORT ?? 3000) });
endOnSigterm(app.server);
