import { afterEach, expect } from 'vitest';
import { createMerchant } from '../../../demo/merchant/app.ts';
import { ACCOUNTS, createService, type ServiceOptions } from '../../../demo/service/app.ts';
import { CardPayments } from '../../../src/checkout/index.ts';
import { type Card, type CardEncryptionKey, encryptCard } from '../../../src/core/index.ts';
import { recycledKeyPair } from '../../support/card-payment-service.ts';

export const SECRET_KEY = ACCOUNTS[0].secretKey;
export const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '8350',
};
export const DECLINED = { ...VISA, number: '4000000000000002' };

/** Closed after each test. */
export const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Both servers, listening; what the merchant's logged, and which operations it asked the service for. */
export async function start({
  timeoutMs,
  ...options
}: ServiceOptions & { timeoutMs?: number } = {}) {
  const calls: string[] = [];
  const lines: string[] = [];
  /** Each is awaited before the service does it. */
  const service = {
    beforeIntent: async () => {},
    beforeKey: async () => {},
    beforeAuthorize: async () => {},
  };
  const app = createService({ generateKeyPair: recycledKeyPair, ...options });
  app.addHook('preHandler', async ({ routeOptions }) => {
    calls.push(routeOptions.url!.split('/').at(-1)!);
    if (routeOptions.url!.endsWith('/card')) await service.beforeIntent();
    if (routeOptions.url!.endsWith('/encryption-keys')) await service.beforeKey();
    if (routeOptions.url!.endsWith('/authorize')) await service.beforeAuthorize();
  });
  closing.push(() => app.close());
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const log = (line: string) => lines.push(line);
  const payments = new CardPayments({
    baseUrl,
    secretKey: SECRET_KEY,
    ...(timeoutMs && { timeoutMs }),
  });
  const merchant = createMerchant({ payments, log });
  closing.push(() => merchant.close());
  const address = await merchant.listen({ host: '127.0.0.1', port: 0 });
  const stopService = () => app.close();
  return {
    address,
    calls,
    lines,
    service,
    stopService,
    shopper: () => new Shopper(address),
  };
}

/** What a browser and the page's script do: keep the cookie, and name the order of the page. */
export class Shopper {
  cookie = '';
  /** The id of the order that the page is of. */
  order: string | undefined;

  constructor(public address: string) {}

  async send(path: string, init: RequestInit = {}) {
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(this.cookie && { cookie: this.cookie }),
    };
    const response = await fetch(this.address + path, { redirect: 'manual', ...init, headers });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  }

  /**
   * The checkout page, and the key that its script asks for: `undefined` if the page has no form,
   * or no key is available.
   */
  async open(path = '/checkout') {
    const page = await this.send(path);
    this.order = undefined;
    if (!page.text.includes('<form id="checkout"')) return { ...page, key: undefined };
    this.order = /data-outcome="[^"]*(order_[0-9a-f-]+)/.exec(page.text)?.[1];
    return { ...page, key: (await this.requestKey()).key };
  }

  /** What the page's script gets: the outcome, and a key if the order is open. */
  async requestKey() {
    const { status, headers, text } = await this.#post('payment', '');
    const answer = JSON.parse(text) as { key?: CardEncryptionKey; order?: string };
    this.order = answer.order ?? this.order;
    return { ...answer, status, headers, text };
  }

  post(block: unknown, type = 'text/plain', headers = {}) {
    const body = typeof block === 'string' ? block : JSON.stringify(block);
    return this.#post('payment', body, { 'content-type': type, ...headers });
  }

  orderOnInvoice() {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#post('invoice', 'payment_method=invoice', headers);
  }

  /** Opens the page, pays and looks at what the page shows then. */
  async pay(card: Card) {
    const { key } = await this.open();
    const answer = await this.post(await encryptCard(key!, { ...card }));
    expect(answer.status).toBe(200);
    return this.open();
  }

  #post(path: string, body: string, headers: Record<string, string> = {}) {
    const named = this.order && path === 'payment' ? { 'cardseal-order': this.order } : {};
    const init = { method: 'POST', headers: { ...headers, ...named }, ...(body && { body }) };
    return this.send(`/checkout/${path}`, init);
  }
}
