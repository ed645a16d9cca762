import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { type CardEncryptionKey as BrowserKey, CardEncryptionError } from 'cardseal';
import { parseEncryptedCard } from 'cardseal/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { buildExplanation } from '../checkout/assets.ts';
import { explain } from '../checkout/explained/markup.ts';
import type { Block, Trail } from '../checkout/explained/trail.ts';
import type { Onlooker } from './app.ts';
import { type CardPaymentIntent, CardPayments, CardPaymentsError, type EncryptedCard } from './card-payments.ts';
import { believeFresh, FAULTS, moveLayout, spoilKey } from './faults.ts';

declare module 'fastify' {
  interface Session {
    /** The shopper came by /explained. */
    explained?: boolean;
  }
}

interface Options {
  /** Where the same service issues keys that have expired. */
  slowAddress: string;
  secretKey: string;
}

/**
 * The demo's explanation of a checkout: it puts a panel into the pages of shoppers who came by `/explained`, tells it what the server received
 * and what the service answered, and has things go wrong on demand. Nothing of it belongs on a merchant's own server.
 */
export function createExplanation({ slowAddress, secretKey }: Options): Onlooker {
  const trails = new Map<string, Trail>();
  const changes = new EventEmitter().setMaxListeners(0);
  /** Whose request is being served. */
  const current = new AsyncLocalStorage<{ trail: Trail; tell: () => void }>();

  function watching({ session }: FastifyRequest) {
    const id = session.sessionId;
    const trail = trails.get(id) ?? { fault: 'none', intents: [] };
    trails.set(id, trail);
    return { id, trail, tell: () => void changes.emit(id, trails.get(id)) };
  }

  return {
    watch(payments) {
      const slow = new CardPayments({ baseUrl: slowAddress, secretKey });
      return {
        async createEncryptionKey(options) {
          const trail = current.getStore()?.trail;
          const isLate = trail?.fault === 'expired_key';
          const key = await (isLate ? slow : payments).createEncryptionKey(options);
          if (trail) trail.key = { id: key.id, scheme: key.scheme, bits: modulusBits(key.public_key), expires_at: key.expires_at };
          return isLate ? believeFresh(key) : key;
        },
        async createIntent(draft, options) {
          const intent = await payments.createIntent(draft, options);
          const { id, amount, currency, status, created, failure_reason, payment_method } = intent;
          current.getStore()?.trail.intents.push({
            ...{ id, amount, currency, failure_reason, payment_method },
            states: [{ status, at: created }],
          });
          return intent;
        },
        async authorize(id, block, options) {
          const store = current.getStore();
          try {
            const intent = await payments.authorize(id, block, options);
            if (store) follow(store.trail, intent);
            return intent;
          } catch (error) {
            if (store && error instanceof CardPaymentsError) {
              store.trail.answer = { code: error.code ?? error.recovery, status: error.status };
            }
            throw error;
          } finally {
            store?.tell();
          }
        },
      };
    },

    mount(scope, expectsCard) {
      const assets = buildExplanation();
      addAddresses(scope);
      scope.addHook('preHandler', (request, _reply, done) => {
        if (!request.session.explained) return done();
        const { trail, tell } = watching(request);
        if (request.url === '/checkout/pay' && expectsCard(request)) receive(request, trail, tell);
        if (request.url === '/checkout/new') trails.delete(request.session.sessionId);
        current.run({ trail, tell }, done);
      });
      scope.addHook('onError', async (request, _reply, error) => {
        const store = current.getStore();
        if (!store || !(error instanceof CardEncryptionError) || request.url !== '/checkout/pay') return;
        store.trail.refusal = { code: error.code, status: 400 };
        store.tell();
      });
      scope.addHook('preSerialization', async (request, _reply, payload) => {
        const store = current.getStore();
        if (!store) return payload;
        const { trail, tell } = store;
        if (request.url === '/checkout/pay' && trail.received && !trail.answer) trail.refusal = { code: 'invalid_encrypted_card' }; // the key has expired
        const spoilt = isKey(payload) ? spoilKey(trail.fault, payload) : payload;
        if (isKey(spoilt) && trail.key) trail.key.scheme = spoilt.scheme;
        tell();
        return spoilt;
      });
      scope.addHook('onSend', async ({ session, routeOptions }, reply, payload) => {
        const isPage = routeOptions.url === '/checkout' && String(reply.getHeader('content-type')).startsWith('text/html');
        return isPage && session.explained ? explain(payload as string) : payload;
      });

      function addAddresses(app: FastifyInstance) {
        app.get('/explained', async ({ session }, reply) => {
          session.explained = true;
          return reply.redirect('/checkout');
        });
        app.post('/explained/leave', async ({ session }, reply) => {
          session.explained = false;
          return reply.redirect('/checkout', 303);
        });
        app.post('/explained/fault', async (request, reply) => {
          const fault = FAULTS.find((name) => JSON.stringify(name) === request.body);
          if (!fault || !request.session.explained) return reply.code(400).send();
          const { id, trail, tell } = watching(request);
          trails.set(id, { fault, intents: trail.intents, ...(trail.key && { key: trail.key }) });
          tell();
          return reply.code(204).send();
        });
        app.get('/explained/trail', async (request, reply) => {
          if (!request.session.explained) return reply.callNotFound();
          const { id, trail } = watching(request);
          const events = new PassThrough();
          const send = (news: Trail) => events.write(`data: ${JSON.stringify(news)}\n\n`);
          changes.on(id, send);
          events.on('close', () => changes.off(id, send));
          send(trail);
          return reply.type('text/event-stream').send(events);
        });
        app.get<{ Params: { file: string } }>('/explained/:file', async ({ params }, reply) => {
          const asset = assets.get(params.file);
          return asset ? reply.type(asset.type).send(asset.body) : reply.callNotFound();
        });
      }
    },
  };
}

/** Notes what came, and what the server gets to see of it. */
function receive(request: FastifyRequest, trail: Trail, tell: () => void) {
  let block: EncryptedCard;
  try {
    block = parseEncryptedCard(request.body);
  } catch {
    return; // not from a page of ours; perhaps a card in clear text, and nothing of that is shown
  }
  delete trail.refusal;
  delete trail.answer;
  trail.left = describeBlock(block);
  if (trail.fault === 'layout') {
    block = moveLayout(block);
    request.body = JSON.stringify(block);
  }
  trail.received = describeBlock(block);
  tell();
}

function describeBlock(block: EncryptedCard): Block {
  const { payload, key_id, layout } = block;
  const bytes = Buffer.from(payload, 'base64').length;
  return { bytes: JSON.stringify(block).length, payload: { bytes, start: payload.slice(0, 44) }, key_id, layout };
}

/** What the authorization made of the intent. */
function follow(trail: Trail, { id, status, status_at, failure_reason, payment_method }: CardPaymentIntent) {
  const intent = trail.intents.find((known) => known.id === id);
  if (intent) Object.assign(intent, { failure_reason, payment_method });
  intent?.states.push({ status, at: status_at ?? Date.now() });
  trail.answer = { status: 200, intent: id };
}

/** The modulus is what all but 38 bytes of the SPKI are, and a whole number of bits by the thousand. */
function modulusBits(publicKey: string): number {
  return { 294: 2048, 422: 3072, 550: 4096 }[Buffer.from(publicKey, 'base64').length] ?? 0;
}

function isKey(payload: unknown): payload is BrowserKey {
  return typeof payload === 'object' && payload !== null && 'public_key' in payload;
}
