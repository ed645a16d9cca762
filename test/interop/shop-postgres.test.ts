/**
 * `postgresStore` in a database, and the shop of docs/server-routes.md with it: two processes
 * behind one address, with a browser in front.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckout, postgresStore } from 'cardseal/checkout';
import pg from 'pg';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../demo/service/app.ts';
import { need } from '../../tools/prepare/browsers.ts';
import { cleanUp, makeProject, startProgram } from '../support/recipe-project.ts';
import { startBalancer } from './balancer.ts';
import { startPostgres } from './postgres.ts';
import { startWorld } from './shops.ts';

const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

const SCRIPT = join(import.meta.dirname, '../../dist/cardseal.js');
const document = readFileSync(join(import.meta.dirname, '../../docs/stores.md'), 'utf8');
const [, createTable] = /```sql\n(CREATE TABLE cardseal_orders .*?)```/s.exec(document)!;

const postgres = startPostgres();
const pools: pg.Pool[] = [];
function openPool(max: number): pg.Pool {
  const { PGHOST: host, PGUSER: user, PGDATABASE: database } = postgres.environment;
  const pool = new pg.Pool({ host, user, database, max });
  pool.on('error', () => {}); // a restart of the database cuts the connections
  pools.push(pool);
  return pool;
}
beforeAll(async () => {
  await openPool(1).query(createTable!);
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  postgres.stop();
  cleanUp();
});

describe('the store', () => {
  const WRITERS = 8;
  const ROUNDS = 25;

  test('lets exactly one of many connections write a version', async () => {
    const stores = Array.from({ length: WRITERS }, () => postgresStore(openPool(1)));
    for (let round = 0; round < ROUNDS; round++) {
      const before = await stores[0]!.read('raced');
      const won = await Promise.all(
        stores.map(({ write }, i) => write('raced', `${round}.${i}`, before?.version ?? 0)),
      );
      const after = (await stores[0]!.read('raced'))!;
      expect(after.version).toBeGreaterThan(before?.version ?? 0);
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(after.value).toBe(`${round}.${won.indexOf(true)}`);
    }
  });
});

/** How long the processes wait for the service, and after that no longer for each other. */
const TIMEOUT_MS = 8000;
const LIMIT_MS = TIMEOUT_MS + 5000;

/** What the shop tells, by the texts of page.ts, and what the balancer does. */
const TEXTS = {
  form: 'Card number',
  paid: 'Thank you. You have paid.',
  declined: 'Your card was declined. You have not paid.',
  not_paid: 'The payment could not be made. You have not paid.',
  retry_is_safe: 'We do not know yet whether you have paid. You cannot pay twice.',
  not_certain: 'It is not certain whether you have paid.',
  bad_gateway: 'Bad gateway',
};
type Told = keyof typeof TEXTS;

/** The recipe for Express, with the orders in PostgreSQL, in two processes behind one address. */
async function startShop(serviceAddress: string) {
  const folder = makeProject();
  mkdirSync(join(folder, 'public'));
  copyFileSync(SCRIPT, join(folder, 'public/cardseal.js'));
  const edit = (file: string, search: RegExp, replacement: string) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toMatch(search);
    writeFileSync(join(folder, file), text.replace(search, replacement));
  };
  edit('shop.ts', /(?<=from ')\.\/store\.js/, './store-postgres.js');
  edit('shop.ts', /(?=secretKey:)/, 'timeoutMs: Number(process.env.TIMEOUT_MS), ');

  const start = (environment = {}) =>
    startProgram(folder, 'server-express.ts', serviceAddress, {
      ...postgres.environment,
      TIMEOUT_MS: String(TIMEOUT_MS),
      ...environment,
    });
  const processes = await Promise.all([start(), start()]);
  const balancer = await startBalancer(processes.map(({ address }) => address));
  return {
    address: balancer.address,
    balancer,
    log: () => processes.map(({ output }) => output).join('\n'),
    /** Ends a process in the middle of whatever it does. */
    kill: (at: number) => processes[at]!.stop(),
    /** Starts it again at the same address. */
    async start(at: number, environment = {}) {
      const { port: PORT } = new URL(processes[at]!.address);
      processes[at] = await start({ PORT, ...environment });
    },
    async close() {
      balancer.close();
    },
  };
}

describe('two processes behind one address', () => {
  let browser: Browser;
  let world: Awaited<ReturnType<typeof startWorld<Awaited<ReturnType<typeof startShop>>>>>;
  let context: BrowserContext;
  let page: Page;
  let release = () => {};

  beforeAll(async () => {
    const { from, path } = need('chromium');
    browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
    world = await startWorld(startShop);
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });
  beforeEach(async () => {
    await world.reset();
    world.shop.balancer.taken.length = 0;
    world.shop.balancer.choice.only = undefined;
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(async () => {
    release();
    await context.close();
    for (const secret of [APPROVED, DECLINED, ACCOUNTS[0].secretKey])
      expect(world.shop.log()).not.toContain(secret);
  });

  /** What the page tells. It must be true. */
  async function read(of = page): Promise<Told> {
    const text = await of.locator('body').innerText();
    const found = (Object.keys(TEXTS) as Told[]).filter((one) => text.includes(TEXTS[one]));
    // A text about the last try may stand above the form.
    const [told = 'form', ...others] = found.filter((one) => one !== 'form');
    expect([found.length > 0, others], text).toEqual([true, []]);
    if (['paid', 'not_certain'].includes(told)) expect(found, text).not.toContain('form');
    const committed = await world.committed();
    expect(committed).toBeLessThanOrEqual(1);
    if (told === 'paid') expect(committed).toBe(1);
    if (['form', 'declined', 'not_paid'].includes(told)) expect(committed).toBe(0);
    return told;
  }

  async function open(of = page) {
    await of.goto(`${world.shop.address}/checkout`);
    return read(of);
  }

  async function enter(number: string, of = page) {
    await of.fill('[autocomplete=cc-number]', number);
    await of.fill('[autocomplete=cc-name]', 'Ada Lovelace');
    await of.fill('[autocomplete=cc-exp]', '12/39');
    await of.fill('[autocomplete=cc-csc]', '835');
  }

  /** Does not wait for the next page: some answers are held back. */
  const press = (of = page) => of.getByRole('button', { name: 'Pay' }).click({ noWaitAfter: true });
  async function readAnswer(of = page) {
    await of.waitForURL('**/checkout/pay');
    return read(of);
  }
  async function pay(number: string) {
    await enter(number);
    await press();
    return readAnswer();
  }

  function holdAnswers() {
    world.proxy.faults.hold = new Promise((resolve) => {
      release = resolve;
    });
  }
  const takenBy = (path?: string) =>
    world.shop.balancer.taken.filter((one) => !path || one.path === path).map(({ by }) => by);

  /** The service has done what it was asked; the shop does not know. Returns which process asked. */
  async function payHeldBack(number: string): Promise<number> {
    holdAnswers();
    await enter(number);
    await press();
    await expect.poll(() => world.proxy.answers.length).toBe(1);
    return takenBy('/checkout/pay')[0]!;
  }

  /** What the merchant's staff do, in a process of its own. */
  async function resolve(truth: 'committed' | 'not_paid', change = (intentId: string) => intentId) {
    const pool = openPool(1);
    const payments = { baseUrl: 'http://127.0.0.1:9', secretKey: 'none', timeoutMs: TIMEOUT_MS };
    const staff = createCheckout({ payments, store: postgresStore(pool) });
    const cookies = await context.cookies();
    const orderId = cookies.find(({ name }) => name === 'order')!.value;
    const { value } = (await postgresStore(pool).read(orderId))!;
    await staff.resolve(orderId, change(JSON.parse(value).intentId), truth);
  }

  test('charge once: pay, Back, reload, and the same block again', async () => {
    expect(await open()).toBe('form');
    const posted = page.waitForRequest('**/checkout/pay');
    expect(await pay(APPROVED)).toBe('paid');
    const block = (await posted).postData()!;
    await page.goBack();
    expect(await read()).toBe('paid');
    await page.reload();
    expect(await read()).toBe('paid');
    const headers = {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
    };
    for (let process = 0; process < 2; process++) {
      const again = await page.request.post((await posted).url(), { headers, data: block });
      expect(await again.text()).toContain(TEXTS.paid);
    }
    expect(world.proxy.authorizations).toHaveLength(1);
    expect(new Set(takenBy('/checkout'))).toEqual(new Set([0, 1]));
    expect(new Set(takenBy('/checkout/pay'))).toEqual(new Set([0, 1]));
  });

  test('charge once if each gets a block of one order at the same time', async () => {
    const other = await context.newPage();
    await open();
    await open(other);
    await enter(APPROVED);
    await enter(APPROVED, other);
    holdAnswers();
    for (const [tab, by] of [page, other].map((tab, by) => [tab, by] as const)) {
      world.shop.balancer.choice.only = by;
      await press(tab);
      await expect.poll(() => takenBy('/checkout/pay')).toContain(by);
    }
    await page.waitForTimeout(1000);
    expect(world.proxy.authorizations).toHaveLength(1);
    release();
    for (const tab of [page, other]) expect(await readAnswer(tab)).toBe('paid');
    expect(world.proxy.authorizations).toHaveLength(1);
  });

  test('go on after the database was started again', async () => {
    for (let tries = 0; tries < 3; tries++) await open(); // both are connected
    await enter(APPROVED);
    postgres.restart();
    world.shop.balancer.taken.length = 0;
    await press();
    expect(await readAnswer()).toBe('paid');
    for (let process = 0; process < 2; process++) expect(await open()).toBe('paid');
    expect(new Set(takenBy())).toEqual(new Set([0, 1]));
  });

  test.each([
    ['charged', APPROVED, 'committed'],
    ['declined', DECLINED, 'not_paid'],
  ] as const)(
    'learn from staff how it went, after one was killed before the answer: %s',
    async (_, number, truth) => {
      await open();
      const killed = await payHeldBack(number);
      await world.shop.kill(killed);
      expect(await readAnswer()).toBe('bad_gateway');
      const begin = performance.now();
      expect(await open()).toBe('not_certain');
      expect(performance.now() - begin).toBeGreaterThan(LIMIT_MS / 2); // an answer could have come
      await world.shop.start(killed);
      for (let process = 0; process < 2; process++) expect(await open()).toBe('not_certain');
      world.proxy.faults.hold = undefined;

      await resolve(truth, (intentId) => `${intentId}x`);
      expect(await open()).toBe('not_certain');
      await resolve(truth);
      if (truth === 'not_paid') {
        expect(await open()).toBe('not_paid');
        expect(await pay(APPROVED)).toBe('paid');
      }
      for (let process = 0; process < 2; process++) expect(await open()).toBe('paid');
    },
  );
});
