import swagger from '@fastify/swagger';
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyReply, type FastifyServerOptions, LogController } from 'fastify';
import { accountOf } from './accounts.ts';
import { answer, answerBrokenHttp, answerError } from './answers.ts';
import { ServiceError } from './errors.ts';
import { createIdempotency } from './idempotency.ts';
import { createIntents } from './intents.ts';
import { hasRepeatedProperty } from './json.ts';
import { createProcessor, generateRsaKeyPair, type KeyPair } from './processor/index.ts';
import { addRoutes } from './routes.ts';
import * as schemas from './schemas.ts';

export { ACCOUNTS } from './accounts.ts';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Why a request without an account is refused. */
const codeOf = (account: string | null | undefined) =>
  account ? undefined : account === null ? 'authentication_required' : 'invalid_api_key';

export interface ServiceOptions {
  /** Milliseconds from issuing an encryption key to its `expires_at`; 15 minutes. */
  keyLifetimeMs?: number;
  /** Bits of the RSA modulus; 2048. */
  keyBits?: 2048 | 3072 | 4096;
  /**
   * Where the pairs come from; each generated afresh. A test that needs hundreds of keys can hand
   * out a few pairs again and again.
   */
  generateKeyPair?: () => Promise<KeyPair>;
  /** Milliseconds since 1970; `Date.now`. */
  clock?: () => number;
  /** How long a request may take to arrive, in milliseconds; 30 seconds. */
  requestTimeoutMs?: number;
  /**
   * One line for each request: method, route, status. Never a body, a header or a path as it was
   * sent. Off.
   */
  logger?: FastifyServerOptions['logger'];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that the secret key belongs to. */
    account: string;
  }
  interface FastifyContextConfig {
    /** Needs no secret key. */
    isPublic?: boolean;
  }
}

/**
 * The Card Payment Service as a sandbox. All state is in memory and gone when the process ends. Not
 * listening yet: `await createService().listen({ port: 0 })`. Speaks plain HTTP: keep it on the
 * loopback interface.
 *
 * Specification: "Endpoints", "Authentication", "Errors".
 */
export function createService(options: ServiceOptions = {}) {
  const {
    clock = Date.now,
    keyBits = 2048,
    keyLifetimeMs = 15 * 60 * 1000,
    requestTimeoutMs = 30_000,
    logger = false,
  } = options;
  const { generateKeyPair = () => generateRsaKeyPair(keyBits) } = options;
  const processor = createProcessor({ lifetimeMs: keyLifetimeMs, clock, generateKeyPair });
  const intents = createIntents({ clock, processor });

  const app = Fastify({
    bodyLimit: 64 * 1024,
    requestTimeout: requestTimeoutMs,
    // A connection whose request never ends would keep the process from ending
    forceCloseConnections: true,
    // An id that is too long is unknown, and no other kind of mistake
    routerOptions: { maxParamLength: 1000 },
    // Node 20 mixes up the two if that for headers is longer
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: 200 },
    logger,
    // Its lines have paths as they were sent
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (_error, request, reply) => {
      // A path that cannot be decoded comes past the hooks.
      reply.headers(HEADERS);
      answer(
        reply as FastifyReply,
        codeOf(accountOf(request.headers.authorization)) ?? 'invalid_request',
      );
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Converts what is text in a query; changes nothing in a body
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  // Not made from the schemas, or no response could fail them
  app.setSerializerCompiler(() => JSON.stringify);
  app.addSchema({ $id: 'CardEncryptionKey', ...schemas.CardEncryptionKey });
  app.addSchema({ $id: 'CardPaymentIntent', ...schemas.CardPaymentIntent });
  app.addSchema({ $id: 'CardPaymentIntentList', ...schemas.CardPaymentIntentList });
  app.addSchema({ $id: 'Error', ...schemas.ErrorResponse });
  acceptJsonOnly();

  app.decorateRequest('account', '');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    if (request.routeOptions.config.isPublic) return;
    const account = accountOf(request.headers.authorization);
    const refusal = codeOf(account);
    if (refusal) throw new ServiceError(refusal);
    request.account = account!;
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
      },
      'answered',
    );
  });
  app.addHook('onClose', async () => processor.close());
  app.setNotFoundHandler(() => {
    throw new ServiceError('not_found');
  });
  app.setErrorHandler(answerError);

  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Card Payment Service (sandbox)',
        version: '1',
        description: 'Card payment intents with client-side encrypted card data.',
      },
      components: {
        securitySchemes: {
          secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key: sk_test_...' },
        },
      },
      security: [{ secretKey: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
  });
  app.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  app.register(async (api) =>
    addRoutes(api, { processor, intents, idempotency: createIdempotency(clock) }),
  );

  return app;

  /**
   * As Fastify does it, but an empty body is no body, because clients send the Content-Type with
   * every POST, and a property that comes twice is refused.
   */
  function acceptJsonOnly() {
    const parseJson = app.getDefaultJsonParser('error', 'error');
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
      if (body.length === 0) return done(null, undefined);
      const text = body as string;
      parseJson(request, text, (error, value) => {
        if (!error && hasRepeatedProperty(text, value)) done(new ServiceError('invalid_json'));
        else done(error, value);
      });
    });
  }
}
