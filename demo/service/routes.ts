import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyIsOptional, refuseBody, refuseUnreadBody } from './bodies.ts';
import type { createIdempotency } from './idempotency.ts';
import type { createIntents } from './intents.ts';
import type { Processor } from './processor/index.ts';
import * as schemas from './schemas.ts';

export interface Parts {
  processor: Processor;
  intents: ReturnType<typeof createIntents>;
  idempotency: ReturnType<typeof createIdempotency>;
  /** Resolves when everything that was saved is on the disk. */
  flushed: () => Promise<void>;
}

/**
 * The operations. Specification: "Endpoints"; commit, cancel, refund, reading and listing are this
 * sandbox's choice. `openapi.ts` has their errors and examples.
 */
export function addRoutes(
  api: Parameters<FastifyPluginAsyncTypebox>[0],
  { processor, intents, idempotency, flushed }: Parts,
) {
  const intent = { 200: Type.Ref('CardPaymentIntent') };
  const params = schemas.IntentParams;
  const headers = schemas.IdempotencyHeaders;
  const { preHandler } = idempotency;

  api.addHook('onSend', idempotency.onSend);
  api.addHook('onSend', flushed); // after what the hook above saves

  api.post(
    '/payments/card/encryption-keys',
    {
      preValidation: refuseBody,
      schema: {
        operationId: 'createEncryptionKey',
        summary: 'Request an encryption key',
        response: { 201: Type.Ref('CardEncryptionKey') },
      },
    },
    async (request, reply) => {
      const key = await processor.issueKey(request.account.id, clientGone(reply));
      return reply.code(201).send(key);
    },
  );

  api.post(
    '/payments/card',
    {
      preHandler,
      schema: {
        operationId: 'createIntent',
        summary: 'Create a draft intent',
        headers,
        body: schemas.CreateBody,
        response: { 201: Type.Ref('CardPaymentIntent') },
      },
    },
    async (request, reply) => reply.code(201).send(intents.create(request.account, request.body)),
  );

  api.get(
    '/payments/card',
    {
      onRequest: refuseUnreadBody,
      preValidation: readLimit,
      schema: {
        operationId: 'listIntents',
        summary: 'List intents',
        querystring: schemas.ListQuery,
        response: { 200: Type.Ref('CardPaymentIntentList') },
      },
    },
    async (request) => intents.list(request.account.id, request.query),
  );

  api.get(
    '/payments/card/:id',
    {
      onRequest: refuseUnreadBody,
      schema: { operationId: 'readIntent', summary: 'Read an intent', params, response: intent },
    },
    async (request) => intents.get(request.account.id, request.params.id),
  );

  api.post(
    '/payments/card/:id/authorize',
    {
      preHandler,
      schema: {
        operationId: 'authorizeIntent',
        summary: 'Authorize',
        headers,
        params,
        body: schemas.EncryptedCardBlock,
        response: intent,
      },
    },
    async (request) => {
      const note = (reason: string) => {
        request.reason = reason;
      };
      return intents.authorize(request.account.id, request.params.id, request.body, note);
    },
  );

  api.post(
    '/payments/card/:id/commit',
    {
      preHandler,
      preValidation: refuseBody,
      schema: {
        operationId: 'commitIntent',
        summary: 'Commit an authorized intent',
        headers,
        params,
        response: intent,
      },
    },
    async (request) => intents.commit(request.account.id, request.params.id),
  );

  api.post(
    '/payments/card/:id/cancel',
    {
      preHandler,
      preValidation: bodyIsOptional,
      schema: {
        operationId: 'cancelIntent',
        summary: 'Cancel',
        headers,
        params,
        body: schemas.CancelBody,
        response: intent,
      },
    },
    async (request) => intents.cancel(request.account.id, request.params.id, request.body),
  );

  api.post(
    '/payments/card/:id/refund',
    {
      preHandler,
      preValidation: bodyIsOptional,
      schema: {
        operationId: 'refundIntent',
        summary: 'Refund',
        headers,
        params,
        body: schemas.RefundBody,
        response: intent,
      },
    },
    async (request) => intents.refund(request.account.id, request.params.id, request.body),
  );
}

/** Aborted when the connection ends before the answer is sent. */
function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** A query is text. `10` is an integer there; `1e1`, `10.0`, `+10` and ` 10` are none. */
async function readLimit({ query }: FastifyRequest) {
  const { limit } = query as { limit?: unknown };
  const number = Number(limit);
  if (typeof limit === 'string' && String(number) === limit && Number.isInteger(number)) {
    (query as { limit: number }).limit = number;
  }
}
