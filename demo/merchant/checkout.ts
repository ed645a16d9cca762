import { randomBytes, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import type { CardEncryptionKey as BrowserKey } from 'cardseal';
import { browserKey } from 'cardseal/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bundledPage } from '../checkout/bundled/page.ts';
import type { Order } from '../checkout/order.ts';
import {
  invoicePage,
  problemPage,
  processingPage,
  receiptPage,
  uncertainPage,
  unknownPage,
  unpaidPage,
} from '../checkout/outcomes.ts';
import { plainPage } from '../checkout/plain/page.ts';
import { ENGLISH, languageOf, type Notice, noticeText, type Texts } from '../checkout/texts.ts';
import {
  type CardPaymentIntent,
  type CardPayments,
  CardPaymentsError,
  type EncryptedCard,
} from './card-payments.ts';
import { concurrencyLimit } from './limit.ts';
import { readPosted } from './posted.ts';

/** What the checkout asks of the client of the service. */
export type Payments = Pick<CardPayments, 'createEncryptionKey' | 'createIntent' | 'authorize'>;

/** What the server remembers of one order. Nothing of a card: the server never has any. */
interface Checkout {
  /**
   * `unresolved`: the service's answer was lost, so the card is not asked for again. `invoiced`: no
   * card is needed.
   */
  phase: 'open' | 'authorizing' | 'unresolved' | 'invoiced';
  /** One for each order. A declined one is replaced, because an intent is authorized only once. */
  intent?: CardPaymentIntent | undefined;
  /** Why the shopper sees the form again. */
  notice?: Notice | undefined;
}

/** A key that a page of this shopper has got. */
interface IssuedKey {
  checkout: Checkout;
  /** Unix timestamp in milliseconds. */
  expiresAt: number;
  /** One key takes one card. */
  isUsed: boolean;
  /** What the shopper was told about the card under this key. */
  notice?: Notice | undefined;
}

interface Shopper {
  checkout: Checkout;
  /**
   * By the id of the key. Keys of earlier orders stay, so that a block that arrives again leads to
   * its own outcome.
   */
  keys: Map<string, IssuedKey>;
}

/** Why a page gets no key. */
type NoKey = 'no_checkout' | 'nothing_to_pay' | 'too_many';

declare module 'fastify' {
  interface Session {
    started?: boolean;
  }
}

const ORDER: Order = { amount: 2490, currency: 'USD', description: 'One book' };

const HTML = 'text/html; charset=utf-8';

const TOO_MANY =
  'Many people in your network are opening this page. ' +
  'You have not paid. Please try again in a moment.';

/** Generating an RSA key takes the service a good part of a second, so nobody may queue up many. */
const KEYS_AT_A_TIME = { ofOneShopper: 2, ofOneAddress: 4 };

interface Parts {
  payments: Payments;
  log: (line: string) => void;
}

/**
 * The checkout of each shopper: its pages, and the addresses that issue keys and take the encrypted
 * card.
 */
export function addCheckout(app: FastifyInstance, { payments, log }: Parts) {
  app.register(cookie);
  app.register(session, {
    secret: randomBytes(32).toString('hex'),
    saveUninitialized: false,
    rolling: false,
    cookie: { secure: 'auto', sameSite: 'lax', httpOnly: true },
  });
  /**
   * By session id. Not in the session: each request has a copy of that, and the last one would put
   * an old state back.
   */
  const shoppers = new Map<string, Shopper>();
  const shopperLimit = concurrencyLimit(KEYS_AT_A_TIME.ofOneShopper);
  const addressLimit = concurrencyLimit(KEYS_AT_A_TIME.ofOneAddress);

  app.get('/checkout', showCheckout);
  app.post('/checkout/key', sendKey);
  app.post('/checkout/pay', (request, reply) => pay(request, reply, '/checkout'));
  app.get('/checkout/plain', showPlainCheckout);
  app.post('/checkout/plain/pay', (request, reply) => pay(request, reply, '/checkout/plain'));
  app.get('/checkout/uncertain', showUncertain);
  app.get<{ Params: { intent: string } }>('/checkout/earlier/:intent', showEarlier);
  app.post('/checkout/new', startNew);

  /** The form, or how the payment went. */
  async function showCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type(HTML);
    const { checkout } = beginOrContinue(request);
    if (isSettled(checkout)) return outcomePage(checkout, ENGLISH);
    return bundledPage(ORDER, checkout.notice);
  }

  /**
   * The same for a shop without a script of its own: the key is in the page, in the shopper's
   * language.
   */
  async function showPlainCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type(HTML).header('vary', 'Accept-Language');
    const texts = languageOf(request.headers['accept-language']);
    const { checkout } = beginOrContinue(request);
    const { notice } = checkout;
    const key = await issueKey(request);
    if (key === 'too_many') return refuseForNow(reply).send(problemPage(TOO_MANY));
    if (typeof key === 'string') return outcomePage(checkoutOf(request) ?? checkout, texts);
    return plainPage(ORDER, key, texts, notice);
  }

  /** For the form when it loads, and again for each card after the first. */
  async function sendKey(request: FastifyRequest, reply: FastifyReply) {
    const key = await issueKey(request);
    if (key === 'too_many') return refuseForNow(reply).send();
    if (key === 'no_checkout') return reply.code(403).send();
    if (key === 'nothing_to_pay') return reply.code(409).send();
    return key;
  }

  /**
   * A fresh key for the order of this shopper. The session gets a fresh id with each key: whoever
   * knew the old one, or had planted it, does not see how the payment goes.
   */
  async function issueKey(request: FastifyRequest): Promise<BrowserKey | NoKey> {
    const { sessionId } = request.session;
    const shopper = shoppers.get(sessionId);
    if (!shopper) return 'no_checkout'; // the service is not asked
    const leaveShopper = shopperLimit.enter(sessionId);
    const leaveAddress = leaveShopper && addressLimit.enter(request.ip);
    try {
      if (!leaveAddress) return 'too_many';
      const key = await requestKey(shopper);
      if (typeof key !== 'string') await renewSession(request, shopper);
      return key;
    } finally {
      leaveShopper?.();
      leaveAddress?.();
    }
  }

  async function requestKey(shopper: Shopper): Promise<BrowserKey | NoKey> {
    const { checkout } = shopper;
    if (isSettled(checkout)) return 'nothing_to_pay';
    const draft = checkout.intent?.status === 'created' ? checkout.intent : undefined;
    const [intent, key] = await Promise.all([
      draft ?? createIntent(),
      payments.createEncryptionKey(),
    ]);
    // Meanwhile another request may have begun another order, or the intent may have been declined.
    if (shopper.checkout !== checkout) return requestKey(shopper);
    if (draft && checkout.intent !== draft) return requestKey(shopper);
    if (isSettled(checkout)) return 'nothing_to_pay';
    Object.assign(checkout, { intent, notice: undefined });
    shopper.keys.set(key.id, { checkout, expiresAt: key.expires_at, isUsed: false });
    return browserKey(key);
  }

  function createIntent() {
    return payments.createIntent(ORDER, { idempotencyKey: randomUUID() });
  }

  /**
   * Takes a payment. A form is led to a page. A script gets `page`, where the shopper is to go, or
   * `notice`, why the shopper has to enter a card again; without either it loads its page anew,
   * which shows how the payment went.
   */
  async function pay(request: FastifyRequest, reply: FastifyReply, page: string) {
    const isForm = isFormPost(request);
    const posted = readPosted(request.body, isForm);
    const shopper = shoppers.get(request.session.sessionId);
    if (posted.method === 'invoice') {
      const { checkout } = beginOrContinue(request);
      // The session got its new id while the order was on its way, or has ended.
      if (!shopper) checkout.notice = { why: 'lost' };
      else if (!isSettled(checkout)) checkout.phase = 'invoiced';
      return reply.redirect(page, 303);
    }
    const { key_id } = posted.block;
    const key = shopper?.keys.get(key_id);
    if (!shopper || !key) {
      // The server may have been restarted after the card was charged.
      log('A card without its checkout: not certain whether it was charged');
      return lead('/checkout/uncertain');
    }
    const { checkout } = key;
    if (!key.isUsed && !isSettled(checkout)) {
      // Before anything is awaited: a second post of this block finds the key used
      key.isUsed = true;
      await useKey(key, posted.block);
    }
    if (checkout !== shopper.checkout) return lead(`/checkout/earlier/${checkout.intent?.id}`);
    if (isForm) {
      if (!isSettled(checkout)) checkout.notice = key.notice;
      return reply.redirect(page, 303);
    }
    const { notice } = key;
    return { notice: notice && !isSettled(checkout) ? noticeText(ENGLISH, notice) : undefined };

    function lead(to: string) {
      return isForm ? reply.redirect(to, 303) : reply.send({ page: to });
    }
  }

  /** Sends the card on, and notes how it went. */
  async function useKey(key: IssuedKey, block: EncryptedCard) {
    const { checkout } = key;
    if (Date.now() > key.expiresAt) {
      key.notice = checkout.notice = { why: 'expired' };
      return;
    }
    checkout.phase = 'authorizing';
    let isSent = false;
    try {
      // The intent may have been declined in another tab since this key was issued.
      if (checkout.intent?.status !== 'created') checkout.intent = await createIntent();
      isSent = true;
      const answer = await payments.authorize(checkout.intent.id, block, {
        idempotencyKey: randomUUID(),
      });
      if (!KNOWN_STATUSES.includes(answer.status))
        throw new Error('The specification does not show this status');
      checkout.intent = answer;
      checkout.phase = 'open';
      if (answer.status === 'failed')
        key.notice = { why: 'declined', reason: answer.failure_reason };
    } catch (error) {
      const recovery = recoveryOf(error, isSent);
      log(`Not authorized: ${checkout.intent?.id}, ${recovery}`);
      checkout.phase = recovery === 'resolve_intent' ? 'unresolved' : 'open';
      key.notice = { why: recovery === 'restart_checkout' ? 'expired' : 'refused' };
      // Perhaps the intent was the reason
      if (recovery === 'not_specified') checkout.intent = undefined;
    }
    checkout.notice = key.notice;
  }

  async function showUncertain(_request: FastifyRequest, reply: FastifyReply) {
    return reply.type(HTML).send(uncertainPage(ENGLISH));
  }

  /** How an order went that is no longer the current one. */
  async function showEarlier(
    request: FastifyRequest<{ Params: { intent: string } }>,
    reply: FastifyReply,
  ) {
    const keys = [...(shoppers.get(request.session.sessionId)?.keys.values() ?? [])];
    const key = keys.find(({ checkout }) => checkout.intent?.id === request.params.intent);
    if (!key) return reply.callNotFound();
    return reply.type(HTML).send(outcomePage(key.checkout, ENGLISH));
  }

  async function startNew({ session: { sessionId } }: FastifyRequest, reply: FastifyReply) {
    const shopper = shoppers.get(sessionId);
    if (shopper && shopper.checkout.phase !== 'authorizing') shopper.checkout = { phase: 'open' };
    return reply.redirect('/checkout', 303);
  }

  function checkoutOf({ session }: FastifyRequest): Checkout | undefined {
    return shoppers.get(session.sessionId)?.checkout;
  }

  function beginOrContinue({ session }: FastifyRequest): Shopper {
    session.started = true; // only a session with something in it is kept
    const known = shoppers.get(session.sessionId);
    if (known) return known;
    const shopper: Shopper = { checkout: { phase: 'open' }, keys: new Map() };
    shoppers.set(session.sessionId, shopper);
    return shopper;
  }

  async function renewSession(request: FastifyRequest, shopper: Shopper) {
    const old = request.session.sessionId;
    await request.session.regenerate();
    request.session.started = true;
    shoppers.set(request.session.sessionId, shopper);
    shoppers.delete(old);
  }
}

const KNOWN_STATUSES: string[] = ['committed', 'authorized', 'failed'];

/** If the card was not sent on, nobody was charged, whatever went wrong. */
function recoveryOf(error: unknown, isSent: boolean) {
  if (!isSent) return 'ask_again';
  return error instanceof CardPaymentsError ? error.recovery : 'resolve_intent';
}

function isSettled({ phase, intent }: Checkout): boolean {
  return phase !== 'open' || isPaid(intent);
}

function isPaid(intent: CardPaymentIntent | undefined): boolean {
  return intent?.status === 'committed' || intent?.status === 'authorized';
}

function outcomePage({ phase, intent, notice }: Checkout, texts: Texts): string {
  if (phase === 'authorizing') return processingPage(texts);
  if (phase === 'invoiced') return invoicePage(ORDER, texts);
  if (phase === 'unresolved') return unknownPage(intent!.id, texts);
  if (intent && isPaid(intent)) return receiptPage(intent, texts);
  return unpaidPage(texts, notice);
}

function refuseForNow(reply: FastifyReply) {
  return reply.code(429).header('retry-after', '1');
}

function isFormPost({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
