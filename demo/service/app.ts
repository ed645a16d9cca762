import { createServer } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { Compile } from 'typebox/compile';
import { type Account, accountOf } from './accounts.ts';
import { answer, answerBrokenHttp, answerError } from './answers.ts';
import { acceptJsonOnly } from './bodies.ts';
import { createClock } from './clock.ts';
import { addControls } from './control.ts';
import { type ErrorCode, ServiceError } from './errors.ts';
import { createFaults, FAULT_HEADER } from './faults.ts';
import { createGuard, isFromHere } from './guard.ts';
import { createIdempotency } from './idempotency.ts';
import { createIntents } from './intents.ts';
import { createJournal } from './journal.ts';
import { completeOpenApi } from './openapi.ts';
import { createProcessor, generateRsaKeyPair, type KeyPair } from './processor/index.ts';
import { addRoutes } from './routes.ts';
import * as schemas from './schemas.ts';
import { openState, readState, type StateRecord } from './state.ts';

export { ACCOUNTS } from './accounts.ts';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export interface ServiceOptions {
  /** Milliseconds from issuing an encryption key to its `expires_at`; 15 minutes. */
  keyLifetimeMs?: number;
  /** Bits of the RSA modulus; 2048. */
  keyBits?: 2048 | 3072 | 4096;
  /**
   * Whether each encryption key has a key pair of its own, as at a real service. It takes 150 ms of
   * CPU to generate one. By default a few pairs are used again and again.
   */
  freshKeys?: boolean;
  /** Makes a key pair; by RSA, with `keyBits`. */
  generateKeyPair?: () => Promise<KeyPair>;
  /** Whether errors of authorize contain a `reason`; off. The log and the page always have it. */
  explain?: boolean;
  /**
   * A file that keeps what was acknowledged, also after `kill -9`. Without it, all state is gone
   * when the process ends.
   */
  stateFile?: string;
  /** Under which names the page and the controls answer, beside those of this machine. */
  allowedHosts?: string[];
  /** Whether the page and the controls answer under any IP address; off. */
  allowAddresses?: boolean;
  /** How long a slow fault waits, in milliseconds; a minute. */
  slowMs?: number;
  /** Milliseconds since 1970, before the clock of the sandbox is moved; `Date.now`. */
  clock?: () => number;
  /** How long a request may take to arrive, in milliseconds; 30 seconds. */
  requestTimeoutMs?: number;
  /**
   * One line for each request: method, route, status, and the code and the reason of an error.
   * Never a body, a header or a path as it was sent. Off.
   */
  logger?: FastifyServerOptions['logger'];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that the secret key belongs to. */
    account: Account;
    /** The code of the error that it is answered with, or empty. */
    errorCode: ErrorCode | '';
    /** Why it was refused or the card declined, for developers, or empty. */
    reason: string;
  }
  interface FastifyContextConfig {
    /** Needs no secret key. */
    isPublic?: boolean;
  }
}

/**
 * The Card Payment Service as a sandbox. It does not listen yet: call `listen({ port: 0 })`. It
 * speaks plain HTTP: keep it on the loopback interface. Its property `sandbox` is what no payment
 * service has: faults, clock, reset.
 *
 * Specification: "Endpoints", "Authentication", "Errors".
 *
 * @throws StateError if `stateFile` is of no use.
 */
export function createService(options: ServiceOptions = {}) {
  const {
    allowAddresses = false,
    allowedHosts = [],
    clock: realClock = Date.now,
    explain = false,
    freshKeys = false,
    keyBits = 2048,
    keyLifetimeMs = 15 * 60 * 1000,
    logger = false,
    requestTimeoutMs = 30_000,
    slowMs = 60_000,
    stateFile,
  } = options;
  const { generateKeyPair = () => generateRsaKeyPair(keyBits) } = options;
  const records = stateFile === undefined ? [] : readState(stateFile);
  const save = (record: StateRecord) => state?.save(record);
  const flushed = async () => state?.flushed();

  const journal = createJournal();
  const clock = createClock(realClock, save);
  const { now } = clock;
  const processor = createProcessor({
    lifetimeMs: keyLifetimeMs,
    clock: now,
    generateKeyPair,
    freshKeys,
    save: stateFile === undefined ? undefined : save,
  });
  const intents = createIntents({
    clock: now,
    processor,
    save,
    onChange: (payment) => journal.tell({ type: 'payment', payment }),
  });
  const idempotency = createIdempotency(now, save);
  const faults = createFaults({ slowMs, onFault: logFault });

  const parts = [clock, processor, intents, idempotency];
  for (const record of records) for (const part of parts) part.restore(record);
  const allRecords = () => parts.flatMap((part) => [...part.records()]);
  const state = stateFile === undefined ? undefined : openState(stateFile, allRecords());

  const app = Fastify({
    bodyLimit: 64 * 1024,
    requestTimeout: requestTimeoutMs,
    // A connection whose request never ends would keep the process from ending
    forceCloseConnections: true,
    // An id that is too long is unknown, and no other kind of mistake
    routerOptions: { maxParamLength: 1000 },
    logger,
    // Its lines have paths as they were sent
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (handler) => {
      const listener = faults.listen(handler, (request) => app.inject(request as never) as never);
      return createServer(
        {
          requestTimeout: requestTimeoutMs,
          // Node 20 mixes up the two if that for headers is longer
          headersTimeout: requestTimeoutMs,
          connectionsCheckingInterval: 200,
          keepAliveTimeout: 72_000,
        },
        listener,
      );
    },
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (_error, request, reply) => {
      // A path that cannot be decoded comes past the hooks.
      reply.headers(HEADERS);
      const { code } = authenticate(request);
      answer(reply as FastifyReply, code ?? 'invalid_request');
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(({ schema }) => {
    const compiled = Compile(schema as never);
    return (value: unknown) =>
      compiled.Check(value) ? { value } : { error: compiled.Errors(value) as never };
  });
  // Not made from the schemas, or no response could fail them
  app.setSerializerCompiler(() => JSON.stringify);
  app.addSchema({ $id: 'CardEncryptionKey', ...schemas.CardEncryptionKey });
  app.addSchema({ $id: 'CardPaymentIntent', ...schemas.CardPaymentIntent });
  app.addSchema({ $id: 'CardPaymentIntentList', ...schemas.CardPaymentIntentList });
  app.addSchema({ $id: 'SandboxState', ...schemas.SandboxState });
  app.addSchema({ $id: 'Error', ...schemas.ErrorResponse });

  app.decorateRequest('account');
  app.decorateRequest('errorCode', '');
  app.decorateRequest('reason', '');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    if (request.routeOptions.config.isPublic) return;
    const { account, code } = authenticate(request);
    if (code) throw new ServiceError(code);
    request.account = account!;
    if (request.headers[FAULT_HEADER] !== undefined) {
      throw new ServiceError('invalid_request', 'Sandbox-Fault names no fault of this operation.');
    }
  });
  acceptJsonOnly(app);
  app.addHook('onResponse', async (request, reply) => {
    const { method, errorCode, reason } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    const line = { method, route, status, code: errorCode, reason };
    request.log.info(line, 'answered');
    if (request.routeOptions.config.isPublic) return;
    const [code, why] = [errorCode || null, reason || null];
    const ms = Math.round(reply.elapsedTime);
    journal.add({ at: now(), method, route, status, ms, code, reason: why, fault: null });
  });
  app.addHook('onListen', async () => {
    processor.prepare().catch(() => {}); // the first client hears of it
  });
  app.addHook('onClose', async () => {
    processor.close();
    await state?.close();
  });
  app.setNotFoundHandler(() => {
    throw new ServiceError('not_found');
  });
  app.setErrorHandler((error, request, reply) =>
    answerError(error as ServiceError, request, reply, { explain }),
  );

  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Card Payment Service (sandbox)',
        version: '1',
        description:
          'Card payment intents with client-side encrypted card data. HEAD is the same as GET, ' +
          'without the body. With the header Sandbox-Fault, or a fault that is switched on, a ' +
          'request is answered with something else on purpose.',
      },
      components: {
        securitySchemes: {
          secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key: sk_test_...' },
        },
      },
      security: [{ secretKey: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transformObject: (document) =>
      completeOpenApi((document as { openapiObject: object }).openapiObject),
  });
  app.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  app.register(async (api) => addRoutes(api, { processor, intents, idempotency, flushed }));
  app.register(async (controls) =>
    addControls(controls, {
      faults,
      journal,
      slowMs,
      state: describeState,
      aheadMs: clock.aheadMs,
      setAhead: clock.setAhead,
      reset,
      guard: createGuard(allowedHosts, allowAddresses),
    }),
  );

  const { prepare, waiting } = processor;
  return Object.assign(app, { sandbox: { faults, clock, reset, prepare, waiting } });

  /** The account of a request, or why it has none. */
  function authenticate(request: FastifyRequest): { account?: Account; code?: ErrorCode } {
    const account = accountOf(request.headers.authorization);
    if (account === null) return { code: 'authentication_required' };
    if (!account || (account.livemode && !isFromHere(request))) return { code: 'invalid_api_key' };
    return { account };
  }

  function logFault(operation: string, fault: string) {
    app.log.info({ operation, fault }, 'goes wrong');
    const route = ROUTES[operation]!;
    const nothing = { status: 0, ms: 0, code: null, reason: null };
    journal.add({ at: now(), method: 'POST', route, ...nothing, fault });
    journal.tell({ type: 'everything' }); // it may have been its last time
  }

  function describeState(): schemas.SandboxState {
    return {
      now: now(),
      ahead_ms: clock.aheadMs(),
      fresh_keys: freshKeys,
      explain,
      faults: faults.armed(),
      payments: intents.newest(MOST_PAYMENTS).map(({ account, intent, steps }) => ({
        account,
        intent,
        steps: [...steps],
      })),
      requests: [...journal.requests()],
    };
  }

  async function reset() {
    save({ type: 'reset' });
    for (const part of [processor, intents, idempotency, journal]) part.reset();
    faults.clear();
    clock.setAhead(0);
    for (const record of idempotency.records()) save(record);
    await flushed();
  }
}

/** So many payments are on the page. */
const MOST_PAYMENTS = 50;

const ROUTES: Record<string, string> = {
  keys: '/payments/card/encryption-keys',
  create: '/payments/card',
  authorize: '/payments/card/:id/authorize',
};
