import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { EncryptedCard } from 'cardseal';
import {
  type CardPaymentIntent,
  CardPayments,
  CardPaymentsError,
  type EncryptionKeyResource,
  type PaymentsClient,
} from 'cardseal/checkout';
import type { CheckoutResponse } from 'cardseal/pay';
import { parseEncryptedCard } from 'cardseal/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addCheckout } from '../merchant/checkout.ts';
import { buildExplanation } from './assets.ts';
import { believeFresh, FAULTS, moveLayout, spoilKey } from './faults.ts';
import { explain } from './page.ts';
import type { Block, Intent, Trail } from './trail.ts';

interface Options {
  /** The client of the service, as the merchant has it. */
  payments: PaymentsClient;
  /** The address at which the same service issues keys that have already expired. */
  slowAddress: string;
  secretKey: string;
  log: (line: string) => void;
}

/** One shopper whose checkout is explained. */
interface Viewer {
  id: string;
  trail: Trail;
  /** Sends the trail to the panel. */
  tell: () => void;
}

/** The page, and the cookie by which the explanation knows its shoppers. */
const AT = '/explained';
const COOKIE = 'explained';
const COOKIE_ATTRIBUTES = `Path=${AT}; HttpOnly; SameSite=Lax`;

/**
 * Explains a checkout: adds the merchant's checkout a second time, below `/explained`, with orders
 * of its own. Puts a panel beside its page, shows in it what the server received and what the
 * service answered, and lets things go wrong on demand. `/checkout` knows nothing of it.
 */
export function createExplanation({ payments, slowAddress, secretKey, log }: Options) {
  const trails = new Map<string, Trail>();
  const changes = new EventEmitter().setMaxListeners(0);
  /** The viewer whose request is being served. */
  const current = new AsyncLocalStorage<Viewer>();

  function viewerOf(request: FastifyRequest): Viewer | undefined {
    const id = readCookie(request);
    const trail = id === undefined ? undefined : trails.get(id);
    if (id === undefined || !trail) return undefined;
    return { id, trail, tell: () => void changes.emit(id, trails.get(id)) };
  }

  return {
    /** Adds the explanation to a merchant's server that is not listening yet. */
    mount(app: FastifyInstance) {
      app.addHook('onRequest', async (request, reply) => {
        if (request.method === 'GET' && request.url === '/') return reply.redirect(AT);
      });
      app.register(async (scope) => {
        addHooks(scope);
        addAddresses(scope);
        addCheckout(scope, { payments: watched(), log, at: AT });
      });
    },
  };

  /** The client of the service. */
  function watched(): PaymentsClient {
    const slow = new CardPayments({ baseUrl: slowAddress, secretKey });
    return {
      async createEncryptionKey(options) {
        const trail = current.getStore()?.trail;
        const isLate = trail?.fault === 'expired_key';
        const key = await (isLate ? slow : payments).createEncryptionKey(options);
        if (trail) trail.key = describeKey(key);
        return isLate ? believeFresh(key) : key;
      },
      async createIntent(draft, options) {
        const intent = await payments.createIntent(draft, options);
        current.getStore()?.trail.intents.push(describeIntent(intent));
        return intent;
      },
      async authorize(id, block, options) {
        const viewer = current.getStore();
        try {
          const intent = await payments.authorize(id, block, options);
          if (viewer) follow(viewer.trail, intent);
          return intent;
        } catch (error) {
          if (viewer && error instanceof CardPaymentsError) {
            const code = error.code ?? error.recovery;
            viewer.trail.answer = { code, status: error.status };
          }
          throw error;
        } finally {
          viewer?.tell();
        }
      },
    };
  }

  function addHooks(app: FastifyInstance) {
    app.addHook('onRequest', async (request, reply) => {
      if (request.url !== AT || viewerOf(request)) return;
      const id = randomUUID();
      trails.set(id, newTrail());
      reply.header('set-cookie', `${COOKIE}=${id}; ${COOKIE_ATTRIBUTES}`);
    });
    app.addHook('preHandler', (request, _reply, done) => {
      const viewer = viewerOf(request);
      if (!viewer) return done();
      if (isPayment(request)) receive(request, viewer);
      if (request.url === `${AT}/new`) trails.set(viewer.id, newTrail());
      current.run(viewer, done);
    });
    app.addHook('onSend', async (request, _reply, payload) => {
      if (request.url === AT) return explain(payload as string);
      const viewer = current.getStore();
      if (!viewer || !isPayment(request) || !(payload instanceof Response)) return payload;
      const answer = meddle(await payload.json(), request, viewer);
      return new Response(JSON.stringify(answer), payload);
    });
  }

  /** Notes what the merchant's server answers, and spoils a key on its way to the page. */
  function meddle(
    response: CheckoutResponse,
    { body }: FastifyRequest,
    { trail, tell }: Viewer,
  ): CheckoutResponse {
    const isBlock = Boolean(body); // without a body, the page asks for a key
    if (isBlock && !trail.answer) trail.refusal = { code: response.status };
    const key = response.key && spoilKey(trail.fault, response.key);
    if (key && trail.key) trail.key.scheme = key.scheme;
    tell();
    return key ? { ...response, key } : response;
  }

  function addAddresses(app: FastifyInstance) {
    const assets = buildExplanation();

    app.post('/explained/fault', async (request, reply) => {
      const viewer = viewerOf(request);
      const fault = FAULTS.find((name) => JSON.stringify(name) === request.body);
      if (!viewer || !fault) return reply.code(400).send();
      const { intents, key } = viewer.trail;
      trails.set(viewer.id, { fault, intents, ...(key && { key }) });
      viewer.tell();
      return reply.code(204).send();
    });

    app.get('/explained/trail', async (request, reply) => {
      const viewer = viewerOf(request);
      if (!viewer) return reply.callNotFound();
      const events = new PassThrough();
      const send = (news: Trail) => events.write(`data: ${JSON.stringify(news)}\n\n`);
      changes.on(viewer.id, send);
      events.on('close', () => changes.off(viewer.id, send));
      send(viewer.trail);
      return reply.type('text/event-stream').send(events);
    });

    app.get<{ Params: { file: string } }>('/explained/:file', async ({ params }, reply) => {
      const asset = assets.get(params.file);
      return asset ? reply.type(asset.type).send(asset.body) : reply.callNotFound();
    });
  }
}

const newTrail = (): Trail => ({ fault: 'none', intents: [] });

const isPayment = ({ url }: FastifyRequest) => url === `${AT}/payment`;

function readCookie({ headers }: FastifyRequest): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}

/** Notes the block that came, and tampers with it if the shopper has asked for that. */
function receive(request: FastifyRequest, { trail, tell }: Viewer) {
  const block = blockIn(request.body);
  const isRepeated = trail.received && block?.key_id === trail.received.key_id;
  if (!block || isRepeated) return;
  delete trail.refusal;
  delete trail.answer;
  trail.left = describeBlock(block);
  const received = trail.fault === 'layout' ? moveLayout(block) : block;
  request.body = JSON.stringify(received);
  trail.received = describeBlock(received);
  tell();
}

/** A body that is not a block may be a card in clear text: nothing of that is shown. */
function blockIn(body: unknown): EncryptedCard | undefined {
  try {
    const keyId = JSON.parse(String(body)).key_id;
    return parseEncryptedCard(body, { keyId, expiresAt: Number.MAX_SAFE_INTEGER });
  } catch {
    return undefined;
  }
}

function describeKey({
  id,
  scheme,
  public_key,
  expires_at,
}: EncryptionKeyResource): NonNullable<Trail['key']> {
  return { id, scheme, bits: modulusBits(public_key), expires_at };
}

function describeBlock(block: EncryptedCard): Block {
  const { payload, key_id, layout } = block;
  const bytes = Buffer.from(payload, 'base64').length;
  return {
    bytes: JSON.stringify(block).length,
    payload: { bytes, start: payload.slice(0, 44) },
    key_id,
    layout,
  };
}

/** An intent as it was when it was created. */
function describeIntent({ id, amount, currency, created }: CardPaymentIntent): Intent {
  const states = [{ status: 'created', at: created }];
  return { id, amount, currency, failure_reason: null, payment_method: null, states };
}

/** Notes what the authorization made of the intent. */
function follow(trail: Trail, answer: CardPaymentIntent) {
  const { id, status, status_at, failure_reason, payment_method } = answer;
  // A shopper who came by `/checkout` first has an intent from before
  if (!trail.intents.some((known) => known.id === id)) trail.intents.push(describeIntent(answer));
  const intent = trail.intents.find((known) => known.id === id)!;
  Object.assign(intent, { failure_reason, payment_method });
  intent.states.push({ status, at: status_at ?? Date.now() });
  trail.answer = { status: 200, intent: id };
}

/** The size of the RSA modulus, by the length of the SPKI: the rest of it always takes 38 bytes. */
function modulusBits(publicKey: string): number {
  const bitsByLength: Record<number, number> = { 294: 2048, 422: 3072, 550: 4096 };
  return bitsByLength[Buffer.from(publicKey, 'base64').length] ?? 0;
}
