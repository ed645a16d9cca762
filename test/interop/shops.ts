/** The ports' shops in a real browser: from the cart to the receipt, and every way that it ends. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { need } from '../../tools/prepare/browsers.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { deferred } from '../support/deferred.ts';
import { startProxy } from './losing-proxy.ts';
import { type Port, Shop } from './ports.ts';

const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

/** What the shopper of each shop does and reads. */
export const WORDS = {
  PHP: {
    order: 'Commander',
    pay: /^Payer/,
    paid: 'Merci, votre commande est payée',
    declined: /La carte a été refusée .* Vous n’avez pas payé/,
    retry: /pas encore si vous avez payé.*vous ne paierez pas deux fois/,
    refused: /Le paiement n’a pas pu être effectué\. Vous n’avez pas payé/,
    unclear: 'Nous ne savons pas encore si vous avez payé',
    unavailable: /ne peut pas encaisser pour le moment\. Vous n’avez pas payé/,
    needsScript: /a besoin de JavaScript/,
    numberRequired: 'Saisissez le numéro de la carte',
    numberInvalid: 'Vérifiez le numéro de la carte',
    pressAgain: /Appuyez à nouveau sur Payer/,
    async enterExpiry(page: Page) {
      await page.selectOption('#mois', '12');
      await page.selectOption('#annee', { index: 5 });
    },
    names: { holder: '#titulaire', code: '#code' },
    fields: ['commande', 'csrf', 'encrypted_card'],
    orderField: 'commande',
    path: '/paiement',
  },
  Python: {
    order: 'Hacer el pedido',
    pay: /^Pagar/,
    paid: 'Gracias, su pedido está pagado',
    declined: /Tarjeta rechazada: .* No ha pagado/,
    retry: /Todavía no sabemos si ha pagado.*no pagará dos veces/,
    refused: /No se pudo hacer el pago\. No ha pagado/,
    unclear: 'Todavía no sabemos si ha pagado',
    unavailable: /no puede cobrar en este momento\. No ha pagado/,
    needsScript: /necesita JavaScript/,
    numberRequired: 'Escriba el número de la tarjeta',
    numberInvalid: 'Revise el número de la tarjeta',
    pressAgain: /Pulse Pagar otra vez/,
    async enterExpiry(page: Page) {
      await page.fill('#caducidad', '12/40');
    },
    names: { holder: '#titular', code: '#codigo' },
    fields: ['csrfmiddlewaretoken', 'encrypted_card', 'pedido'],
    orderField: 'pedido',
    path: '/pago',
  },
} as const;

/** Each port has a test file of its own, so that the shops are driven at the same time. */
export function testShop(port: Port) {
  describe(`the shop in ${port.name}`, () => testsOf(port));
}

function testsOf(port: Port) {
  const words = WORDS[port.name];
  let browser: Browser;
  let world: Awaited<ReturnType<typeof startWorld<Shop>>>;
  let context: BrowserContext;
  let page: Page;
  let posts: URLSearchParams[];
  let complaints: string[];

  beforeAll(async () => {
    const { from, path } = need('chromium');
    browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
    world = await startWorld((service) => new Shop(port, service, 5));
    await world.shop.start();
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });
  beforeEach(async () => {
    await world.reset();
    world.shop.log = '';
    await openBrowser({});
  });
  afterEach(async () => {
    await context.close();
    expectNothingTold();
  });

  async function openBrowser(options: { javaScriptEnabled?: boolean }) {
    context = await browser.newContext(options);
    page = await context.newPage();
    posts = [];
    complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => {
      const isPayment = new URL(request.url()).pathname === words.path;
      const body = request.postData();
      if (isPayment && body) posts.push(new URLSearchParams(body));
    });
  }

  /** Whatever happened: no card and no secret in the shop's log, no card in what was posted. */
  function expectNothingTold() {
    const told = [world.shop.log, ...posts.map(String), ...world.proxy.authorizations].join('\n');
    for (const secret of [APPROVED, DECLINED, 'Ångström']) expect(told).not.toContain(secret);
    expect(told).not.toMatch(/(?<!\w)1234(?!\w)/); // by itself: the log has ports like 51234
    expect(world.shop.log).not.toContain(ACCOUNTS[0].secretKey);
    expect(world.shop.log).not.toMatch(/warning|traceback|notice:|deprecated|fatal/i);
  }

  async function order() {
    await page.goto(world.shop.address);
    await page.click(`text=${words.order}`);
    await page.waitForSelector('form[data-cardseal]');
  }

  async function enterCard(number: string) {
    await page.fill('#numero', number);
    await page.fill(words.names.holder, 'Zoë Ångström');
    await words.enterExpiry(page);
    await page.fill(words.names.code, '1234');
  }

  /** Does not wait for the next page: some answers are held back. */
  const press = () => page.getByRole('button', { name: words.pay }).click({ noWaitAfter: true });
  const heading = (text: string) => page.getByRole('heading', { name: text }).waitFor();
  const notice = (text: RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  async function pay(number: string) {
    await enterCard(number);
    await press();
  }

  /** How the page asks for a key. */
  async function keyRequest() {
    const form = page.locator('form[data-cardseal]');
    const path = await form.getAttribute('data-cardseal-key-url');
    const token = await page.locator('meta[name=csrf-token]').getAttribute('content');
    const header = port.name === 'Python' ? 'X-CSRFToken' : 'X-CSRF-Token';
    return { keyUrl: world.shop.address + path, header, token: token! };
  }

  /** Posts a form again, as a reload or a second press does; the browser ends on the answer. */
  async function postAgain(fields: URLSearchParams) {
    await page.evaluate(
      ([path, entries]) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = path;
        for (const [name, value] of entries) {
          const input = form.appendChild(document.createElement('input'));
          Object.assign(input, { type: 'hidden', name, value });
        }
        document.body.append(form);
        form.submit();
      },
      [words.path, [...fields]] as const,
    );
  }

  test('takes an approved card, posts nothing of it, and a second order after it; the first block again shows the first order', async () => {
    await order();
    await pay(APPROVED);
    await heading(words.paid);
    const reference = async () => /pi_card_\w+/.exec((await page.textContent('body'))!)![0];
    const first = await reference();
    expect(posts.map((post) => [...post.keys()].sort())).toEqual([words.fields]);
    expect(await world.committed()).toBe(1);
    await page.reload();
    await heading(words.paid);

    await page.getByRole('link').click();
    await page.click(`text=${words.order}`);
    await pay(APPROVED);
    await heading(words.paid);
    expect(await world.committed()).toBe(2);
    expect(complaints).toEqual([]);

    await postAgain(posts[0]!);
    await expect.poll(reference).toBe(first);
    await heading(words.paid);
    expect(world.proxy.authorizations).toHaveLength(2);
  });

  test('answers a second post while the first is under way with its outcome, and charges once', async () => {
    await order();
    const answer = deferred<void>();
    world.proxy.faults.hold = answer.promise;
    await enterCard(APPROVED);
    await press();
    await expect.poll(() => world.proxy.authorizations.length).toBe(1);
    const second = await context.newPage();
    await second.goto(world.shop.address);
    const first = page;
    page = second;
    const answered = second.waitForResponse((response) => response.request().method() === 'POST');
    await postAgain(posts[0]!);
    await expect(Promise.race([answered, second.waitForTimeout(1500)])).resolves.toBeUndefined();
    answer.resolve();
    await heading(words.paid);
    page = first;
    await heading(words.paid);
    expect(world.proxy.authorizations).toHaveLength(1);
    expect(await world.committed()).toBe(1);
  });

  test('knows what was charged when it was ended before the answer, and asks for no second card', async () => {
    await order();
    const address = page.url();
    const answer = deferred<void>();
    world.proxy.faults.hold = answer.promise;
    await enterCard(APPROVED);
    await press();
    await expect.poll(() => world.committed()).toBe(1);
    await world.shop.stop();
    answer.resolve();
    await world.shop.start();
    await page.goto(address); // waits for as long as an answer could come
    await heading(words.unclear);
    expect(await page.locator('form[data-cardseal]').count()).toBe(0);
    const orderId = posts[0]!.get(words.orderField)!;
    const intentId = await world.newestIntent();
    expect(world.shop.log).toContain(
      `Payment not certain: order "${orderId}", intent "${intentId}"`,
    );
    world.shop.resolve(orderId, intentId, 'committed');
    await page.reload();
    await heading(words.paid);
    expect(await world.committed()).toBe(1);
  });

  test('limits key requests of one order, and still serves others and a second tab', async () => {
    await order();
    const { keyUrl, header, token } = await keyRequest();
    const requests = Array.from({ length: 200 }, () =>
      page.request.post(keyUrl, { headers: { [header]: token } }),
    );
    const other = await browser.newContext();
    const begin = performance.now();
    const elsewhere = await other.newPage();
    await elsewhere.goto(world.shop.address);
    await elsewhere.click(`text=${words.order}`);
    await elsewhere.waitForSelector('button[data-cardseal-enable]:enabled');
    expect(performance.now() - begin).toBeLessThan(10_000);
    await other.close();
    const answers = await Promise.all(requests);
    const served = answers.filter((answer) => answer.status() === 200).length;
    expect(served).toBeGreaterThanOrEqual(2);
    expect(served).toBeLessThanOrEqual(10);
    const refused = answers.filter((answer) => answer.status() === 429);
    expect(refused).toHaveLength(200 - served);
    for (const answer of refused) {
      expect(Number(answer.headers()['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(await answer.json()).toEqual({ status: 'too_many' });
    }
  });

  test('says that it is not certain when a block comes without its checkout', async () => {
    await order();
    await enterCard(APPROVED);
    await page.waitForLoadState('networkidle');
    await context.clearCookies();
    await press();
    await heading(words.unclear);
    expect(await page.locator('form[data-cardseal]').count()).toBe(0);
    expect(world.proxy.authorizations).toHaveLength(0);
  });

  test("says in the shop's language what is wrong with the card, and takes the corrected one", async () => {
    await order();
    await press();
    const problem = page.locator('[data-cardseal-message]').first();
    await expect.poll(() => problem.textContent()).toBe(words.numberRequired);
    await enterCard(APPROVED.replace(/2$/, '3'));
    await press();
    await expect.poll(() => problem.textContent()).toBe(words.numberInvalid);
    await page.fill('#numero', APPROVED);
    await press();
    await heading(words.paid);
  });

  test('says that it cannot take payments when the service is down, and goes on when it is back', async () => {
    world.proxy.faults.isDown = true;
    await page.goto(world.shop.address);
    await page.click(`text=${words.order}`);
    if (port.name === 'PHP') {
      await page.getByText(words.unavailable).waitFor();
      world.proxy.faults.isDown = false;
      await page.getByRole('link').click();
    } else {
      await enterCard(APPROVED); // this page asks for its key by itself
      await press();
      await notice(words.pressAgain);
      world.proxy.faults.isDown = false;
    }
    await page.waitForSelector('form[data-cardseal]');
    await pay(APPROVED);
    await heading(words.paid);
    expect(await world.committed()).toBe(1);
  });

  test('shows why nothing happens without JavaScript', async () => {
    await context.close();
    await openBrowser({ javaScriptEnabled: false });
    await order();
    await page.getByText(words.needsScript).waitFor();
    expect(await page.getByRole('button', { name: words.pay }).isDisabled()).toBe(true);
  });

  test('issues no key outside a checkout, or without a CSRF token', async () => {
    await order();
    const { keyUrl, header, token } = await keyRequest();
    const stranger = await fetch(keyUrl, { method: 'POST', headers: { [header]: token } });
    expect(stranger.status).toBe(409);
    for (const headers of [{}, { [header]: `${token}x` }, { 'X-Other': token }]) {
      expect((await page.request.post(keyUrl, { headers })).status()).toBe(409);
    }
    const answer = await page.request.post(keyUrl, { headers: { [header]: token } });
    expect(answer.status()).toBe(200);
    expect(Object.keys(await answer.json())).toEqual(['id', 'scheme', 'public_key']);
  });
}

interface Intent {
  id: string;
  status: string;
}

/** A service, a proxy that can hold answers back, and a shop. */
export async function startWorld<S extends { close(): Promise<void> }>(
  makeShop: (serviceAddress: string) => S | Promise<S>,
) {
  const service = createService({ generateKeyPair: recycledKeyPair });
  const address = await service.listen({ port: 0, host: '127.0.0.1' });
  const proxy = await startProxy(address);
  const shop = await makeShop(proxy.address);
  let before = 0;
  /** All of them, newest first. */
  const intents = async (after = ''): Promise<Intent[]> => {
    const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
    const answer = await fetch(`${address}/payments/card?limit=100${after}`, { headers });
    const { data, has_more } = (await answer.json()) as { data: Intent[]; has_more: boolean };
    if (!has_more) return data;
    return [...data, ...(await intents(`&starting_after=${data.at(-1)!.id}`))];
  };
  const committedIntents = async () =>
    (await intents()).filter(({ status }) => status === 'committed');
  const committed = async () => (await committedIntents()).length;
  return {
    proxy,
    shop,
    async reset() {
      before = await committed();
      Object.assign(proxy.faults, { hold: undefined, isDown: false });
      proxy.authorizations.length = 0;
      proxy.answers.length = 0;
    },
    /** How many payments the service has committed in this test. */
    committed: async () => (await committed()) - before,
    /** The id of the intent that was committed last. */
    newestIntent: async () => (await committedIntents())[0]!.id,
    async stop() {
      await shop.close();
      proxy.close();
      await service.close();
    },
  };
}
