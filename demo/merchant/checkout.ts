import { randomBytes, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import {
  type CardPaymentIntent,
  createCheckout,
  type IssuedKey,
  type LastTry,
  type OrderStore,
  type Outcome,
  type PaymentsClient,
} from 'cardseal/checkout';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bundledPage } from '../checkout/bundled/page.ts';
import type { Order } from '../checkout/order.ts';
import {
  invoicePage,
  problemPage,
  receiptPage,
  uncertainPage,
  unknownPage,
  unpaidPage,
} from '../checkout/outcomes.ts';
import { plainPage } from '../checkout/plain/page.ts';
import { ENGLISH, languageOf, type Notice, noticeText, type Texts } from '../checkout/texts.ts';
import { concurrencyLimit } from './limit.ts';
import { readPosted } from './posted.ts';

/** What a shopper is about to pay for. How the payment goes is known to `cardseal/checkout`. */
interface Purchase extends Order {
  id: string;
  /** The shopper has chosen to pay on invoice: no card is needed. */
  isInvoiced?: boolean;
  /** How many payments by card are under way. Meanwhile the purchase does not go on invoice. */
  cardsUnderWay: number;
  /** What the shopper was told last, for a page that shows the form again. */
  notice?: Notice | undefined;
}

interface Shopper {
  purchase: Purchase;
  /** By the id of a key that a page has. A page of an earlier order may still post its block. */
  pages: Map<string, Purchase>;
}

declare module 'fastify' {
  interface Session {
    started?: boolean;
  }
}

const ORDER: Order = { amount: 2490, currency: 'USD', description: 'One book' };

const HTML = 'text/html; charset=utf-8';

const TOO_MANY = 'Many people in your network are opening this page. Please try again in a moment.';

/** The module limits the keys of one order, and of all. Only the server knows addresses. */
const KEYS_OF_ONE_ADDRESS_AT_A_TIME = 4;

interface Parts {
  payments: PaymentsClient;
  store?: OrderStore | undefined;
  log: (line: string) => void;
}

/**
 * The checkout of each shopper: its pages, and the addresses that issue keys and take the encrypted
 * card.
 */
export function addCheckout(app: FastifyInstance, { payments, store, log }: Parts) {
  app.register(cookie);
  app.register(session, {
    secret: randomBytes(32).toString('hex'),
    saveUninitialized: false,
    rolling: false,
    cookie: { secure: 'auto', sameSite: 'lax', httpOnly: true },
  });
  const cards = new Map<string, CardPaymentIntent['payment_method']>();
  const checkout = createCheckout({ payments: rememberCards(payments, cards), store, log });
  /**
   * By session id. Not in the session: each request has a copy of that, and the last one would put
   * an old state back.
   */
  const shoppers = new Map<string, Shopper>();
  const addressLimit = concurrencyLimit(KEYS_OF_ONE_ADDRESS_AT_A_TIME);

  app.get('/checkout', showCheckout);
  app.post<{ Params: { order: string } }>('/checkout/key/:order', sendKey);
  app.post('/checkout/pay', (request, reply) => pay(request, reply, '/checkout'));
  app.get('/checkout/plain', showPlainCheckout);
  app.post('/checkout/plain/pay', (request, reply) => pay(request, reply, '/checkout/plain'));
  app.get('/checkout/uncertain', showUncertain);
  app.get<{ Params: { id: string } }>('/checkout/earlier/:id', showEarlier);
  app.post('/checkout/new', startNew);

  /** The form, or how the payment went. */
  async function showCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type(HTML);
    const { purchase, outcome } = await beginPage(request);
    if (!isPayable(purchase, outcome)) return outcomePage(purchase, outcome, ENGLISH);
    return bundledPage(purchase, noticeOf(outcome) ?? purchase.notice);
  }

  /**
   * The same for a shop without a script of its own: the key is in the page, in the shopper's
   * language.
   */
  async function showPlainCheckout(request: FastifyRequest, reply: FastifyReply) {
    reply.type(HTML).header('vary', 'Accept-Language');
    const texts = languageOf(request.headers['accept-language']);
    const begun = await beginPage(request);
    if (!isPayable(begun.purchase, begun.outcome))
      return outcomePage(begun.purchase, begun.outcome, texts);
    const { notice } = begun.purchase;
    const { answer, purchase } = (await issueKey(request))!;
    if (answer.status === 429) return refuse(reply, answer.retryAfter).send(problemPage(TOO_MANY));
    if (answer.status === 409) return outcomePage(purchase, answer.body, texts);
    if (answer.status === 502)
      return reply.code(502).send(problemPage('The shop cannot take payments right now.'));
    return plainPage(purchase, answer.body, texts, noticeOf(answer) ?? notice);
  }

  /**
   * The page with the form gives the session a fresh id, so that anyone who knew the old one, or
   * had planted it, does not see how the payment goes. A page is one request. Its requests for keys
   * can be several at once, and come with the fresh id.
   */
  async function beginPage(
    request: FastifyRequest,
  ): Promise<{ purchase: Purchase; outcome: Outcome }> {
    const shopper = beginOrContinue(request);
    const { purchase } = shopper;
    const outcome = await checkout.outcome(purchase.id);
    if (!isPayable(purchase, outcome)) return { purchase, outcome };
    const isRenewed = await renewSession(request, shopper);
    return isRenewed ? { purchase, outcome } : beginPage(request);
  }

  /** For the form when it loads, and again for each card after the first. */
  async function sendKey(
    request: FastifyRequest<{ Params: { order: string } }>,
    reply: FastifyReply,
  ) {
    const issued = await issueKey(request, request.params.order);
    if (!issued) return reply.code(403).send(); // the service is not asked
    const { answer } = issued;
    if (answer.status === 429) refuse(reply, answer.retryAfter);
    return reply.code(answer.status).send(answer.status === 200 ? answer.body : undefined);
  }

  /**
   * A fresh key for the order of this shopper; `undefined` if the shopper is not known.
   *
   * @param wanted - The order that the page is of. If the session is of another order, somebody may
   * have planted it after the page had come: the page gets no key.
   */
  async function issueKey(
    request: FastifyRequest,
    wanted?: string,
  ): Promise<{ purchase: Purchase; answer: IssuedKey } | undefined> {
    const shopper = shoppers.get(request.session.sessionId);
    if (!shopper || (wanted && shopper.purchase.id !== wanted)) return undefined;
    const { purchase } = shopper;
    if (purchase.isInvoiced) return { purchase, answer: { status: 409, body: { status: 'open' } } };
    const leave = addressLimit.enter(request.ip);
    if (!leave) {
      const body = { status: 'too_many' } as const;
      return { purchase, answer: { status: 429, body, retryAfter: 1 } };
    }
    const sender = request.ip; // of the proxies that the demo trusts: none
    const answer = await checkout.issueKey(purchase, { sender }).finally(leave);
    // Meanwhile the shopper may have begun another order, for which this page is now.
    if (shopper.purchase !== purchase) return issueKey(request, wanted);
    if (answer.status === 200) {
      purchase.notice = undefined;
      shopper.pages.set(answer.body.id, purchase);
    }
    return { purchase, answer };
  }

  /**
   * Takes a payment. A form is led to a page. A script gets `page`, where the shopper is to go, or
   * `notice`, why the shopper has to enter a card again; without either it loads its page anew,
   * which shows how the payment went.
   */
  async function pay(request: FastifyRequest, reply: FastifyReply, page: string) {
    const isForm = isFormPost(request);
    const posted = readPosted(request.body, isForm);
    const isKnown = shoppers.has(request.session.sessionId);
    const shopper = beginOrContinue(request);
    if (posted.method === 'invoice') {
      await orderOnInvoice(shopper.purchase, isKnown);
      return reply.redirect(page, 303);
    }
    const purchase = shopper.pages.get(posted.block.key_id) ?? shopper.purchase;
    if (purchase.isInvoiced) return isForm ? reply.redirect(page, 303) : {};
    const type = request.headers['content-type'];
    purchase.cardsUnderWay++;
    const sender = request.ip;
    const outcome = await checkout.pay(purchase, type, String(request.body), { sender });
    purchase.cardsUnderWay--;
    purchase.notice = noticeOf(outcome);
    if (purchase !== shopper.purchase) return lead(`/checkout/earlier/${purchase.id}`);
    // The order may be open all the same: only the block was of another one.
    const isUncertain = outcome.status === 'not_certain' || outcome.status === 'no_order';
    if (isUncertain && (await checkout.outcome(purchase.id)).status === 'open')
      return lead('/checkout/uncertain');
    if (isForm) return reply.redirect(page, 303);
    return { notice: purchase.notice && noticeText(ENGLISH, purchase.notice) };

    function lead(to: string) {
      return isForm ? reply.redirect(to, 303) : reply.send({ page: to });
    }
  }

  async function orderOnInvoice(purchase: Purchase, isKnown: boolean) {
    // The session got its new id while the order was on its way, or has ended.
    if (!isKnown) {
      purchase.notice = { why: 'lost' };
      return;
    }
    const outcome = await checkout.outcome(purchase.id);
    if (outcome.status === 'open' && !outcome.last && !purchase.cardsUnderWay)
      purchase.isInvoiced = true;
  }

  async function showUncertain(_request: FastifyRequest, reply: FastifyReply) {
    return reply.type(HTML).send(uncertainPage(ENGLISH));
  }

  /** How an order went that is no longer the current one. */
  async function showEarlier(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ) {
    const purchases = [...(shoppers.get(request.session.sessionId)?.pages.values() ?? [])];
    const purchase = purchases.find(({ id }) => id === request.params.id);
    if (!purchase) return reply.callNotFound();
    const outcome = await checkout.outcome(purchase.id);
    return reply.type(HTML).send(outcomePage(purchase, outcome, ENGLISH));
  }

  /** Not while it is not certain whether the order before is paid. */
  async function startNew({ session: { sessionId } }: FastifyRequest, reply: FastifyReply) {
    const shopper = shoppers.get(sessionId);
    const outcome = shopper && (await checkout.outcome(shopper.purchase.id));
    if (shopper && outcome && !isUnclear(outcome)) shopper.purchase = newPurchase();
    return reply.redirect('/checkout', 303);
  }

  function beginOrContinue({ session }: FastifyRequest): Shopper {
    session.started = true; // only a session with something in it is kept
    const known = shoppers.get(session.sessionId);
    if (known) return known;
    const shopper: Shopper = { purchase: newPurchase(), pages: new Map() };
    shoppers.set(session.sessionId, shopper);
    return shopper;
  }

  /** `false` if another page was faster: from then on, the old id leads to nobody. */
  async function renewSession(request: FastifyRequest, shopper: Shopper): Promise<boolean> {
    const old = request.session.sessionId;
    if (shoppers.get(old) !== shopper) return false;
    shoppers.delete(old);
    await request.session.regenerate();
    request.session.started = true;
    shoppers.set(request.session.sessionId, shopper);
    return true;
  }

  function outcomePage(purchase: Purchase, outcome: Outcome, texts: Texts): string {
    if (purchase.isInvoiced) return invoicePage(ORDER, texts);
    if (isUnclear(outcome)) return unknownPage(purchase.id, texts);
    switch (outcome.status) {
      case 'committed':
      case 'authorized': {
        const { status, reference } = outcome;
        const payment_method = cards.get(reference) ?? null;
        return receiptPage({ ...ORDER, id: reference, status, payment_method }, texts);
      }
      default:
        return unpaidPage(texts, purchase.notice);
    }
  }
}

/** Whether the page has a form. */
function isPayable(purchase: Purchase, outcome: Outcome): boolean {
  return !purchase.isInvoiced && outcome.status === 'open';
}

/** Whether the order may have been charged. Then no page says that it is not paid. */
function isUnclear(outcome: Outcome): boolean {
  return outcome.status === 'not_certain' || noticeOf(outcome)?.why === 'retry_is_safe';
}

function newPurchase(): Purchase {
  return { id: `order_${randomUUID()}`, cardsUnderWay: 0, ...ORDER };
}

/** What the shopper reads beside the form. */
function noticeOf(answer: Outcome | IssuedKey): Notice | undefined {
  const { last } = answer as { last?: LastTry };
  if (last === 'failed')
    return { why: 'declined', reason: (answer as { reason: string | null }).reason };
  if (last) return { why: last };
  if (answer.status === 'failed') return { why: 'declined', reason: answer.reason };
  if (answer.status === 'not_paid' || answer.status === 'retry_is_safe')
    return { why: answer.status };
  return undefined;
}

/** Brand and last digits, which the service tells with a payment: only the receipt shows them. */
function rememberCards(
  payments: PaymentsClient,
  cards: Map<string, CardPaymentIntent['payment_method']>,
): PaymentsClient {
  return {
    timeoutMs: payments.timeoutMs,
    createEncryptionKey: (options) => payments.createEncryptionKey(options),
    createIntent: (draft, options) => payments.createIntent(draft, options),
    async authorize(id, card, options) {
      const intent = await payments.authorize(id, card, options);
      cards.set(intent.id, intent.payment_method);
      return intent;
    },
  };
}

function refuse(reply: FastifyReply, retryAfter: number) {
  return reply.code(429).header('retry-after', String(retryAfter));
}

function isFormPost({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
