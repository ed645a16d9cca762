import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createMerchant } from '../../demo/merchant/app.ts';
import { ACCOUNTS, createService, type ServiceOptions } from '../../demo/service/app.ts';
import { CardPayments } from '../../src/checkout/index.ts';
import { type Card, type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../tools/support/card-payment-service.ts';
import { deferred } from '../tools/support/deferred.ts';

const SECRET_KEY = ACCOUNTS[0].secretKey;
const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '8350',
};
const DECLINED = { ...VISA, number: '4000000000000002' };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Both servers, listening; what the merchant's logged, and which operations it asked the service for. */
async function start({ timeoutMs, ...options }: ServiceOptions & { timeoutMs?: number } = {}) {
  const calls: string[] = [];
  const lines: string[] = [];
  /** Both `before...` are awaited before the service does it; `answer` may change what it answers. */
  const service = {
    beforeAuthorize: async () => {},
    beforeKey: async () => {},
    answer: (text: string) => text,
  };
  const app = createService({ generateKeyPair: recycledKeyPair, ...options });
  app.addHook('preHandler', async ({ routeOptions }) => {
    calls.push(routeOptions.url!.split('/').at(-1)!);
    if (routeOptions.url!.endsWith('/authorize')) await service.beforeAuthorize();
    if (routeOptions.url!.endsWith('/encryption-keys')) await service.beforeKey();
  });
  app.addHook('onSend', async (_request, _reply, payload) => service.answer(payload as string));
  closing.push(() => app.close());
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const log = (line: string) => lines.push(line);
  /** Another process of the merchant's: it remembers nothing of the first. */
  const startMerchant = async () => {
    const payments = new CardPayments({
      baseUrl,
      secretKey: SECRET_KEY,
      ...(timeoutMs && { timeoutMs }),
    });
    const merchant = createMerchant({ payments, log });
    closing.push(() => merchant.close());
    return merchant.listen({ host: '127.0.0.1', port: 0 });
  };
  const address = await startMerchant();
  const stopService = () => app.close();
  return {
    address,
    calls,
    lines,
    service,
    stopService,
    startMerchant,
    shopper: () => new Shopper(address),
  };
}

/** What a browser does of itself: keeps the cookie, and the address in its page. */
class Shopper {
  #cookie = '';
  /** Where the page asks for keys. */
  keyUrl = '/checkout/key/none';

  constructor(public address: string) {}

  get cookie() {
    return this.#cookie;
  }

  set cookie(cookie) {
    this.#cookie = cookie;
  }

  async send(path: string, init: RequestInit = {}) {
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(this.#cookie && { cookie: this.#cookie }),
    };
    const response = await fetch(this.address + path, { redirect: 'manual', ...init, headers });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
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

describe('the checkout page', () => {
  test('gets the three key fields and nothing else of the service', async () => {
    const { shopper, calls } = await start();
    const { key, text } = await shopper().open();
    expect(Object.keys(key!)).toEqual(['id', 'scheme', 'public_key']);
    for (const secret of ['expires_at', 'pi_card_', SECRET_KEY]) expect(text).not.toContain(secret);
    expect(calls.sort()).toEqual(['card', 'encryption-keys']);
  });

  test('is sent with the headers that it is built for', async () => {
    const { shopper } = await start();
    const { headers } = await shopper().open();
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none';" +
        "require-trusted-types-for 'script'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
  });

  test('has no script or style in it, and no control that a form would post', async () => {
    const { shopper } = await start();
    const { text } = await shopper().open();
    const controls = text.match(/<(input|select)\b[^>]*>/g)!;
    expect(controls.filter((tag) => tag.includes(' autocomplete="cc-'))).toHaveLength(5);
    const posted = controls.filter((tag) => tag.includes(' name='));
    expect(posted).toHaveLength(2); // the choice of how to pay
    for (const tag of posted)
      expect(tag).toMatch(/^<input type="radio" name="payment_method" value="(card|invoice)"/);
    expect(controls).toHaveLength(7);
    expect(text).not.toMatch(/<button[^>]* name=/);
    // Only cardseal enables it, when it has bound the form.
    expect(text).toContain('<button disabled autocomplete="off" data-cardseal-enable>Pay');
    expect(text).toContain('<noscript><p class="notice">Paying by card needs JavaScript');
    expect(text).not.toMatch(/<style|<script[^>]*>[^<]| style=| on\w+=/);
  });

  test('asks for a fresh key each time, and for one intent', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const [first, second] = [await ada.open(), await ada.open()];
    expect(first.key!.id).not.toBe(second.key!.id);
    expect(calls.sort()).toEqual(['card', 'encryption-keys', 'encryption-keys']);
  });

  test('is not asked for by HEAD, which would order a key', async () => {
    const { shopper, calls } = await start();
    expect((await shopper().send('/checkout', { method: 'HEAD' })).status).toBe(404);
    expect(calls).toEqual([]);
  });

  test('is there while the service is away, but gets no key', async () => {
    const { shopper, stopService } = await start();
    await stopService();
    const ada = shopper();
    expect(await ada.open()).toMatchObject({ status: 200, key: undefined });
    expect((await ada.requestKey()).status).toBe(502);
  });
});

describe('paying', () => {
  test.each([
    ['by the script of the page', 200, (block: string) => [block, 'application/json']],
    [
      'by a form',
      303,
      (block: string) => [
        new URLSearchParams({ payment_method: 'card', encrypted_card: block }).toString(),
        'application/x-www-form-urlencoded',
      ],
    ],
  ] as const)('works %s, and the page shows it from then on', async (_, status, post) => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const [body, type] = post(
      JSON.stringify(await encryptCard(key as CardEncryptionKey, { ...VISA })),
    );
    expect((await ada.post(body!, type)).status).toBe(status);
    for (const page of [await ada.open(), await ada.open()]) {
      expect(page.key).toBeUndefined();
      expect(page.text).toContain('<dd>Paid</dd>');
      expect(page.text).toContain('<dd>Visa ending in 4242</dd>');
    }
    expect((await ada.requestKey()).status).toBe(409); // nothing is left to pay
    expect(calls.filter((call) => call === 'authorize')).toHaveLength(1);
  });

  test('starts again with the same intent when only the service finds the key expired', async () => {
    let ahead = 0;
    const { shopper, calls, service, lines } = await start({
      clock: () => Date.now() + ahead,
      keyLifetimeMs: 60_000,
    });
    service.beforeAuthorize = async () => {
      ahead = 120_000;
    };
    const ada = shopper();
    const { text, key } = await ada.pay(VISA);
    expect(text).toContain('You can safely enter your card again: you cannot pay twice.');
    expect(key).toBeDefined();
    service.beforeAuthorize = async () => {};
    expect((await ada.pay(VISA)).text).toContain('<dd>Paid</dd>');
    expect(calls.filter((call) => call === 'card')).toHaveLength(1);
    expect(lines.join('\n')).toContain('restart_checkout');
  });

  test('happens once, however often and however fast the block is posted', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const block = await encryptCard(key as CardEncryptionKey, { ...VISA });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.post(block)));
    for (const { status, text } of [...answers, await ada.post(block)])
      expect([status, text]).toEqual([200, '{}']);
    expect(calls.filter((call) => call === 'authorize')).toHaveLength(1);
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
  });

  test('is waited for by pages that are opened meanwhile: they show how it went', async () => {
    const { shopper, service } = await start();
    const ada = shopper();
    const pages: ReturnType<Shopper['open']>[] = [];
    const tab = shopper();
    service.beforeAuthorize = async () => {
      tab.cookie = ada.cookie;
      pages.push(tab.open(), tab.open());
      const another = tab.send('/checkout/new', { method: 'POST' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      another.catch(() => {});
    };
    await ada.post(await encryptCard((await ada.open()).key!, { ...VISA }));
    for (const { key, text } of await Promise.all(pages)) {
      expect(key).toBeUndefined();
      expect(text).toContain('<dd>Paid</dd>');
    }
  });

  test('asks for no card again when the answer of the service is lost', async () => {
    const { shopper, calls, service, lines } = await start({ timeoutMs: 200 });
    const hold = new AbortController();
    closing.push(async () => hold.abort());
    service.beforeAuthorize = () =>
      new Promise((resolve) => hold.signal.addEventListener('abort', () => resolve()));
    const ada = shopper();
    for (const page of [await ada.pay(VISA), await ada.open()]) {
      expect(page.key).toBeUndefined();
      expect(page.text).toContain('We do not know yet whether you have paid');
      expect(page.text).toContain('order_');
      expect(page.text).not.toContain('<form'); // no other order is offered
    }
    expect(lines.filter((line) => line.includes('resolve_intent'))).toHaveLength(1);
    expect(calls.filter((call) => call === 'authorize')).toHaveLength(1);
    await ada.send('/checkout/new', { method: 'POST' });
    expect((await ada.open()).text).toContain('We do not know yet whether you have paid');
    expect((await ada.requestKey()).status).toBe(409);
  });

  test('is not possible with the block of another checkout', async () => {
    const { shopper, calls } = await start();
    const [ada, bob] = [shopper(), shopper()];
    const { key } = await ada.open();
    await bob.open();
    const block = await encryptCard(key as CardEncryptionKey, { ...VISA });
    // The server cannot tell it from a block of the same shopper that it has forgotten.
    const uncertain = { status: 200, text: '{"page":"/checkout/uncertain"}' };
    expect(await bob.post(block)).toMatchObject(uncertain);
    expect(await shopper().post(block)).toMatchObject(uncertain);
    expect(calls).not.toContain('authorize');
  });
});

const FORM_TYPE = 'application/x-www-form-urlencoded';
const asForm = (block: unknown) => {
  const fields = { payment_method: 'card', encrypted_card: JSON.stringify(block) };
  return [new URLSearchParams(fields).toString(), FORM_TYPE] as const;
};
const authorizations = (calls: string[]) => calls.filter((call) => call === 'authorize').length;

describe('no shopper is stuck, and none pays twice:', () => {
  test('a shopper who has paid can place another order, and pays that, too', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    for (let order = 0; order < 2; order++) {
      expect((await ada.pay(VISA)).text).toContain('<dd>Paid</dd>');
      await ada.send('/checkout/new', { method: 'POST' });
    }
    expect(authorizations(calls)).toBe(2);
  });

  test('the block of an earlier order leads to the receipt of that order', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const block = await encryptCard(key!, { ...VISA });
    await ada.post(block);
    const receipt = (await ada.open()).text;
    await ada.send('/checkout/new', { method: 'POST' });
    await ada.open();
    const { page } = JSON.parse((await ada.post(block)).text);
    const redirect = await ada.post(...asForm(block));
    expect(redirect.status).toBe(303);
    expect(redirect.headers.get('location')).toBe(page);
    expect((await ada.send(page)).text).toBe(receipt);
    expect((await shopper().send(page)).status).toBe(404); // nobody else sees it
    expect(authorizations(calls)).toBe(1);
  });

  test('the block of a declined card leads to the decline again', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const block = await encryptCard(key!, { ...DECLINED });
    const first = await ada.post(block);
    await ada.open(); // another key, and with it another intent
    const second = await ada.post(block);
    expect(first.text).toContain('Your card was declined.');
    expect(second.text).toBe(first.text);
    await ada.post(...asForm(block));
    expect((await ada.open()).text).toContain('Your card was declined.');
    expect(authorizations(calls)).toBe(1);
  });

  test.each([
    ['by the script of the page', (ada: Shopper, block: unknown) => ada.post(block)],
    ['by a form', (ada: Shopper, block: unknown) => ada.post(...asForm(block))],
  ])(
    'a block that arrives after a restart, %s, ends on "not certain" and is not charged again',
    async (_, post) => {
      const { shopper, calls, startMerchant } = await start();
      const ada = shopper();
      const { key } = await ada.open();
      const block = await encryptCard(key!, { ...VISA });
      await ada.post(block); // the answer is lost, and then what the process remembered
      ada.address = await startMerchant();
      const answer = await post(ada, block);
      const page = answer.headers.get('location') ?? JSON.parse(answer.text).page;
      const { text } = await ada.send(page);
      expect(text).toContain('It is not certain whether you have paid');
      expect(text).not.toContain('cc-number');
      expect(authorizations(calls)).toBe(1);
    },
  );

  test('of two tabs of one order either can pay, and the other shows the receipt', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const [first, second] = [(await ada.open()).key!, (await ada.open()).key!];
    expect((await ada.post(await encryptCard(first, { ...VISA }))).text).toBe('{}');
    expect((await ada.post(await encryptCard(second, { ...VISA }))).text).toBe('{}');
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
    expect(authorizations(calls)).toBe(1);
  });
});

describe('the session', () => {
  test('an order on invoice under an id that is not known any more is not lost in silence', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    await ada.send('/checkout');
    const old = ada.cookie;
    await ada.open(); // the session gets its new id with the page
    ada.cookie = old; // the order was on its way before
    expect((await ada.post('payment_method=invoice', FORM_TYPE)).status).toBe(303);
    const page = await ada.send('/checkout');
    expect(page.text).toContain('Please send it again. You have not paid.');
    expect((await ada.post('payment_method=invoice', FORM_TYPE)).status).toBe(303);
    expect((await ada.open()).text).toContain('We send you an invoice.');
    expect(authorizations(calls)).toBe(0);
  });

  test.each(['/checkout', '/checkout/plain'])(
    'has a fresh id with each page that has the form, and the old id does not show how the payment went: %s',
    async (page) => {
      const { shopper } = await start();
      const [ada, eve] = [shopper(), shopper()];
      await eve.open(); // so the order that Ada pays has begun as one of Eve, who has a key for it
      ada.cookie = eve.cookie; // planted in the browser of Ada
      await ada.send(page);
      expect(ada.cookie).not.toBe(eve.cookie);
      const { text } = await ada.requestKey();
      await ada.post(await encryptCard(JSON.parse(text), { ...VISA }));
      expect((await ada.open()).text).toContain('Visa ending in 4242');
      for (const path of ['/checkout', '/checkout/plain']) {
        const seen = await eve.send(path);
        expect(seen.text).not.toContain('4242');
        expect(seen.text).toContain('<form');
      }
    },
  );

  test('has one owner after two pages with the same old id at once, also if a payment went before', async () => {
    const { shopper, service } = await start();
    const [ada, eve] = [shopper(), shopper()];
    const pages: Promise<unknown>[] = [];
    service.beforeAuthorize = async () => {
      ada.cookie = eve.cookie;
      pages.push(ada.send('/checkout'), eve.send('/checkout')); // they wait for the payment
      await new Promise((resolve) => setTimeout(resolve, 300));
    };
    await eve.post(await encryptCard((await eve.open()).key!, { ...DECLINED }));
    await Promise.all(pages);
    service.beforeAuthorize = async () => {};
    await ada.post(await encryptCard((await ada.open()).key!, { ...VISA }));
    expect((await ada.open()).text).toContain('Visa ending in 4242');
    expect((await eve.open()).text).not.toContain('4242');
  });

  test('gives the page no key for an order that was planted after the page had come', async () => {
    const { shopper, calls } = await start();
    const [ada, eve] = [shopper(), shopper()];
    await ada.open();
    await eve.open();
    ada.cookie = eve.cookie;
    const before = [...calls];
    expect((await ada.requestKey()).status).toBe(403);
    expect(calls).toEqual(before);
    expect((await ada.open()).key).toBeDefined(); // its script loads it anew
    expect(ada.cookie).not.toBe(eve.cookie);
  });

  test('gives two first keys at once, and either pays, once', async () => {
    const { shopper, calls } = await start();
    const [ada, tab] = [shopper(), shopper()];
    await ada.send('/checkout');
    [tab.cookie, tab.keyUrl] = [ada.cookie, ada.keyUrl]; // the second request leaves before the first answer is there
    const answers = [await ada.requestKey(), await tab.requestKey()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const keys = answers.map(({ text }) => JSON.parse(text) as CardEncryptionKey);
    const blocks = await Promise.all(keys.map((key) => encryptCard(key, { ...VISA })));
    for (const block of blocks.reverse()) expect((await ada.post(block)).text).toBe('{}');
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
    expect(authorizations(calls)).toBe(1);
  });
});

describe('a rush for keys', () => {
  /** Asks for a key from another address of this machine than all others do. */
  function requestKeyFrom(
    localAddress: string,
    { address, keyUrl, cookie }: Shopper,
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', localAddress, headers: { cookie } };
      const sent = request(address + keyUrl, options, (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      sent.on('error', reject).end();
    });
  }

  test('without a checkout is refused at once: the service is asked for nothing', async () => {
    const { shopper, calls, address } = await start();
    const rush = Array.from({ length: 60 }, () =>
      fetch(`${address}/checkout/key/order_1`, { method: 'POST' }),
    );
    expect(new Set((await Promise.all(rush)).map(({ status }) => status))).toEqual(new Set([403]));
    expect(calls).toEqual([]);
    expect((await shopper().open()).key).toBeDefined();
  });

  test('from one address holds up nobody at another', async () => {
    const { shopper, service, calls } = await start();
    const rushing = Array.from({ length: 60 }, shopper);
    for (const eve of rushing) await eve.send('/checkout');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    service.beforeKey = () => held;
    const rush = rushing.map((eve) => requestKeyFrom('127.0.0.2', eve));
    const refused: number[] = [];
    for (const answer of rush) answer.then((status) => status === 429 && refused.push(status));
    await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(56);
    service.beforeKey = async () => {};
    expect((await shopper().open()).key).toBeDefined(); // while four of the rush still wait
    expect(calls.filter((call) => call === 'encryption-keys')).toHaveLength(5);
    letGo();
    const answers = await Promise.all(rush);
    expect(answers.filter((status) => status === 200)).toHaveLength(4);
    const late = shopper();
    await late.send('/checkout');
    expect(await requestKeyFrom('127.0.0.2', late)).toBe(200); // there is room again
  });

  test('of one shopper is refused by rate, and says when to come again', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    await ada.send('/checkout');
    const statuses: number[] = [];
    for (let request = 0; request < 8; request++) {
      const { status, headers } = await ada.requestKey();
      statuses.push(status);
      if (status === 429) expect(headers.get('retry-after')).toMatch(/^[1-5]$/);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    expect(calls.filter((call) => call === 'encryption-keys')).toHaveLength(6);
    expect((await shopper().open()).key).toBeDefined(); // nobody else waits
  });
});

describe('the page with the script tag', () => {
  test.each([
    ['de-CH,de;q=0.9,en;q=0.8', 'de', 'Kartennummer', 'Prüfen Sie die Kartennummer'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en', 'Card number', '{}'],
    ['fr,de;q=0.5,en;q=0.4', 'de', 'Kartennummer', 'Prüfen Sie die Kartennummer'],
    ['fr', 'en', 'Card number', '{}'],
    ['de;q=0', 'en', 'Card number', '{}'],
  ])(
    'speaks the language that the browser asks for: %s',
    async (wanted, language, label, message) => {
      const { shopper } = await start();
      const { text, headers } = await shopper().send('/checkout/plain', {
        headers: { 'accept-language': wanted },
      });
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain(label);
      expect(text).toContain(message);
      expect(headers.get('vary')).toContain('Accept-Language');
    },
  );
});

describe('a body that is anything but the block', () => {
  const JSON_TYPE = 'application/json';
  const FORM = 'application/x-www-form-urlencoded';
  const clear = JSON.stringify(VISA);

  test.each<[string, string, string, number]>([
    ['a clear card', clear, JSON_TYPE, 400],
    ['a clear card in broken JSON', `{"number":"${VISA.number}",`, JSON_TYPE, 400],
    ['a clear card as text', clear, 'text/plain', 415],
    ['a clear card as a form', new URLSearchParams(VISA).toString(), FORM, 400],
    [
      'a clear card in the field of the block',
      new URLSearchParams({ payment_method: 'card', encrypted_card: clear }).toString(),
      FORM,
      400,
    ],
    ['a clear card in the content type', clear, `application/${VISA.number}`, 415],
    ['a clear card in 9 KB', clear.padEnd(9 * 1024), JSON_TYPE, 413],
    ['nothing', '', JSON_TYPE, 400],
  ])('is refused, and neither logged nor sent back: %s', async (_, body, type, status) => {
    const { shopper, lines, calls } = await start();
    const ada = shopper();
    await ada.open();
    const answer = await ada.post(body, type);
    expect(answer.status).toBe(status);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(VISA.number);
    expect(lines).toEqual([
      'GET /checkout 200',
      'POST /checkout/key/:order 200',
      `POST /checkout/pay ${status}`,
    ]);
    expect(calls).not.toContain('authorize');
    expect((await ada.pay(VISA)).text).toContain('<dd>Paid</dd>'); // and nothing is broken by it
  });

  test('is refused beside the block', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const block = await encryptCard(key as CardEncryptionKey, { ...VISA });
    const fields = new URLSearchParams({
      payment_method: 'card',
      encrypted_card: JSON.stringify(block),
      number: VISA.number,
    }).toString();
    expect((await ada.post({ ...block, number: VISA.number })).status).toBe(400);
    expect((await ada.post(fields, FORM)).status).toBe(400);
    expect(calls).not.toContain('authorize');
    expect((await ada.post(block)).status).toBe(200);
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
  });

  test.each([
    ['/checkout/pay?number=4242424242424242', 404],
    ['/4242424242424242', 404],
    ['/assets/4242424242424242', 404],
    ['/checkout?number=4242424242424242', 200],
    ['/%zz4242424242424242', 400],
  ])('is not looked for in an address: GET %s', async (path, status) => {
    const { shopper, lines } = await start();
    const answer = await shopper().send(path);
    expect(answer.status).toBe(status);
    expect(answer.text + lines.join('\n')).not.toContain(VISA.number);
  });
});

describe('a key that comes late', () => {
  /** A shopper with an open form, and a second page of theirs whose key the service holds back until `release` is called. */
  async function startLate() {
    const { shopper, service } = await start();
    const ada = shopper();
    const { key } = await ada.open();
    const [asked, held] = [deferred<void>(), deferred<void>()];
    service.beforeKey = async () => {
      service.beforeKey = async () => {};
      asked.resolve();
      await held.promise;
    };
    const late = ada.requestKey();
    await asked.promise;
    const release = () => {
      held.resolve();
      return late;
    };
    return { ada, key: key as CardEncryptionKey, release };
  }

  test('does not open the form again after the payment, nor put an order that is done with in the place of a new one', async () => {
    const { ada, key, release } = await startLate();
    await ada.post(await encryptCard(key, { ...VISA }));
    await ada.send('/checkout/new', { method: 'POST' });
    expect((await release()).status).toBe(403); // its page is of the order that is done with
    const { key: fresh } = await ada.open();
    expect((await ada.post(await encryptCard(fresh!, { ...VISA }))).text).toBe('{}');
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
  });
});

test('what another site or another port has the browser post is refused', async () => {
  const { shopper } = await start();
  const ada = shopper();
  await ada.open();
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/checkout/new', '/checkout/pay', '/checkout/key/order_1']) {
      expect(
        (await ada.send(path, { method: 'POST', headers: { 'sec-fetch-site': site } })).status,
      ).toBe(403);
    }
  }
  expect(
    (
      await ada.send('/checkout/new', {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    ).status,
  ).toBe(303);
});
