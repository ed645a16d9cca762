/** The shops of the ports' READMEs, as they stand there: a session, a key, a payment, a delivery. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import type { FaultName } from '../../demo/service/faults.ts';
import { encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';

const PORTS = join(import.meta.dirname, '../../ports');
const service = createService({ generateKeyPair: recycledKeyPair });
let serviceAddress: string;
beforeAll(async () => {
  serviceAddress = await service.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

const snippet = (port: string, language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(
    readFileSync(join(PORTS, port, 'README.md'), 'utf8'),
  )![1]!;

/** Runs a shop in a folder, until the test is over. Returns its address and all that it says. */
async function run(folder: string, command: (port: number) => string[], cookiePath: string) {
  const port = await freePort();
  const [program, ...args] = command(port);
  const child = spawn(program!, args, {
    cwd: folder,
    env: {
      ...process.env,
      CARD_PAYMENTS_URL: serviceAddress,
      CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
      SESSION_KEY: 'of a test',
      PYTHONPATH: join(PORTS, 'python/src'),
    },
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

test('Python', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'shop.py'), snippet('python', 'python'));
  writeFileSync(join(folder, 'checkout.html'), '<form data-cardseal-url="/checkout"></form>');
  const flask = (port: number) => [
    '/usr/bin/python3',
    '-u',
    '-m',
    'flask',
    '--app',
    'shop',
    'run',
    '-p',
    String(port),
  ];
  const { address, said, cookie } = await run(folder, flask, '/');
  expect(await pay(`${address}/checkout`, cookie)).toBe('committed');
  expect(said.text).toMatch(/^paid [0-9a-f]{16} pi_card_\w+$/m);
});

describe('PHP', () => {
  /** The files of the README, by the names in their first lines, in a folder of their own. */
  function writeShop(): string {
    const folder = temporaryFolder();
    for (const sub of ['public', 'vendor']) mkdirSync(join(folder, sub));
    // What composer makes of composer.json, in two lines.
    const autoload = `spl_autoload_register(fn ($class) => require '${PORTS}/php/src/' . substr($class, 9) . '.php');`;
    writeFileSync(join(folder, 'vendor/autoload.php'), `<?php\n${autoload}\n`);
    const readme = readFileSync(join(PORTS, 'php/README.md'), 'utf8');
    for (const [, code, name] of readme.matchAll(/```php\n(<\?php \/\/ ([\w/.-]+):.*?)```/gs))
      writeFileSync(join(folder, name!), code!);
    return folder;
  }
  const server = (port: number) => ['php', '-S', `127.0.0.1:${port}`, '-t', 'public'];
  const script = (folder: string, name: string, ...args: string[]) => {
    const env = {
      ...process.env,
      CARD_PAYMENTS_URL: serviceAddress,
      CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
    };
    const child = spawn('php', [name, ...args], { cwd: folder, env });
    return Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
      ([output, errors, [status]]) => ({ output, errors, status }),
    );
  };
  const fault = (name: FaultName) =>
    service.sandbox.faults.arm('authorize', { fault: name, times: 1, slow_ms: 0 });

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
    const { output, errors, status } = await script(folder, 'sweep.php');
    expect(output).toMatch(/^Order [0-9a-f]{16}, intent pi_card_\w+: committed; left: nothing$/m);
    expect([errors, status]).toEqual([expect.stringMatching(/paid [0-9a-f]{16} pi_card_/), 0]);
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

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
