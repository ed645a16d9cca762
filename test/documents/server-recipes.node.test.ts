/**
 * Every program in docs/server.md is written to a folder exactly as it stands there, compiled,
 * started and paid with.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { JSDOM } from 'jsdom';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { parseEncryptedCard } from '../../src/server/index.ts';
import { recycledKeyPair } from '../tools/support/card-payment-service.ts';
import { findTraces } from '../tools/support/find-card.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/server.md'), 'utf8');

/** The programs by the name that their first line gives them. */
const programs = new Map(
  [...page.matchAll(/^```ts\n(\/\/ (\S+)\n.*?)^```$/gms)].map(([, text, file]) => [file!, text!]),
);

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

mkdirSync(join(root, 'reports'), { recursive: true });
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/**
 * A project with all programs of the page. `express`: the installed package that is to be `express`
 * in it.
 */
function makeProject(express = 'express'): string {
  const folder = mkdtempSync(join(root, 'reports/server-'));
  folders.push(folder);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of programs) write(file, text);
  write('card-payments.ts', readFileSync(join(root, 'src/checkout/index.ts'), 'utf8'));
  write('package.json', '{ "type": "module", "private": true }');
  const paths = {}; // the built package, not the sources
  const types = ['node'];
  const compilerOptions = { paths, types, noUnusedLocals: false, moduleDetection: 'force' };
  const extended = '../../tsconfig.json';
  write('tsconfig.json', JSON.stringify({ extends: extended, compilerOptions, include: ['.'] }));
  // Every console.error shows all properties of an error, hidden ones, too, as a thorough error
  // logger would.
  write('deep.mjs', DEEP);
  write('serve.ts', SERVE);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules', express), join(folder, 'node_modules/express'));
  symlinkSync(root, join(folder, 'node_modules/cardseal'));
  return folder;
}

const DEEP = `import { inspect } from 'node:util';
Object.assign(inspect.defaultOptions, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity });
`;

/** Serves a function Request -> Response, as the platform of such a program does. */
const SERVE = `import { createServer } from 'node:http';
const program = await import(process.env.PROGRAM!);
const handle = program.POST ?? program.default.fetch;
createServer(async (incoming, outgoing) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const address = new URL(process.env.PREFIX + incoming.url!, 'http://localhost');
  const headers = incoming.headers as Record<string, string>;
  const body = incoming.method === 'POST' ? Buffer.concat(chunks) : null;
  const request = new Request(address, { method: incoming.method!, headers, body });
  let answer: Response;
  try {
    answer = await handle(request);
  } catch (error) {
    console.error(error);
    answer = new Response(null, { status: 500 });
  }
  outgoing.writeHead(answer.status, [...answer.headers].flat());
  outgoing.end(await answer.text());
}).listen(Number(process.env.PORT));
`;

test('the page has the programs that are tested here, and they compile as they stand', () => {
  expect([...programs.keys()].sort()).toEqual(
    [
      'app/checkout/[step]/route.ts',
      'card-server.ts', // test/documents/snippets.node.test.ts runs it
      'checkout-page.ts',
      'checkout.ts',
      'server-express.ts',
      'server-fastify.ts',
      'server-hono.ts',
      'server-koa.ts',
    ].sort(),
  );
  const folder = makeProject();
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [compiler, '--project', folder], { encoding: 'utf8' });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
});

/** The Card Payment Service, and what the programs asked it for. */
const service = createService({ generateKeyPair: recycledKeyPair });
let serviceAddress: string;
let operations: string[] = [];
let loseAnswers = false;
/** Holds the answers to an operation back, if it is set. */
let hold: { operation: string; until: Promise<void> } | undefined;
/** What the service refuses every request with, if it is set. */
let refusal: { status: number; code: string } | undefined;
service.addHook('preHandler', async (_, reply) => {
  if (refusal) return reply.code(refusal.status).send({ error: { code: refusal.code } });
});
service.addHook('onSend', async ({ routeOptions, raw }) => {
  const operation = routeOptions.url!.split('/').at(-1)!;
  operations.push(operation);
  if (operation === hold?.operation) await hold.until;
  if (loseAnswers && operation === 'authorize') raw.socket.destroy();
});
beforeAll(async () => {
  serviceAddress = await service.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  operations = [];
  loseAnswers = false;
  hold = undefined;
  refusal = undefined;
});

/** Makes an operation slow until the function is called that it returns. */
function slow(operation: string): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  hold = { operation, until };
  return release;
}

const authorizations = () => operations.filter((operation) => operation === 'authorize').length;

const running: ChildProcess[] = [];
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await service.close();
});

/** Starts a program of the project in a process of its own. */
async function startProgram(folder: string, file: string) {
  const isHandler = file.includes('hono') || file.includes('route');
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PORT: String(port),
    CARD_PAYMENTS_URL: serviceAddress,
    CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
    PROGRAM: `./${file}`,
    PREFIX: file.includes('route') ? '/checkout' : '',
  };
  const main = isHandler ? 'serve.ts' : file;
  const args = ['--import', './deep.mjs', '--import', 'tsx', `./${main}`];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' });
  running.push(child);
  const server = { address: `http://127.0.0.1:${port}`, output: '', stop };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      server.output += text;
    });
  }
  const isReady = async () => {
    if (!(await isUp(server.address, child))) throw new Error(`Not up yet:\n${server.output}`);
  };
  await vi.waitFor(isReady, { timeout: 30_000, interval: 50 });
  return server;

  async function stop() {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

type Server = Awaited<ReturnType<typeof startProgram>>;

async function isUp(address: string, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('The program ended');
  return fetch(address).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** What a browser does by itself: it keeps the cookie. */
class Shopper {
  cookie = '';

  constructor(public server: Server) {}

  async send(path: string, init: RequestInit = {}) {
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookie };
    const answer = await fetch(this.server.address + path, { ...init, method: 'POST', headers });
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async requestKey(): Promise<CardEncryptionKey> {
    const { status, text } = await this.send('/card-key');
    expect(status).toBe(200);
    return JSON.parse(text);
  }

  async encrypt(card = VISA) {
    return encryptCard(await this.requestKey(), { ...card });
  }

  post(body: string, type = JSON_TYPE, accept = '*/*') {
    return this.send('/pay', { body, headers: { 'content-type': type, accept } });
  }

  /** Presses "Place another order". */
  startOrder() {
    return this.send('/new-order', { redirect: 'manual' });
  }

  async pay(card = VISA) {
    const { text } = await this.post(JSON.stringify(await this.encrypt(card)));
    return JSON.parse(text);
  }
}

describe.each([
  ['Fastify', 'server-fastify.ts', 'express'],
  ['Express 4', 'server-express.ts', 'express-4'],
  ['Express 5', 'server-express.ts', 'express'],
  ['Koa', 'server-koa.ts', 'express'],
  ['Hono', 'server-hono.ts', 'express'],
  ['a Next.js route handler', 'app/checkout/[step]/route.ts', 'express'],
])('with %s', (_, file, express) => {
  let server: Server;
  let shopper: Shopper;
  beforeAll(async () => {
    const folder = makeProject(express);
    server = await startProgram(folder, file);
  });
  afterEach(() => {
    expect(findTraces(server.output, VISA.number)).toEqual([]);
  });

  test('a page gets the three fields of a key, which no cache keeps, and a fresh cookie each time', async () => {
    shopper = new Shopper(server);
    const { text, headers } = await shopper.send('/card-key');
    expect(Object.keys(JSON.parse(text))).toEqual(['id', 'scheme', 'public_key']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toMatch(/^checkout=[\w-]{36};/);
    expect(headers.get('set-cookie')).toMatch(/; ?httponly/i);
    expect(headers.get('set-cookie')).toMatch(/; ?samesite=lax/i);
    const before = shopper.cookie;
    await shopper.requestKey();
    expect(shopper.cookie).not.toBe(before);
  });

  test('a card is charged once, the same block gets the same answer, and an order that the shopper begins is paid, too', async () => {
    shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt());
    const answers = await Promise.all([shopper.post(block), shopper.post(block)]);
    answers.push(await shopper.post(block));
    expect(answers[0]!.text).toContain('"status":"committed"');
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]!.text]);
    expect(await shopper.send('/card-key')).toMatchObject({ status: 409, text: answers[0]!.text });
    expect(authorizations()).toBe(1);
    const { status, headers } = await shopper.startOrder();
    expect([status, headers.get('location')]).toEqual([303, '/checkout']);
    const next = await shopper.pay();
    expect(next.status).toBe('committed');
    expect(next.reference).not.toBe(JSON.parse(answers[0]!.text).reference);
    expect((await shopper.post(block)).text).toBe(answers[0]!.text); // of the first order, still
  });

  test('of two forms that ask for their first key at once, one pays, and the other is not charged and pays again', async () => {
    const [first, second] = [new Shopper(server), new Shopper(server)];
    const blocks = await Promise.all([first.encrypt(), second.encrypt()]);
    shopper = second; // the browser keeps the cookie of the last answer
    const [lost, kept] = blocks.map((block) => JSON.stringify(block));
    expect(JSON.parse((await shopper.post(lost!)).text)).toEqual({ status: 'expired' });
    expect(authorizations()).toBe(0);
    expect(JSON.parse((await shopper.post(kept!)).text)).toMatchObject({ status: 'committed' });
    const foreign = await first.post(kept!); // what became of it is not for another shopper
    expect(JSON.parse(foreign.text)).toEqual({ status: 'not_certain' });
  });

  test('a declined card is told, and another one pays', async () => {
    shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt(DECLINED));
    for (let press = 0; press < 2; press++) {
      const { text } = await shopper.post(block);
      expect(JSON.parse(text)).toEqual({ status: 'failed', reason: 'card_declined' });
    }
    expect(await shopper.pay()).toMatchObject({ status: 'committed' });
  });

  test('a payment that the service refuses is not paid, with one line of codes in the log', async () => {
    shopper = new Shopper(server);
    const { payload, ...block } = await shopper.encrypt();
    const other = payload.startsWith('AAAA') ? 'BAAA' : 'AAAA'; // which cannot be decrypted
    const { text } = await shopper.post(
      JSON.stringify({ payload: other + payload.slice(4), ...block }),
    );
    expect(JSON.parse(text)).toEqual({ status: 'not_paid' });
    const codes =
      /Authorization failed: pi_card_\w+ CardPaymentsError check_layout 422 invalid_encryption_block/;
    await expect.poll(() => server.output).toMatch(codes);
    expect(await shopper.pay()).toMatchObject({ status: 'committed' });
  });

  test('a secret key that the service refuses is 502 for the browser, and a line in the log', async () => {
    shopper = new Shopper(server);
    refusal = { status: 401, code: 'invalid_api_key' };
    const { status, text } = await shopper.send('/card-key');
    expect([status, text]).toEqual([502, '{"status":"no_key"}']);
    await expect.poll(() => server.output).toContain('No key CardPaymentsError not_specified 401');
    refusal = undefined;
    expect(await shopper.pay()).toMatchObject({ status: 'committed' });
  });

  test('a form that the browser sends gets a page: urlencoded', async () => {
    shopper = new Shopper(server);
    const encrypted_card = JSON.stringify(await shopper.encrypt());
    const form = new URLSearchParams({ email: 'ada@example.com', encrypted_card });
    const { status, text, headers } = await shopper.post(
      form.toString(),
      FORM_TYPE,
      'text/html,*/*',
    );
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Thank you. You have paid.');
    const button = new JSDOM(text).window.document.querySelector('form[method=post]')!;
    const path = file.includes('route') ? '/checkout/pay' : '/pay';
    const action = new URL(button.getAttribute('action')!, `http://shop${path}`).pathname;
    expect(action).toBe(path.replace('pay', 'new-order'));
  });

  test('a form that a script sends with new FormData(form) pays: multipart', async () => {
    shopper = new Shopper(server);
    const encrypted_card = JSON.stringify(await shopper.encrypt());
    const form = new FormData();
    form.set('name', 'Zoë');
    form.set('encrypted_card', encrypted_card);
    const { text } = await shopper.send('/pay', { body: form });
    expect(JSON.parse(text)).toMatchObject({ status: 'committed' });
  });

  const clear = JSON.stringify(VISA);
  const boundary = 'multipart/form-data; boundary=b';
  test.each([
    ['JSON', clear, JSON_TYPE, 400],
    ['truncated JSON', clear.slice(0, 40), JSON_TYPE, 400],
    ['a form', new URLSearchParams(VISA).toString(), FORM_TYPE, 400],
    [
      'the field of the block',
      new URLSearchParams({ encrypted_card: clear }).toString(),
      FORM_TYPE,
      400,
    ],
    [
      'truncated JSON in a form',
      `encrypted_card=${encodeURIComponent(clear.slice(0, 40))}`,
      FORM_TYPE,
      400,
    ],
    [
      'a multipart form',
      `--b\r\ncontent-disposition: form-data; name="number"\r\n\r\n${VISA.number}\r\n--b--`,
      boundary,
      400,
    ],
    [
      'a truncated multipart form',
      `--b\r\ncontent-disposition: form-data; name="${VISA.number}`,
      boundary,
      400,
    ],
    ['plain text', clear, 'text/plain', 400],
    ['the content type', clear, `application/${VISA.number}`, 400],
    ['more than 8 KiB', clear.padEnd(9 * 1024), JSON_TYPE, 413],
  ])(
    'a card in clear text is neither logged, sent back nor sent on: in %s',
    async (_, body, type, status) => {
      shopper = new Shopper(server);
      await shopper.requestKey();
      operations = [];
      const answer = await shopper.post(body, type);
      expect(answer.status).toBe(status);
      const shown = answer.text + JSON.stringify([...answer.headers]) + server.output;
      expect(findTraces(shown, VISA.number)).toEqual([]);
      if (status === 400) expect(server.output).toContain('Refused: invalid_encrypted_card');
      expect(operations).toEqual([]);
    },
  );

  test('a body without a length is refused, if it is longer than 8 KiB', async () => {
    const body = new Blob([clear.padEnd(9 * 1024)]).stream();
    const headers = { 'content-type': JSON_TYPE };
    const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit;
    expect((await fetch(`${server.address}/pay`, init)).status).toBe(413);
  });

  test.each([`/pay?number=${VISA.number}`, `/${VISA.number}`, `/${VISA.number}/%zz`])(
    'a card in the address is not logged: %s',
    async (path) => {
      await (await fetch(server.address + path)).text();
      await new Shopper(server).requestKey(); // what was logged before it has arrived
      expect(findTraces(server.output, VISA.number)).toEqual([]);
    },
  );

  test('a block under a key that the server does not know ends on "not certain"', async () => {
    shopper = new Shopper(server);
    const block = JSON.stringify({ ...(await shopper.encrypt()), key_id: 'cek_of_before' });
    const stranger = new Shopper(server);
    expect((await stranger.post(block)).text).toBe('{"status":"not_certain"}');
    const form = new URLSearchParams({ encrypted_card: block }).toString();
    const { text } = await stranger.post(form, FORM_TYPE, 'text/html');
    expect(text).toContain('It is not certain whether you have paid.');
    expect(text).not.toContain('<form');
    expect(operations).not.toContain('authorize');
  });
});

test('a page can hold the key', async () => {
  const folder = makeProject();
  const file = join(folder, 'server-express.ts');
  const program = readFileSync(file, 'utf8');
  const routes = "app.post('/card-key'";
  expect(program).toContain(routes);
  const added = "import { checkoutPage } from './checkout-page.ts';\n";
  writeFileSync(file, added + program.replace(routes, `app.use(checkoutPage);\n\n${routes}`));
  const server = await startProgram(folder, 'server-express.ts');
  const answer = await fetch(`${server.address}/checkout`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const shopper = new Shopper(server);
  shopper.cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  const { window } = new JSDOM(await answer.text());
  const form = window.document.querySelector('form')!;
  const key = JSON.parse(form.getAttribute('data-cardseal-key')!);
  const block = await encryptCard(key, { ...VISA });
  const encrypted_card = JSON.stringify(block);
  const body = new URLSearchParams({ encrypted_card }).toString();
  const { text } = await shopper.post(body, FORM_TYPE, 'text/html');
  expect(text).toContain('Thank you. You have paid.');
  const reloaded = await fetch(`${server.address}/checkout`, {
    headers: { cookie: shopper.cookie },
  });
  expect(reloaded.status).toBe(409);
  const shown = await reloaded.text();
  expect(shown).toContain('Thank you. You have paid.');
  expect(shown).not.toContain('<input');

  refusal = { status: 401, code: 'invalid_api_key' };
  const unavailable = await fetch(`${server.address}/checkout`);
  expect(unavailable.status).toBe(502);
  expect(await unavailable.text()).toContain('not available');
});

describe('the checkout', () => {
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = makeProject();
    server = await startProgram(folder, 'server-fastify.ts');
  });

  test('asks for no card again when the answer of the service is lost', async () => {
    const shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt());
    loseAnswers = true;
    for (let press = 0; press < 2; press++) {
      expect((await shopper.post(block)).text).toBe('{"status":"not_certain"}');
    }
    expect(authorizations()).toBe(1);
    const uncertain = { status: 409, text: '{"status":"not_certain"}' };
    expect(await shopper.send('/card-key')).toMatchObject(uncertain);
    await shopper.startOrder();
    expect(await shopper.send('/card-key')).toMatchObject(uncertain);
    expect(server.output).toMatch(/Payment not certain: pi_card_\w+/);
  });

  test('charges once when the shopper reloads during a slow payment, and shows how it went', async () => {
    const shopper = new Shopper(server);
    const body = JSON.stringify(await shopper.encrypt());
    const release = slow('authorize');
    const stop = new AbortController();
    const headers = { 'content-type': JSON_TYPE };
    const paying = shopper.send('/pay', { body, headers, signal: stop.signal }).catch(() => {});
    await expect.poll(authorizations).toBe(1);
    stop.abort();
    await paying;
    await shopper.startOrder(); // no other order begins while a payment is under way
    const reloaded = shopper.send('/card-key');
    setTimeout(release, 300);
    const { status, text } = await reloaded;
    expect([status, JSON.parse(text)]).toMatchObject([409, { status: 'committed' }]);
    expect(await shopper.send('/card-key')).toMatchObject({ status, text });
    expect(authorizations()).toBe(1);
  });

  test('charges once when two tabs are reloaded during a slow payment', async () => {
    const shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt());
    const tabs = [new Shopper(server), new Shopper(server)];
    for (const tab of tabs) tab.cookie = shopper.cookie;
    const release = slow('authorize');
    const paying = shopper.post(block);
    await expect.poll(authorizations).toBe(1);
    const reloaded = Promise.all(tabs.map((tab) => tab.send('/card-key')));
    setTimeout(release, 300);
    const { text } = await paying;
    expect(text).toContain('committed');
    for (const answer of await reloaded) expect(answer).toMatchObject({ status: 409, text });
    expect(authorizations()).toBe(1);
  });

  test('gives a key to a page that was reloaded during a payment that is then declined', async () => {
    const shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt(DECLINED));
    const release = slow('authorize');
    const paying = shopper.post(block);
    await expect.poll(authorizations).toBe(1);
    const reloaded = shopper.requestKey();
    setTimeout(release, 300);
    expect((await paying).text).toContain('card_declined');
    const next = JSON.stringify(await encryptCard(await reloaded, { ...VISA }));
    expect((await shopper.post(next)).text).toContain('committed');
  });

  test('gives no key to a tab that asked before the payment of another tab began', async () => {
    const shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt());
    const tab = new Shopper(server);
    tab.cookie = shopper.cookie;
    const release = slow('encryption-keys');
    const asked = tab.send('/card-key');
    const keys = () => operations.filter((operation) => operation === 'encryption-keys').length;
    await expect.poll(keys).toBe(2);
    const { text } = await shopper.post(block);
    release();
    expect(await asked).toMatchObject({ status: 409, text });
  });

  test('begins one order, however often the shopper asks for one', async () => {
    const shopper = new Shopper(server);
    const first = await shopper.pay();
    await shopper.startOrder();
    const block = JSON.stringify(await shopper.encrypt());
    await shopper.startOrder(); // a second press, or the button of another tab
    const second = JSON.parse((await shopper.post(block)).text);
    expect(second.status).toBe('committed');
    expect(second.reference).not.toBe(first.reference);
    expect(await shopper.send('/card-key')).toMatchObject({ status: 409 });
    expect(authorizations()).toBe(2);
  });

  test("asks for the card again when the key has expired by the service's clock", async () => {
    const shopper = new Shopper(server);
    const block = JSON.stringify(await shopper.encrypt());
    refusal = { status: 422, code: 'encryption_key_expired' };
    expect((await shopper.post(block)).text).toBe('{"status":"expired"}');
    refusal = undefined;
    expect(await shopper.pay()).toMatchObject({ status: 'committed' });
  });

  test('repeats no address, and logs the route instead', async () => {
    for (const path of [`/pay?number=${VISA.number}`, `/${VISA.number}`, `/${VISA.number}/%zz`]) {
      const answer = await (await fetch(server.address + path)).text();
      expect(findTraces(answer, VISA.number)).toEqual([]);
    }
    await new Shopper(server).requestKey();
    await expect.poll(() => server.output).toContain('"req":{"method":"POST","route":"/card-key"}');
    expect(findTraces(server.output, VISA.number)).toEqual([]);
  });

  test('charges one order once, although two tabs have a key each', async () => {
    const shopper = new Shopper(server);
    const blocks = [await shopper.encrypt(), await shopper.encrypt()];
    const [first, second] = await Promise.all(
      blocks.map((block) => shopper.post(JSON.stringify(block))),
    );
    expect(first!.text).toContain('committed');
    expect(second!.text).toBe(first!.text);
    expect(authorizations()).toBe(1);
  });

  test('charges the card of one tab after that of another tab was declined', async () => {
    const shopper = new Shopper(server);
    const declined = await shopper.encrypt(DECLINED);
    const good = await shopper.encrypt();
    const answers = await Promise.all(
      [declined, good].map((block) => shopper.post(JSON.stringify(block))),
    );
    expect(answers.map(({ text }) => JSON.parse(text).status)).toEqual(['failed', 'committed']);
    expect(authorizations()).toBe(2);
  });

  test('does not show a payment to a cookie of before its key', async () => {
    const [ada, eve] = [new Shopper(server), new Shopper(server)];
    await ada.requestKey();
    eve.cookie = ada.cookie;
    const block = JSON.stringify(await ada.encrypt());
    expect((await ada.post(block)).text).toContain('committed');
    expect((await eve.post(block)).text).toBe('{"status":"not_certain"}');
  });

  test('says "not certain" of a block that was charged before a restart, and charges nothing', async () => {
    const first = await startProgram(folder, 'server-fastify.ts');
    const shopper = new Shopper(first);
    const block = JSON.stringify(await shopper.encrypt());
    expect((await shopper.post(block)).text).toContain('committed');
    await first.stop();
    shopper.server = await startProgram(folder, 'server-fastify.ts');
    expect((await shopper.post(block)).text).toBe('{"status":"not_certain"}');
    expect(authorizations()).toBe(1);
  });
});

test.each([
  ['express-4', `express.text({ type: () => true, limit: '8kb' })`, 'express.json()'],
  ['express', `express.text({ type: () => true, limit: '8kb' })`, 'express.json()'],
])(
  'control: with %s and its own JSON parser, the same search finds the card in what the server prints',
  async (express, text, json) => {
    const folder = makeProject(express);
    const file = join(folder, 'server-express.ts');
    const program = readFileSync(file, 'utf8');
    expect(program).toContain(text);
    writeFileSync(file, program.replace(text, json));
    const server = await startProgram(folder, 'server-express.ts');
    await new Shopper(server).post(JSON.stringify(VISA).slice(0, 40));
    await expect
      .poll(() => findTraces(server.output, VISA.number), { timeout: 30_000 })
      .not.toEqual([]);
  },
);

test('JSON text counts only as JSON.stringify writes it; the parsed object is accepted', async () => {
  const { pack } = await block();
  const expected = { keyId: pack.key_id, expiresAt: Date.now() + 60_000 };
  const accepts = (input: unknown) => {
    try {
      return Boolean(parseEncryptedCard(input, expected));
    } catch {
      return false;
    }
  };
  const compact = JSON.stringify(pack);
  const others = {
    'pretty-printed': JSON.stringify(pack, null, 2),
    'as json.dumps of Python writes it': compact.replaceAll(/([,:])(?=["[{\d])/g, '$1 '),
    'as json_encode of PHP writes it': compact.replaceAll('/', '\\/'),
  };
  expect(accepts(compact)).toBe(true);
  for (const [name, text] of Object.entries(others)) {
    expect(JSON.parse(text)).toEqual(pack);
    expect({ name, text: accepts(text), parsed: accepts(JSON.parse(text)) }).toEqual({
      name,
      text: false,
      parsed: true,
    });
  }
});

/** A block with a `/` in its Base64, as nearly all have. */
async function block() {
  for (;;) {
    const { public_key } = JSON.parse(readFileSync(join(root, 'test/vectors/keys.json'), 'utf8'))
      .rsa[0];
    const key = { id: `cek_test_${Math.random()}`, scheme: 'RSA_OAEP_SHA256_V1', public_key };
    const pack = await encryptCard(key, { ...VISA });
    if (pack.payload.includes('/')) return { pack };
  }
}
