import { randomBytes, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import type { CardEncryptionKey as BrowserKey } from 'cardseal';
import { browserKey, parseEncryptedCard } from 'cardseal/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bundledPage } from '../checkout/bundled/page.ts';
import type { Order } from '../checkout/order.ts';
import { processingPage, receiptPage, unknownPage } from '../checkout/outcomes.ts';
import { plainPage } from '../checkout/plain/page.ts';
import { type CardPaymentIntent, type CardPayments, CardPaymentsError, type EncryptedCard } from './card-payments.ts';

/** What the checkout asks of the client of the service. */
export type Payments = Pick<CardPayments, 'createEncryptionKey' | 'createIntent' | 'authorize'>;

/** What the server remembers of a shopper's checkout. Nothing of the card: it never has any. */
interface Checkout {
  /** `unresolved`: the service's answer was lost. Then the card is not asked for again. */
  phase: 'open' | 'authorizing' | 'unresolved';
  /** One for each checkout. A declined one is replaced, because an intent is authorized once. */
  intent?: CardPaymentIntent | undefined;
  /** The key that the page has, `expiresAt` in milliseconds. Forgotten before a card under it is sent on. */
  key?: { id: string; expiresAt: number } | undefined;
  /** Why the shopper sees the form again. */
  notice?: string | undefined;
}

declare module 'fastify' {
  interface Session {
    started?: boolean;
  }
}

const ORDER: Order = { amount: 2490, currency: 'USD', description: 'One book' };

const EXPIRED = 'That took too long. Please enter your card again. You have not paid.';
const REFUSED = 'The payment could not be made. You have not paid.';

interface Parts {
  payments: Payments;
  log: (line: string) => void;
}

/** The checkout of each shopper: its page, and the address that takes the encrypted card. */
export function addCheckout(app: FastifyInstance, { payments, log }: Parts) {
  app.register(cookie);
  app.register(session, {
    secret: randomBytes(32).toString('hex'),
    saveUninitialized: false,
    rolling: false,
    cookie: { secure: 'auto', sameSite: 'lax', httpOnly: true },
  });
  /** By session, not in it: each request has a copy of its session, and the last to be answered would put an old checkout back. */
  const checkouts = new Map<string, Checkout>();
  function checkoutOf({ session }: FastifyRequest): Checkout {
    session.started = true; // only what has something in it is kept
    const checkout = checkouts.get(session.sessionId) ?? { phase: 'open' };
    checkouts.set(session.sessionId, checkout);
    return checkout;
  }

  app.get('/checkout', showCheckout);
  app.post('/checkout/key', sendKey);
  app.post('/checkout/pay', (request, reply) => pay(request, reply, '/checkout'));
  app.get('/checkout/plain', showPlainCheckout);
  app.post('/checkout/plain/pay', (request, reply) => pay(request, reply, '/checkout/plain'));
  app.post('/checkout/new', startNew);

  /** The form, or how the payment went. */
  async function showCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type('text/html; charset=utf-8');
    const checkout = checkoutOf(request);
    return isSettled(checkout) ? outcomePage(checkout) : bundledPage(ORDER, checkout.notice);
  }

  /** The same for a shop without a script of its own: the key is in the page. */
  async function showPlainCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type('text/html; charset=utf-8');
    const { notice } = checkoutOf(request);
    const key = await issueKey(request);
    return key ? plainPage(ORDER, key, notice) : outcomePage(checkoutOf(request));
  }

  /** For the form when it loads, and again for each card after the first. */
  async function sendKey(request: FastifyRequest, reply: FastifyReply) {
    return (await issueKey(request)) ?? reply.code(409).send();
  }

  /** A fresh key and the intent that it is for. `undefined` if there is nothing left to pay. */
  async function issueKey(request: FastifyRequest): Promise<BrowserKey | undefined> {
    const checkout = checkoutOf(request);
    if (isSettled(checkout)) return undefined;
    const draft = checkout.intent?.status === 'created' ? checkout.intent : undefined;
    const [intent, key] = await Promise.all([
      draft ?? payments.createIntent(ORDER, { idempotencyKey: randomUUID() }),
      payments.createEncryptionKey(),
    ]);
    // Meanwhile another request may have paid, been declined, or begun anew.
    if (checkoutOf(request) !== checkout || (draft && checkout.intent !== draft)) return issueKey(request);
    if (isSettled(checkout)) return undefined;
    Object.assign(checkout, { intent, key: { id: key.id, expiresAt: key.expires_at }, notice: undefined });
    return browserKey(key);
  }

  /**
   * The page's script gets as `notice` why the shopper has to enter a card again; without one it loads the page anew, which shows how the
   * payment went. A form is led there at once, to `page`. So is who posts twice, or has lost the session.
   */
  async function pay(request: FastifyRequest, reply: FastifyReply, page: string) {
    const checkout = checkouts.get(request.session.sessionId);
    const { key, intent } = checkout ?? {};
    if (checkout && key && intent) {
      const block = readBlock(request, key);
      // In the turn in which the key was there: a store that is not in memory must be asked for the key in a way that gives it out once.
      checkout.key = undefined;
      if (block) await authorize(checkout, intent.id, block);
      else checkout.notice = EXPIRED;
    }
    if (isForm(request)) return reply.redirect(page, 303);
    return { notice: checkout && !isSettled(checkout) ? checkout.notice : undefined };
  }

  async function authorize(checkout: Checkout, id: string, block: EncryptedCard) {
    checkout.phase = 'authorizing';
    try {
      const answer = await payments.authorize(id, block, { idempotencyKey: randomUUID() });
      if (!['committed', 'authorized', 'failed'].includes(answer.status)) throw new Error('A status that the specification does not show');
      checkout.intent = answer;
      checkout.phase = 'open';
      if (answer.status === 'failed')
        checkout.notice = `The card was declined: ${answer.failure_reason}. You have not paid. Please try another card.`;
    } catch (error) {
      const recovery = error instanceof CardPaymentsError ? error.recovery : 'resolve_intent';
      log(`Not authorized: ${id}, ${recovery}`);
      checkout.phase = recovery === 'resolve_intent' ? 'unresolved' : 'open';
      checkout.notice = recovery === 'restart_checkout' ? EXPIRED : REFUSED;
      if (recovery === 'not_specified') checkout.intent = undefined; // perhaps because of it
    }
  }

  async function startNew({ session: { sessionId } }: FastifyRequest, reply: FastifyReply) {
    if (checkouts.get(sessionId)?.phase !== 'authorizing') checkouts.delete(sessionId);
    return reply.redirect('/checkout', 303);
  }

  return { expectsCard: ({ session }: FastifyRequest) => Boolean(checkouts.get(session.sessionId)?.key) };
}

function isSettled({ phase, intent }: Checkout) {
  return phase !== 'open' || intent?.status === 'committed' || intent?.status === 'authorized';
}

function outcomePage({ phase, intent }: Checkout): string {
  if (phase === 'authorizing') return processingPage();
  return phase === 'unresolved' ? unknownPage(intent!.id) : receiptPage(intent!);
}

/**
 * The block that was posted: JSON as the page's script sends it, or the one field of a form. `undefined` if its key has expired.
 *
 * @throws CardEncryptionError `invalid_encrypted_card`
 */
function readBlock(request: FastifyRequest, { id, expiresAt }: { id: string; expiresAt: number }): EncryptedCard | undefined {
  let input = request.body;
  if (isForm(request)) {
    const fields = [...new URLSearchParams(input as string)];
    input = fields.length === 1 && fields[0]![0] === 'encrypted_card' ? fields[0]![1] : undefined;
  }
  try {
    return parseEncryptedCard(input, { keyId: id, expiresAt });
  } catch (error) {
    if (Date.now() > expiresAt) return undefined;
    throw error;
  }
}

function isForm({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
