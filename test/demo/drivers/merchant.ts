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

/** What a browser does of itself: keeps the cookie, and the address in its page. */
export class Shopper {
  cookie = '';
  /** Where the page asks for keys. */
  keyUrl = '/checkout/key/none';

  constructor(public address: string) {}

  async send(path: string, init: RequestInit = {}) {
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(this.cookie && { cookie: this.cookie }),
    };
    const response = await fetch(this.address + path, { redirect: 'manual', ...init, headers });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    const text = await response.text();
    this.keyUrl = /key-url="([^"]+)"/.exec(text)?.[1] ?? this.keyUrl;
    return { status: response.status, headers: response.headers, text };
  }

  /** The checkout page, and the key that its script asks for; `undefined` if the page has no form, or no key is available. */
  async open() {
    const page = await this.send('/checkout');
    const answer = page.text.includes('<form id="checkout"') ? await this.requestKey() : undefined;
    return {
      ...page,
      key: answer?.status === 200 ? (JSON.parse(answer.text) as CardEncryptionKey) : undefined,
    };
  }

  requestKey() {
    return this.send(this.keyUrl, { method: 'POST' });
  }

  post(block: unknown, type = 'application/json') {
    return this.send('/checkout/pay', {
      method: 'POST',
      body: typeof block === 'string' ? block : JSON.stringify(block),
      headers: { 'content-type': type },
    });
  }

  /** Opens the page, pays and looks at what the page shows then. */
  async pay(card: Card) {
    const { key } = await this.open();
    const answer = await this.post(await encryptCard(key as CardEncryptionKey, { ...card }));
    expect(answer.status).toBe(200);
    const { notice } = JSON.parse(answer.text) as { notice?: string };
    const page = await this.open();
    expect(page.text.includes('role="alert"')).toBe(notice !== undefined);
    if (notice) expect(page.text).toContain(notice); // what the script is told, a shopper who loads the page anew reads, too
    return page;
  }
}
