import { randomBytes, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import {
  type CardPaymentIntent,
  createCheckout,
  type OrderStore,
  type PaymentsClient,
} from 'cardseal/checkout';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { scriptTag } from '../checkout/assets.ts';
import { bundledPage, tagPage } from '../checkout/form-page.ts';
import type { Order } from '../checkout/order.ts';
import { invoicePage, receiptPage, unknownPage } from '../checkout/outcomes.ts';
import { ENGLISH, languageOf, type Texts } from '../checkout/texts.ts';

interface Shopper {
  /** What they pay for. The newest is the last. A page of an earlier one may still ask. */
  purchases: [...Order[], Order];
  /** An order on invoice has come under a session that was not known. */
  hasLostOrder?: boolean;
}

declare module 'fastify' {
  interface Session {
    started?: boolean;
  }
}

const HTML = 'text/html; charset=utf-8';

interface Parts {
  payments: PaymentsClient;
  store?: OrderStore | undefined;
  log: (line: string) => void;
  /** The address of the page; everything else is below it, and so is the session. */
  at: string;
}

/** The checkout of each shopper: its pages, and the one address that keys and payments need. */
export function addCheckout(app: FastifyInstance, { payments, store, log, at }: Parts) {
  app.register(cookie);
  app.register(session, {
    secret: randomBytes(32).toString('hex'),
    saveUninitialized: false,
    rolling: false,
    cookie: { secure: 'auto', sameSite: 'lax', httpOnly: true, path: at },
  });
  const cards = new Map<string, CardPaymentIntent['payment_method']>();
  const checkout = createCheckout({ payments: rememberCards(payments, cards), store, log });
  /**
   * By session id. Not in the session: each request has a copy of that, and the last one would put
   * an old state back.
   */
  const shoppers = new Map<string, Shopper>();
  const tag = scriptTag();

  /** The page whose script is a module of the shop. */
  app.get(at, async (request, reply) => {
    reply.type(HTML);
    return showCheckout(request, at, ENGLISH, (page) => bundledPage(page));
  });

  /** The same for a shop without a script of its own, in the shopper's language. */
  app.get(`${at}/plain`, async (request, reply) => {
    reply.type(HTML).header('vary', 'Accept-Language');
    const texts = languageOf(request.headers['accept-language']);
    return showCheckout(request, `${at}/plain`, texts, (page) => tagPage(page, tag));
  });

  for (const page of [at, `${at}/plain`]) {
    app.all(`${page}/payment`, handle);
    app.post(`${page}/invoice`, async (request, reply) => {
      await orderOnInvoice(request);
      return reply.redirect(page, 303);
    });
    /** Only once the order before is done: another page may be about to pay one that is open. */
    app.post(`${page}/new`, async ({ session: { sessionId } }, reply) => {
      const shopper = shoppers.get(sessionId);
      if (shopper && (await isDone(current(shopper)))) shopper.purchases.push(newPurchase());
      return reply.redirect(page, 303);
    });
  }

  /** The outcome of the order, a key for it, or its payment. */
  async function handle(request: FastifyRequest): Promise<Response> {
    return checkout.handle(request, orderOf(request), { sender: request.ip });
  }

  /** The one that the page is of, if it is one of this shopper. */
  function orderOf({ session, headers }: FastifyRequest): Order | undefined {
    const shopper = shoppers.get(session.sessionId);
    const named = headers['cardseal-order'];
    return named ? shopper?.purchases.find(({ id }) => id === named) : shopper && current(shopper);
  }

  /** The form, or how the payment went. */
  async function showCheckout(
    request: FastifyRequest,
    page: string,
    texts: Texts,
    formPage: (page: Parameters<typeof bundledPage>[0]) => string,
  ): Promise<string> {
    const shopper = beginOrContinue(request);
    const order = current(shopper);
    const outcome = await checkout.outcome(order.id);
    switch (outcome.status) {
      case 'committed':
      case 'authorized': {
        const { status, reference } = outcome;
        const card = cards.get(reference) ?? null;
        return receiptPage(page, order, { status, reference, card }, texts);
      }
      case 'open': {
        const isRenewed = await renewSession(request, shopper);
        if (!isRenewed) return showCheckout(request, page, texts, formPage);
        const notice = shopper.hasLostOrder ? texts.lost : undefined;
        shopper.hasLostOrder = false;
        return formPage({ at: page, order, texts, notice, outcome });
      }
      case 'no_order': // withdrawn, which this shop does for an invoice only
        return invoicePage(page, order, texts);
      default:
        return unknownPage(order, texts);
    }
  }

  async function orderOnInvoice(request: FastifyRequest): Promise<void> {
    const isKnown = shoppers.has(request.session.sessionId);
    const shopper = beginOrContinue(request);
    // The session got its new id while the order was on its way, or has ended.
    if (!isKnown) {
      shopper.hasLostOrder = true;
      return;
    }
    // From here on no card can pay it, also not one that another page has sent meanwhile.
    await checkout.withdraw(current(shopper));
  }

  /** Whether the order is paid or on invoice. */
  async function isDone({ id }: Order): Promise<boolean> {
    const { status } = await checkout.outcome(id);
    return status === 'committed' || status === 'authorized' || status === 'no_order';
  }

  function beginOrContinue({ session }: FastifyRequest): Shopper {
    session.started = true; // only a session with something in it is kept
    const known = shoppers.get(session.sessionId);
    if (known) return known;
    const shopper: Shopper = { purchases: [newPurchase()] };
    shoppers.set(session.sessionId, shopper);
    return shopper;
  }

  /**
   * The page with the form gives the session a fresh id, so that anyone who knew the old one, or
   * had planted it, does not see how the payment goes.
   *
   * @returns `false` if another page was faster: from then on, the old id leads to nobody.
   */
  async function renewSession(request: FastifyRequest, shopper: Shopper): Promise<boolean> {
    const old = request.session.sessionId;
    if (shoppers.get(old) !== shopper) return false;
    shoppers.delete(old);
    await request.session.regenerate();
    request.session.started = true;
    shoppers.set(request.session.sessionId, shopper);
    return true;
  }
}

const current = ({ purchases }: Shopper): Order => purchases.at(-1)!;

function newPurchase(): Order {
  const id = `order_${randomUUID()}`;
  return { id, amount: 2490, currency: 'USD', description: 'One book' };
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
