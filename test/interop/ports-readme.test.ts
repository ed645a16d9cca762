/** The shops of the ports' READMEs, as they stand there: a session, a key, a payment, a delivery. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import type { FaultName } from '../../demo/service/faults.ts';
import { encryptCard } from '../../src/core/index.ts';
import { need } from '../../tools/prepare/browsers.ts';
import '../support/built.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { freePort } from '../support/loopback.ts';

const PORTS = join(import.meta.dirname, '../../ports');
const service = createService({ generateKeyPair: recycledKeyPair });
let serviceAddress: string;
beforeAll(async () => {
  serviceAddress = await service.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

/** The files of a README, by the names in their first lines. */
const filesOf = (port: string): [name: string, text: string][] => {
  const readme = readFileSync(join(PORTS, port, 'README.md'), 'utf8');
  const first = '(?:<\\?php //|#|<!--) ([\\w/-]+\\.(?:php|py|html))\\b';
  const files = readme.matchAll(
    new RegExp(`\`\`\`(?:php|python|html)\\n(${first}.*?)\`\`\``, 'gs'),
  );
  return [...files].map(([, text, name]) => [name!, text!]);
};

const environment = () => ({
  ...process.env,
  CARD_PAYMENTS_URL: serviceAddress,
  CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
  SESSION_KEY: 'of a test',
  PYTHONPATH: join(PORTS, 'python/src'),
  MYPYPATH: join(PORTS, 'python/src'),
});

/** Runs a shop in a folder, until the test is over. Returns its address and all that it says. */
async function run(folder: string, command: (port: number) => string[], cookiePath: string) {
  const port = await freePort();
  const [program, ...args] = command(port);
  const child = spawn(program!, args, {
    cwd: folder,
    env: environment(),
  });
  onTestFinished(() => void child.kill());
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said.text += chunk;
    });
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 150; tries++) {
    const page = await fetch(address + cookiePath).catch(() => undefined);
    if (page) return { address, said, cookie: page.headers.get('set-cookie')?.split(';')[0] ?? '' };
    await sleep(100);
  }
  throw new Error(said.text);
}

async function pay(route: string, cookie: string): Promise<string> {
  const asked = await fetch(route, { method: 'POST', headers: { cookie } });
  const { key } = (await asked.json()) as { key: never };
  const card = { number: '4242424242424242', name: 'Ada', exp_month: '12', exp_year: '2039' };
  const body = JSON.stringify(await encryptCard(key, { ...card, cvv: '123' }));
  const headers = { cookie, 'content-type': 'text/plain' };
  const paid = await fetch(route, { method: 'POST', headers, body });
  return ((await paid.json()) as { status: string }).status;
}

/** Runs a program of a README until it ends. */
async function runScript(folder: string, program: string, ...args: string[]) {
  const child = spawn(program, args, { cwd: folder, env: environment() });
  const ended = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { output, errors, status: (await ended)[0] as number };
}

const fault = (name: FaultName) =>
  service.sandbox.faults.arm('authorize', { fault: name, times: 1, slow_ms: 0 });

describe('Python', () => {
  const PYTHON = '/usr/bin/python3';
  const flask = (port: number) => `${PYTHON} -u -m flask --app shop run -p ${port}`.split(' ');

  function writeShop(): string {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'static'));
    copyFileSync(
      join(import.meta.dirname, '../../dist/cardseal.pay.js'),
      join(folder, 'static/cardseal.pay.js'),
    );
    for (const [name, text] of filesOf('python'))
      if (!name.includes('/')) writeFileSync(join(folder, name), text);
    return folder;
  }

  /** The button of the cart. Returns the cookie of the session. */
  async function beginOrder(address: string, cookie = ''): Promise<string> {
    const headers = { cookie };
    const begun = await fetch(`${address}/order`, { method: 'POST', headers, redirect: 'manual' });
    expect([begun.status, begun.headers.get('location')]).toEqual([302, '/pay']);
    return begun.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  }

  test('a declined card, a payment, the page of thanks, and the next order', async () => {
    const { address, said } = await run(writeShop(), flask, '/');
    const { from, path } = need('chromium');
    const browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const enter = async (number: string) => {
      await page.getByLabel('Card number').fill(number);
      await page.getByLabel('Name on card').fill('Ada');
      await page.getByLabel('Expiry date').fill('12/39');
      await page.getByLabel('Security code').fill('123');
      await page.getByRole('button', { name: 'Pay $24.90' }).click();
    };
    const thanks = page.getByText('Thank you. You have paid order');

    await page.goto(address);
    await page.getByRole('button', { name: 'Check out' }).click();
    await enter('4000000000000002');
    await page.getByText('Your card was declined.').waitFor();
    await page.goto(`${address}/thanks`);
    await page.waitForURL(`${address}/pay`);
    await enter('4242424242424242');
    await thanks.waitFor();
    const first = await thanks.textContent();
    expect(said.text).toMatch(/^paid [0-9a-f]{16} pi_card_\w+$/m);
    // A reload, and the page of the form, are of the same order.
    await page.reload();
    expect(await thanks.textContent()).toBe(first);
    await page.goto(`${address}/pay`);
    await page.waitForURL(`${address}/thanks`);
    // The next purchase is another order.
    await page.getByRole('link', { name: 'To the shop' }).click();
    await page.getByRole('button', { name: 'Check out' }).click();
    await enter('4242424242424242');
    await thanks.waitFor();
    expect(await thanks.textContent()).not.toBe(first);
    expect(said.text.match(/^paid /gm)).toHaveLength(2);
  });

  /** Begins an order and pays it, and the answer of the service is lost. */
  async function lose(kind: 'after-drop' | 'before-drop') {
    const folder = writeShop();
    const { address } = await run(folder, flask, '/');
    const cookie = await beginOrder(address);
    fault(kind);
    expect(await pay(`${address}/checkout`, cookie)).toBe('not_certain');
    return { folder, address, cookie };
  }

  test('an answer that is lost: no new order for the cart, and a sweep that settles', async () => {
    const { folder, address, cookie } = await lose('after-drop');
    // The shopper opens the cart again. The route still answers for the order that is not certain.
    const later = await beginOrder(address, cookie);
    const asked = await fetch(`${address}/checkout`, { headers: { cookie: later } });
    const { status, order } = (await asked.json()) as Record<string, string>;
    expect(status).toBe('not_certain');
    const home = temporaryFolder(); // where cron starts it
    const swept = await runScript(home, PYTHON, join(folder, 'sweep.py'));
    expect(swept.output).toMatch(
      new RegExp(`^Order ${order}, intent pi_card_\\w+: committed, left: nothing$`, 'm'),
    );
    expect([swept.output, swept.status]).toEqual([expect.stringContaining(`paid ${order}`), 0]);
    expect(await beginOrder(address, later)).not.toBe(later);
  });

  test('the order that staff have withdrawn: the cart begins another one', async () => {
    const folder = writeShop();
    const { address } = await run(folder, flask, '/');
    const cookie = await beginOrder(address);
    const asked = await fetch(`${address}/checkout`, { method: 'POST', headers: { cookie } });
    const { order } = (await asked.json()) as { order: string };
    expect(await beginOrder(address, cookie)).toBe(cookie);
    const program =
      'import sys; from shop import Order, checkout; ' +
      'print(checkout.withdraw(Order(sys.argv[1], 2490, "USD")).status.value)';
    const { output } = await runScript(folder, PYTHON, '-c', program, order);
    expect(output).toBe('no_order\n');
    const next = await beginOrder(address, cookie);
    expect(next).not.toBe(cookie);
    expect(await pay(`${address}/checkout`, next)).toBe('committed');
  });

  test('what nobody can look up is left to staff', async () => {
    const { folder } = await lose('before-drop');
    const file = join(folder, 'sweep.py');
    writeFileSync(file, readFileSync(file, 'utf8').replace('/payments/card/', '/none/'));
    const swept = await runScript(folder, PYTHON, 'sweep.py');
    expect(swept).toMatchObject({ output: expect.stringMatching(/left: look_up$/m), status: 1 });
  });

  test('the host that a look-up is redirected to does not get the secret key', async () => {
    const { folder } = await lose('before-drop');
    const asked: IncomingHttpHeaders[] = [];
    const other = await serve((request, response) => {
      asked.push(request.headers);
      response.writeHead(401).end();
    });
    const redirecting = await serve((_, response) => {
      response.writeHead(302, { location: other }).end();
    });
    const file = join(folder, 'sweep.py');
    const look = "os.environ['CARD_PAYMENTS_URL']";
    writeFileSync(file, readFileSync(file, 'utf8').replace(look, `'${redirecting}'`));
    const swept = await runScript(folder, PYTHON, 'sweep.py');
    expect(swept.output).toMatch(/left: look_up$/m);
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toHaveProperty('authorization');
  });

  test('a page of a proxy is no word about an intent', async () => {
    const { folder } = await lose('after-drop');
    const proxy = await serve((_, response) => void response.end(PROXY_PAGE));
    const file = join(folder, 'sweep.py');
    const look = "os.environ['CARD_PAYMENTS_URL']";
    writeFileSync(file, readFileSync(file, 'utf8').replace(look, `'${proxy}'`));
    expect((await runScript(folder, PYTHON, 'sweep.py')).output).toMatch(/left: look_up$/m);
  });

  test('its files pass mypy --strict', async () => {
    const folder = writeShop();
    const strict = [PYTHON, '-m', 'mypy', '--strict', '--cache-dir=/dev/null'] as const;
    const checked = await runScript(folder, ...strict, 'shop.py', 'sweep.py');
    expect(checked).toMatchObject({ output: expect.stringContaining('Success'), status: 0 });
  }, 300_000); // mypy reads the types of Flask
});

describe('PHP', () => {
  /** The files of the README, by the names in their first lines, in a folder of their own. */
  function writeShop(): string {
    const folder = temporaryFolder();
    for (const sub of ['public', 'vendor']) mkdirSync(join(folder, sub));
    // What composer makes of composer.json, in two lines.
    const autoload = `spl_autoload_register(fn ($class) => require '${PORTS}/php/src/' . substr($class, 9) . '.php');`;
    writeFileSync(join(folder, 'vendor/autoload.php'), `<?php\n${autoload}\n`);
    for (const [name, text] of filesOf('php')) writeFileSync(join(folder, name), text);
    return folder;
  }
  const server = (port: number) => ['php', '-S', `127.0.0.1:${port}`, '-t', 'public'];
  const script = (folder: string, ...args: string[]) => runScript(folder, 'php', ...args);

  test('a page, a key, a payment, a delivery', async () => {
    const folder = writeShop();
    const { address, said, cookie } = await run(folder, server, '/');
    const page = await (await fetch(address, { headers: { cookie } })).text();
    expect(page).toContain('<form data-cardseal-url="/checkout.php">');
    expect(await pay(`${address}/checkout.php`, cookie)).toBe('committed');
    expect(said.text).toMatch(/paid [0-9a-f]{16} pi_card_\w+/);
    expect(await script(folder, 'check-store.php')).toMatchObject({
      output: 'Nothing was found.\n',
      status: 0,
    });
  });

  test('an answer that is lost, and a sweep that settles and delivers', async () => {
    const folder = writeShop();
    const { address, cookie } = await run(folder, server, '/');
    fault('after-drop');
    expect(await pay(`${address}/checkout.php`, cookie)).toBe('not_certain');
    const begin = async () => {
      const headers = { cookie };
      await fetch(`${address}/order.php`, { method: 'POST', headers, redirect: 'manual' });
      const asked = await fetch(`${address}/checkout.php`, { headers });
      return ((await asked.json()) as { status: string }).status;
    };
    expect(await begin()).toBe('not_certain'); // the cart begins no other order
    const { output, errors, status } = await script(folder, 'sweep.php');
    expect(output).toMatch(/^Order [0-9a-f]{16}, intent pi_card_\w+: committed; left: nothing$/m);
    expect([errors, status]).toEqual([expect.stringMatching(/paid [0-9a-f]{16} pi_card_/), 0]);
    expect(await begin()).toBe('open'); // the next order
  });

  test('a page of a proxy is no word about an intent', async () => {
    const folder = writeShop();
    const { address, cookie } = await run(folder, server, '/');
    fault('after-drop');
    expect(await pay(`${address}/checkout.php`, cookie)).toBe('not_certain');
    const proxy = await serve((_, response) => void response.end(PROXY_PAGE));
    const file = join(folder, 'sweep.php');
    const look = "getenv('CARD_PAYMENTS_URL')";
    writeFileSync(file, readFileSync(file, 'utf8').replace(look, `'${proxy}'`));
    expect((await script(folder, 'sweep.php')).output).toMatch(/left: look_up$/m);
  });

  test('a service that has no such look-up, and what staff say', async () => {
    const folder = writeShop();
    const { address, cookie } = await run(folder, server, '/');
    fault('before-drop');
    expect(await pay(`${address}/checkout.php`, cookie)).toBe('not_certain');
    const file = join(folder, 'sweep.php');
    writeFileSync(file, readFileSync(file, 'utf8').replace('/payments/card/', '/none/'));
    const swept = await script(folder, 'sweep.php');
    const found = /^Order (\w+), intent (\w+): not_certain; left: look_up$/m.exec(swept.output)!;
    expect([swept.status, swept.errors]).toEqual([1, expect.stringContaining('JsonException at')]);
    const resolved = await script(folder, 'resolve.php', found[1]!, found[2]!, 'not_paid');
    expect(resolved.output).toBe(`Order ${found[1]}: open\n`);
  });
});

/** JSON, but not the service's. */
const PROXY_PAGE = JSON.stringify({ status: 'failed', error: 'upstream timeout' });

/** A server, until the test is over. Returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
