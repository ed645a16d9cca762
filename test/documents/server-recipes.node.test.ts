/**
 * Every program in docs/server-routes.md and docs/server-shop.md is written to a folder exactly as
 * it stands there, compiled, started and paid with.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createService } from '../../demo/service/app.ts';
import { type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { deferred } from '../support/deferred.ts';
import { findTraces } from '../support/find-card.ts';
import {
  cleanUp,
  makeProject,
  type Program,
  RECIPES,
  startProgram,
} from '../support/recipe-project.ts';

const root = join(import.meta.dirname, '../..');

const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '835',
};
const DECLINED = { ...VISA, number: '4000000000000002' };
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

afterAll(cleanUp);

// `npm run typecheck` compiles the recipes.
test.each([
  ['server-routes.md', ['server-express.ts', 'store.ts']],
  ['server-shop.md', ['shop.ts']],
  ['outcomes.md', ['page.ts']],
  ['limits.md', ['end.ts']],
  ['stores.md', ['store-postgres.ts', 'store-mysql.ts']],
  ['own-store.md', ['check-store.ts']],
  ['delivery.md', ['paid.ts']],
  ['settling.md', ['sweep.ts', 'resolve.ts']],
])('docs/%s shows the recipes as they are', (document, files) => {
  const page = readFileSync(join(root, 'docs', document), 'utf8');
  for (const file of files) {
    const text = readFileSync(join(RECIPES, file), 'utf8');
    expect(page).toContain(`\`\`\`ts\n// ${file}\n${text}\`\`\``);
  }
});

test('docs/stores.md shows the tables that the stores ask for', () => {
  const page = readFileSync(join(root, 'docs/stores.md'), 'utf8');
  for (const store of ['postgres', 'mysql']) {
    const source = readFileSync(join(root, `src/checkout/${store}-store.ts`), 'utf8');
    const [, table] = / \* ```sql\n(.*?) \* ```/s.exec(source)!;
    expect(page).toContain(`\`\`\`sql\n${table!.replaceAll(' * ', '')}\`\`\``);
  }
});

test('docs/own-store.md shows the store in Redis', () => {
  const page = readFileSync(join(root, 'docs/own-store.md'), 'utf8');
  const redis = readFileSync(join(root, 'test/interop/drivers/redis-store.mjs'), 'utf8');
  expect(page).toContain(redis.slice(redis.indexOf('const DUE')));
});

/** The Card Payment Service, and what the programs asked it for. */
const service = createService({ generateKeyPair: recycledKeyPair });
let serviceAddress: string;
let operations: string[] = [];
let loseAnswers = false;
/** Authorize is answered after this. */
let held: Promise<void> | undefined;
/** What the service refuses every request with, if it is set. */
let refusal: { status: number; code: string } | undefined;
service.addHook('preHandler', async (_, reply) => {
  if (refusal) return reply.code(refusal.status).send({ error: { code: refusal.code } });
});
service.addHook('onSend', async ({ routeOptions, raw }) => {
  const operation = routeOptions.url!.split('/').at(-1)!;
  operations.push(operation);
  if (operation === 'authorize') await held;
  if (loseAnswers && operation === 'authorize') raw.socket.destroy();
});
beforeAll(async () => {
  serviceAddress = await service.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  operations = [];
  loseAnswers = false;
  held = undefined;
  refusal = undefined;
});

const authorizations = () => operations.filter((operation) => operation === 'authorize').length;

afterAll(() => service.close());

/** What a browser does by itself: it keeps the cookie, which the page sets. */
class Shopper {
  cookie = '';

  constructor(public server: Program) {}

  async send(path: string, init: RequestInit = {}) {
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookie };
    const all = { method: 'POST', redirect: 'manual', ...init, headers } as RequestInit;
    const answer = await fetch(this.server.address + path, all);
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  open() {
    return this.send('/checkout', { method: 'GET' });
  }

  async requestKey(): Promise<CardEncryptionKey> {
    if (!this.cookie) await this.open();
    const { status, text, headers } = await this.send('/checkout/key');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    return JSON.parse(text);
  }

  async encrypt(card = VISA) {
    return JSON.stringify(await encryptCard(await this.requestKey(), { ...card }));
  }

  post(body: string, type = JSON_TYPE, accept = '*/*', signal: AbortSignal | null = null) {
    return this.send('/checkout/pay', { body, signal, headers: { 'content-type': type, accept } });
  }
}

describe.each([
  ['Fastify', 'server-fastify.ts', 'express'],
  ['Express 4', 'server-express.ts', 'express-4'],
  ['Express 5', 'server-express.ts', 'express'],
  ['Koa', 'server-koa.ts', 'express'],
  ['Hono', 'server-hono.ts', 'express'],
  ['web.ts', 'web.ts', 'express'],
])('with %s', (_, file, express) => {
  let server: Program;
  beforeAll(async () => {
    server = await startProgram(makeProject(express), file, serviceAddress);
  });
  afterEach(() => {
    expect(findTraces(server.output, VISA.number)).toEqual([]);
  });

  test('two first keys of one page are served, and either can pay, once', async () => {
    const ada = new Shopper(server);
    expect((await ada.open()).headers.get('set-cookie')).toMatch(/^order=[\w-]{36}; HttpOnly/);
    const [first, second] = await Promise.all([ada.encrypt(), ada.encrypt()]);
    const answers = await Promise.all([ada.post(first), ada.post(second), ada.post(first)]);
    expect(answers[0]!.text).toContain('"status":"committed"');
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]!.text]);
    expect(authorizations()).toBe(1);
    expect((await ada.open()).text).toContain('You have paid.');
    expect(await ada.send('/checkout/key')).toMatchObject({ status: 409, text: answers[0]!.text });
    expect((await ada.send('/checkout/new')).status).toBe(303);
    expect((await ada.post(await ada.encrypt())).text).toContain('committed');
  });

  test('a declined card is told, and another one pays by a form', async () => {
    const ada = new Shopper(server);
    const block = await ada.encrypt(DECLINED);
    for (let press = 0; press < 2; press++)
      expect((await ada.post(block)).text).toBe('{"status":"failed","reason":"card_declined"}');
    const form = new URLSearchParams({ encrypted_card: await ada.encrypt() }).toString();
    const { text } = await ada.post(form, FORM_TYPE, 'text/html');
    expect(text).toContain('Place another order');
  });

  test('a lost answer is not certain for every request, and no other order begins', async () => {
    const ada = new Shopper(server);
    const block = await ada.encrypt();
    loseAnswers = true;
    for (let press = 0; press < 2; press++)
      expect((await ada.post(block)).text).toContain('{"status":"not_certain","order":"');
    await ada.send('/checkout/new');
    expect((await ada.send('/checkout/key')).status).toBe(409);
    const [, id] = ada.cookie.split('=');
    expect((await ada.open()).text).toContain(`contact us about order ${id}.`);
    // Whoever has lost the cookie is told no order: the log has the key, which leads to it.
    const { key_id: key } = JSON.parse(block);
    const lost = (await new Shopper(server).post(block)).text;
    expect(JSON.parse(lost)).toEqual({ status: 'no_order', key_id: key });
    const lostPage = (await new Shopper(server).post(block, JSON_TYPE, 'text/html')).text;
    expect(lostPage).toContain('please contact us.');
    expect(server.output).toContain(`key "${key}": the order has no such key`);
    expect(server.output).toMatch(/Payment not certain: order "\S+", intent "pi_card_\w+"/);
    expect(authorizations()).toBe(1);
  });

  test('a card in clear text is neither logged nor sent back', async () => {
    const clear = JSON.stringify(VISA);
    const cut = clear.slice(0, 40);
    for (const [body, type, status] of [
      [clear, JSON_TYPE, 400],
      [cut, JSON_TYPE, 400],
      [new URLSearchParams(VISA).toString(), FORM_TYPE, 400],
      [`encrypted_card=${encodeURIComponent(cut)}`, FORM_TYPE, 400],
      [clear, 'text/plain', 400],
      [clear, `application/${VISA.number}`, 400],
      [clear.padEnd(9 * 1024), JSON_TYPE, 413],
    ] as const) {
      const answer = await new Shopper(server).post(body, type);
      expect({ body, type, status: answer.status }).toEqual({ body, type, status });
      const shown = answer.text + JSON.stringify([...answer.headers]);
      expect(findTraces(shown, VISA.number)).toEqual([]);
    }
  });

  test('a card in the address is neither logged nor sent back', async () => {
    for (const path of [`/pay?number=${VISA.number}`, `/${VISA.number}`, `/${VISA.number}/%zz`]) {
      const answer = await (await fetch(server.address + path)).text();
      expect(findTraces(answer, VISA.number)).toEqual([]);
    }
  });
});

test.each(['server-fastify.ts', 'server-express.ts', 'server-koa.ts'])(
  '%s ends on SIGTERM when the last payment has its outcome, also if its shopper has left',
  async (file) => {
    const server = await startProgram(makeProject(), file, serviceAddress);
    const [ada, grace] = [new Shopper(server), new Shopper(server)];
    const [block, other] = [await ada.encrypt(), await grace.encrypt()];
    const { promise, resolve: release } = deferred<void>();
    held = promise;
    const paid = ada.post(block);
    const leaving = new AbortController();
    const left = grace.post(other, JSON_TYPE, '*/*', leaving.signal);
    await expect.poll(authorizations).toBe(2);
    leaving.abort();
    await expect(left).rejects.toThrow();
    let hasEnded = false;
    const status = server.terminate().finally(() => {
      hasEnded = true;
    });
    // Over connections that are kept alive, as those of a proxy are.
    const knock = () => fetch(server.address).then((answer) => answer.text());
    const refused = () =>
      knock().then(
        () => false,
        () => true,
      );
    await expect.poll(refused).toBe(true);
    expect(hasEnded).toBe(false);
    release();
    expect((await paid).text).toContain('"status":"committed"');
    expect(await status).toBe(0);
    expect(server.output).not.toContain('not certain');
  },
);

/** Changes server-express.ts of a project. Each text stands there once. */
function editExpress(folder: string, changes: [search: string, replacement: string][]) {
  const file = join(folder, 'server-express.ts');
  let program = readFileSync(file, 'utf8');
  for (const [search, replacement] of changes) {
    expect(program.split(search)).toHaveLength(2);
    program = program.replace(search, replacement);
  }
  writeFileSync(file, program);
}

test('a page that names its order by docs/next-order.md pays no other one', async () => {
  const page = readFileSync(join(root, 'docs/next-order.md'), 'utf8');
  const [, named] = /^```ts\n(\/\/ named-order\.ts\n.*?)^```$/ms.exec(page)!;
  const [, after, before] = /`(orderOfPage\(.*?\))` in the place\nof `(orderOf\(.*?\))`/.exec(
    page,
  )!;
  const folder = makeProject();
  writeFileSync(join(folder, 'named-order.ts'), named!);
  editExpress(folder, [
    ['import express', "import { orderOfPage } from './named-order.js';\nimport express"],
    [`sendKey(${before}`, `sendKey(${after}`],
    [`takePayment(${before}`, `takePayment(${after}`],
  ]);
  const ada = new Shopper(await startProgram(folder, 'server-express.ts', serviceAddress));
  /** What a page of this order gets. */
  const askForKey = (order: string) => ada.send(`/checkout/key?order=${order}`);
  const pay = (order: string, body: string) =>
    ada.send(`/checkout/pay?order=${order}`, { body, headers: { 'content-type': JSON_TYPE } });
  const encryptFor = async (order: string) =>
    JSON.stringify(await encryptCard(JSON.parse((await askForKey(order)).text), { ...VISA }));
  const orderOfSession = () => ada.cookie.split('=')[1]!;

  await ada.open();
  const first = orderOfSession();
  expect((await pay(first, await encryptFor(first))).text).toContain('committed');
  await ada.send('/checkout/new'); // in another tab
  const second = orderOfSession();
  expect(second).not.toBe(first);

  expect(await askForKey(first)).toMatchObject({ status: 409, text: '{"status":"no_order"}' });
  const block = await encryptFor(second);
  expect((await pay(first, block)).text).toContain('"status":"no_order"');
  expect(authorizations()).toBe(1);
  expect((await pay(second, block)).text).toContain('committed');
});

test('by docs/next-order.md, a cart that has changed gets a new order unless the old one is paid, and one that has not when it is', async () => {
  const page = readFileSync(join(root, 'docs/next-order.md'), 'utf8');
  const folder = makeProject();
  for (const [, code, name] of page.matchAll(
    /^```ts\n(\/\/ (is-over\.ts|replace-order\.ts)\n.*?)^```$/gms,
  ))
    writeFileSync(join(folder, name!), code!);
  editExpress(folder, [
    [
      'import express',
      "import { isOver } from './is-over.js';\n" +
        "import { mayReplace } from './replace-order.js';\nimport express",
    ],
    ['import { orderOf,', 'import { orderCookie, orderOf,'],
    ["app.post(\n  '/checkout/pay'", `${CART_ROUTES}app.post(\n  '/checkout/pay'`],
  ]);
  const ada = new Shopper(await startProgram(folder, 'server-express.ts', serviceAddress));
  const block = await ada.encrypt();
  const old = ada.cookie;
  await ada.send('/checkout/changed');
  expect(ada.cookie).not.toBe(old);
  // The page of before is open in another tab, whose request has the old cookie.
  const tab = new Shopper(ada.server);
  tab.cookie = old;
  expect((await tab.post(block)).text).toContain('"status":"not_paid"');
  expect((await tab.send('/checkout/key')).text).toBe('{"status":"no_order"}');
  await tab.send('/checkout/new');
  expect(tab.cookie).not.toBe(old);
  expect(authorizations()).toBe(0);

  const next = await ada.encrypt();
  const { promise, resolve: release } = deferred<void>();
  held = promise;
  const payment = ada.post(next);
  await vi.waitFor(() => expect(authorizations()).toBe(1));
  const second = ada.cookie;
  const change = ada.send('/checkout/changed');
  release();
  expect((await payment).text).toContain('committed');
  await change;
  expect(ada.cookie).toBe(second);

  await ada.send('/cart/pressed');
  expect(ada.cookie).not.toBe(second);
  const third = ada.cookie;
  await ada.send('/cart/pressed'); // this one is not over
  expect(ada.cookie).toBe(third);
});

/** Routes for server-express.ts: the cart has changed; and the shopper wants to pay for it. */
const CART_ROUTES = [
  ['/checkout/changed', 'mayReplace'],
  ['/cart/pressed', 'isOver'],
]
  .map(
    ([path, isToBegin]) => `app.post(
  '${path}',
  route(async (request) => {
    const order = orderOf(request.get('cookie'));
    const isNew = !order || (await ${isToBegin}(order));
    const headers: Record<string, string> = isNew ? { 'set-cookie': orderCookie() } : {};
    return { status: 204, headers, body: '' };
  }),
);
`,
  )
  .join('');

/** Answers a payment after 300 ms, as a time limit of a shop or of `res.setTimeout` does. */
const TIME_LIMIT = `
import { Server as HttpServer } from 'node:http';
const { emit } = HttpServer.prototype;
HttpServer.prototype.emit = function (event, ...args) {
  if (event === 'request' && args[0].url === '/checkout/pay') {
    const [, response] = args;
    setTimeout(() => response.headersSent || response.writeHead(503).end('slow'), 300);
  }
  return emit.call(this, event, ...args);
};
`;

test.each([
  ['server-fastify.ts', 'express'],
  ['server-express.ts', 'express-4'],
  ['server-express.ts', 'express'],
  ['server-koa.ts', 'express'],
])('%s with %s goes on if a time limit has answered before it', async (file, express) => {
  const folder = makeProject(express);
  appendFileSync(join(folder, 'preload.mjs'), TIME_LIMIT);
  const server = await startProgram(folder, file, serviceAddress);
  const ada = new Shopper(server);
  const block = await ada.encrypt();
  const { promise, resolve: release } = deferred<void>();
  held = promise;
  expect(await ada.post(block)).toMatchObject({ status: 503, text: 'slow' });
  release();
  await expect.poll(async () => (await ada.open()).text).toContain('You have paid.');
  expect(await ada.open()).toMatchObject({ status: 200 });
});

test('after too many declines, the page does not ask for another card', async () => {
  const folder = makeProject();
  // An order gets six keys at once, and then one in five seconds.
  const clock = `
    const { now } = Date;
    const { emit } = Server.prototype;
    let ahead = 0;
    Date.now = () => now() + ahead;
    Server.prototype.emit = function (type, ...rest) {
      if (type === 'request') ahead += 5000;
      return emit.call(this, type, ...rest);
    };`;
  appendFileSync(join(folder, 'preload.mjs'), clock);
  const server = await startProgram(folder, 'server-express.ts', serviceAddress);
  const ada = new Shopper(server);
  for (let cards = 0; cards < 10; cards++) await ada.post(await ada.encrypt(DECLINED));
  const { text } = await ada.open();
  expect(text).toContain('no other card can be tried');
  expect(text).not.toContain('href="/checkout"');
});

test('the parser of the checkout leaves the other routes of the shop alone', async () => {
  const folder = makeProject();
  const cart =
    "app.post('/cart', express.json(), (request, response) => void response.json(request.body));";
  const before = "// Express's own answer";
  editExpress(folder, [[before, `${cart}\n${before}`]]);
  const server = await startProgram(folder, 'server-express.ts', serviceAddress);
  const body = JSON.stringify({ note: 'x'.repeat(10_000) });
  const answer = await new Shopper(server).send('/cart', {
    body,
    headers: { 'content-type': JSON_TYPE },
  });
  expect(answer).toMatchObject({ status: 200, text: body });
});

test('behind express.json(), blocks that come as JSON are refused, and an error logger gets the card', async () => {
  const folder = makeProject();
  editExpress(folder, [
    [
      "app.use('/checkout', express.text(",
      "app.use(express.json());\napp.use('/checkout', express.text(",
    ],
    ['if (status >= 500) console.error(error);', 'console.error(error);'],
  ]);
  const server = await startProgram(folder, 'server-express.ts', serviceAddress);
  const ada = new Shopper(server);
  expect((await ada.post(await ada.encrypt())).status).toBe(400);
  expect(authorizations()).toBe(0);
  const form = new URLSearchParams({ encrypted_card: await ada.encrypt() }).toString();
  expect((await ada.post(form, FORM_TYPE)).text).toContain('committed');
  expect(findTraces(server.output, VISA.number)).toEqual([]);
  await ada.post(JSON.stringify(VISA).slice(0, 40));
  await expect.poll(() => findTraces(server.output, VISA.number)).not.toEqual([]);
});
