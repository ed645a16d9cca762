import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';
import type { createIdempotency } from './idempotency.ts';
import type { createIntents } from './intents.ts';
import type { Processor } from './processor/index.ts';
import * as schemas from './schemas.ts';

interface Parts {
  processor: Processor;
  intents: ReturnType<typeof createIntents>;
  idempotency: ReturnType<typeof createIdempotency>;
}

/**
 * The operations. Specification: "Endpoints"; commit, cancel, refund, reading and listing are this
 * sandbox's choice.
 */
export function addRoutes(
  api: Parameters<FastifyPluginAsyncTypebox>[0],
  { processor, intents, idempotency }: Parts,
) {
  const errors = { '4XX': Type.Ref('Error'), '5XX': Type.Ref('Error') };
  const key = { 201: Type.Ref('CardEncryptionKey'), ...errors };
  const intent = { 200: Type.Ref('CardPaymentIntent'), ...errors };
  const params = schemas.IntentParams;
  const headers = schemas.IdempotencyHeaders;

  api.post(
    '/payments/card/encryption-keys',
    { preValidation: refuseBody, schema: { summary: 'Request an encryption key', response: key } },
    async (request, reply) => reply.code(201).send(await processor.issueKey(request.account)),
  );

  api.post(
    '/payments/card',
    {
      ...idempotency,
      schema: {
        summary: 'Create a draft intent',
        headers,
        body: schemas.CreateBody,
        response: { 201: Type.Ref('CardPaymentIntent'), ...errors },
      },
    },
    async (request, reply) => reply.code(201).send(intents.create(request.account, request.body)),
  );

  api.get(
    '/payments/card',
    {
      schema: {
        summary: 'List intents',
        querystring: schemas.ListQuery,
        response: { 200: Type.Ref('CardPaymentIntentList'), ...errors },
      },
    },
    async (request) => intents.list(request.account, request.query),
  );

  api.get(
    '/payments/card/:id',
    { schema: { summary: 'Read an intent', params, response: intent } },
    async (request) => intents.get(request.account, request.params.id),
  );

  api.post(
    '/payments/card/:id/authorize',
    {
      ...idempotency,
      schema: {
        summary: 'Authorize',
        headers,
        params,
        body: schemas.EncryptedCardBlock,
        response: intent,
      },
    },
    async (request) => intents.authorize(request.account, request.params.id, request.body),
  );

  api.post(
    '/payments/card/:id/commit',
    {
      ...idempotency,
      preValidation: refuseBody,
      schema: { summary: 'Commit an authorized intent', headers, params, response: intent },
    },
    async (request) => intents.commit(request.account, request.params.id),
  );

  api.post(
    '/payments/card/:id/cancel',
    {
      ...idempotency,
      preValidation: bodyIsOptional,
      schema: { summary: 'Cancel', headers, params, body: schemas.CancelBody, response: intent },
    },
    async (request) => intents.cancel(request.account, request.params.id, request.body),
  );

  api.post(
    '/payments/card/:id/refund',
    {
      ...idempotency,
      preValidation: bodyIsOptional,
      schema: { summary: 'Refund', headers, params, body: schemas.RefundBody, response: intent },
    },
    async (request) => intents.refund(request.account, request.params.id, request.body),
  );
}

async function refuseBody(request: FastifyRequest) {
  if (request.body !== undefined) throw new ServiceError('invalid_request');
}

async function bodyIsOptional(request: FastifyRequest) {
  if (request.body === undefined) request.body = {};
}
