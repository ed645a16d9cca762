/**
 * The package `cardseal-sandbox`: built, packed, installed into an empty folder and used from
 * there.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { FAULTS } from '../../../demo/service/faults.ts';
import { CardPayments } from '../../../src/checkout/index.ts';
import { encryptCard } from '../../../src/core/index.ts';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
const installed = join(folder, 'node_modules/cardseal-sandbox');
const read = (path: string) => readFileSync(path, 'utf8');
const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--offline', '--ignore-scripts', tarball()], folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** SANDBOX_TARBALL: a packed sandbox that is to be tested. Without it the sources are packed. */
function tarball(): string {
  if (process.env.SANDBOX_TARBALL) return resolve(root, process.env.SANDBOX_TARBALL);
  run(process.execPath, ['--import', 'tsx', 'demo/service/build.ts'], root);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  return join(folder, run('npm', [...args, './demo/service/dist'], root).trim());
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const NPX = ['npx', '--no-install', 'cardseal-sandbox'];
const DIRECTLY = [join(folder, 'node_modules/.bin/cardseal-sandbox')]; // npx takes seconds

/** `output` grows with what it prints. */
function start(args: string[], [command, ...first] = DIRECTLY) {
  const child = spawn(command!, [...first, ...args], { cwd: folder });
  children.push(child);
  const sandbox = { child, output: '', exit: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      sandbox.output += text;
    });
  }
  return sandbox;
}

const CARD = {
  number: '4242424242424242',
  name: 'Ada',
  exp_month: '12',
  exp_year: '2039',
  cvv: '123',
};

async function startOnFreePort(command = DIRECTLY, options: string[] = []) {
  const sandbox = start(['--port', '0', ...options], command);
  await expect.poll(() => sandbox.output, { timeout: 50_000 }).toContain('Ctrl-C stops it.');
  const address = /^Address: +(\S+)$/m.exec(sandbox.output)![1]!;
  const secretKey = /sk_test_\w+/.exec(sandbox.output)![0];
  return { ...sandbox, address, secretKey, text: () => sandbox.output };
}

test('installs alone: no dependency, no install script', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(
    ['cardseal-sandbox'],
  );
  const manifest = JSON.parse(read(join(installed, 'package.json')));
  const library = JSON.parse(read(join(root, 'package.json')));
  expect(manifest).toMatchObject({ version: library.version, license: library.license });
  expect(manifest.engines).toEqual({ node: '>=20.19' });
  expect(Object.keys(manifest).filter((field) => /dependencies|scripts/i.test(field))).toEqual([]);
  expect(readdirSync(join(installed, 'page')).sort()).toEqual(['page.css', 'page.html', 'page.js']);
  expect(readdirSync(installed).sort()).toEqual([
    'Containerfile',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-LICENSES.txt',
    'cardseal-sandbox.cjs',
    'package.json',
    'page',
  ]);
});

test('passes on the licence of each package that it bundles, and no path of the machine that built it', () => {
  const licenses = read(join(installed, 'THIRD-PARTY-LICENSES.txt'));
  const bundle = read(join(installed, 'cardseal-sandbox.cjs'));
  const bundled = new Set(
    [...bundle.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//gm)].map(
      ([, name]) => name!,
    ),
  );
  expect(bundled.size).toBeGreaterThan(10);
  for (const name of bundled) expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(bundle + licenses).not.toContain(root);
});

test('its Containerfile names files that are in the package and options that exist', () => {
  const lines = read(join(installed, 'Containerfile')).split('\n');
  const words = (instruction: string) =>
    lines.filter((line) => line.startsWith(instruction)).map((line) => line.split(/\s+/).slice(1));
  const copied = words('COPY').flatMap((names) => names.slice(0, -1));
  expect(copied).toEqual(['cardseal-sandbox.cjs', 'package.json', 'page']);
  for (const name of copied) expect(readdirSync(installed)).toContain(name);
  const [, command] = /^ENTRYPOINT (\[.*\])$/m.exec(lines.join('\n'))!;
  const [node, script, ...options] = JSON.parse(command!);
  expect([node, script]).toEqual(['node', 'cardseal-sandbox.cjs']);
  const usage = run(process.execPath, [join(installed, script), '--help'], folder);
  for (const option of options.filter((word: string) => word.startsWith('--')))
    expect(usage).toContain(`${option} <`);
});

test('docs/sandbox.md and --help have every fault, each with what happens', () => {
  const table = read(join(root, 'docs/sandbox.md'));
  const usage = run(process.execPath, [join(installed, 'cardseal-sandbox.cjs'), '--help'], folder);
  for (const [name, { what }] of Object.entries(FAULTS)) {
    expect(table).toContain(`| \`${name}\` | ${what} |`);
    expect(usage.split('\n')).toContain(`  ${name.padEnd(21)}  ${what}`);
  }
});

describe('npx cardseal-sandbox', () => {
  test('prints its address, test keys and test cards, and takes a payment with them', async () => {
    const { address, secretKey, text, child, exit } = await startOnFreePort(NPX);
    const payments = new CardPayments({ baseUrl: address, secretKey });
    const printed = [...text().matchAll(/^ {2}(\d{12,19}) {2}(\w+), (\w+)$/gm)];
    expect(printed.length).toBeGreaterThan(8);
    const [approved, declined] = ['approved', 'declined'].map(
      (wanted) => printed.find(([, , outcome]) => outcome === wanted)!,
    );
    for (const [, number, outcome, detail] of [approved!, declined!]) {
      const { id } = await payments.createIntent({ amount: 1000, currency: 'USD' });
      const card = { ...CARD, number: number! };
      const block = await encryptCard(await payments.createEncryptionKey(), card);
      const answer = await payments.authorize(id, block);
      const expected =
        outcome === 'approved'
          ? { status: 'committed', payment_method: { brand: detail, last4: number!.slice(-4) } }
          : { status: 'failed', failure_reason: detail };
      expect(answer).toMatchObject(expected);
    }
    expect(text()).toContain('POST /payments/card/:id/authorize 200');
    expect(text().split('Ctrl-C')[1]).not.toMatch(/sk_test_|4242/); // what it logs
    child.kill('SIGTERM'); // npx alone gets it
    await exit;
    await expect(fetch(address)).rejects.toThrow();
  });

  test('is not reached from another machine, and keeps nothing: an intent of the payment that its README has in one script is unknown to the next one', async () => {
    const { address, secretKey } = await startOnFreePort();
    const { hostname, port } = new URL(address);
    expect(hostname).toBe('127.0.0.1');
    const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    const outside = addresses.filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address: host } of [...outside, { address: '127.0.0.2' }]) {
      const socket = connect({ host, port: Number(port) });
      await expect(once(socket, 'connect'), host).rejects.toThrow();
      socket.destroy();
    }

    const [, script] = /```js\n(.*?)```/s.exec(read(join(installed, 'README.md')))!;
    writeFileSync(join(folder, 'payment.mjs'), script!);
    symlinkSync(root, join(folder, 'node_modules/cardseal'));
    const env = { ...process.env, SERVICE: address };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['payment.mjs'], { cwd: folder, env });
    expect(stdout).toBe('committed visa 4242\n');

    const list = async (address: string) => {
      const headers = { authorization: `Bearer ${secretKey}` };
      const { data } = await (await fetch(`${address}/payments/card`, { headers })).json();
      return data.length;
    };
    expect(await list(address)).toBe(1);
    expect(await list((await startOnFreePort()).address)).toBe(0);
  });

  test('has its page, under the names of this machine only', async () => {
    const { address, text } = await startOnFreePort();
    expect(text()).toContain(`Page:             ${address}/\n`);
    const page = await (await fetch(address)).text();
    expect(page).toContain('<option value="after-404">after-404: the answer is 404</option>');
    for (const file of ['page.js', 'page.css'])
      expect((await fetch(`${address}/sandbox/${file}`)).status).toBe(200);
    expect((await fetch(address.replace('127.0.0.1', 'localhost'))).status).toBe(200);
  });

  test('--host opens it with a warning; live-mode keys and other names stay refused', async () => {
    const options = ['--host', '0.0.0.0', '--allow-host', 'Sandbox'];
    const { address, text } = await startOnFreePort(DIRECTLY, options);
    expect(text()).toContain('WARNING: anyone who can reach this machine can use the sandbox.');
    const { port } = new URL(address);
    const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    const outside = all.find(({ internal, family }) => !internal && family === 'IPv4');
    const ask = (host: string, path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const options = { host, port, path, headers };
        const sent = request(options, (answer) => resolve(answer.resume().statusCode!));
        sent.on('error', reject).end();
      });
    for (const [host, status] of [
      ['sandbox:3001', 200],
      ['192.0.2.7', 200],
      ['shop.example', 403],
    ] as const)
      expect(await ask('127.0.0.1', '/sandbox', { host })).toBe(status);
    if (!outside) return; // a machine without a network
    const statusOf = (key: string) =>
      ask(outside.address, '/payments/card', { authorization: `Bearer ${key}` });
    const { secretKey, liveSecretKey } = ACCOUNTS[0];
    expect([await statusOf(secretKey), await statusOf(liveSecretKey)]).toEqual([200, 401]);
  });

  test.each([
    [['--host', 'shop.example'], '--host must be an IP address'],
    [['--fault', 'after-4O4'], '--fault must be one of the faults below that is for authorize'],
    [['--fault', 'after-404', '--fault-on', 'refund'], '--fault-on must be one of keys, create,'],
    [['--fault', 'after-other-scheme'], 'that is for authorize'],
    [['--state', '/dev/null'], '/dev/null is no file. Choose another one.'],
    [['--state', '/no/folder/state'], '/no/folder/state.lock cannot be made (ENOENT). Choose a'],
    [['--host', '192.0.2.1'], '192.0.2.1 is no address of this machine.'],
  ])('%j is refused with a word of advice', async (options, advice) => {
    const sandbox = start(['--port', '0', ...options]);
    expect(await sandbox.exit).toEqual([1, null]);
    expect(sandbox.output).toContain(advice);
    expect(sandbox.output).not.toContain('    at '); // a stack
  });

  test('--fault lets authorizations go wrong, --fault-times so many of them', async () => {
    const options = ['--fault', 'after-404', '--fault-times', '1'];
    const { address, secretKey, text } = await startOnFreePort(DIRECTLY, options);
    expect(text()).toContain('Goes wrong:       authorize: after-404: the answer is 404');
    const payments = new CardPayments({ baseUrl: address, secretKey });
    const pay = async () => {
      const { id } = await payments.createIntent({ amount: 1000, currency: 'USD' });
      const block = await encryptCard(await payments.createEncryptionKey(), { ...CARD });
      const answer = await payments.authorize(id, block).catch(({ status }) => ({ status }));
      const headers = { authorization: `Bearer ${secretKey}` };
      const intent = await fetch(`${address}/payments/card/${id}`, { headers });
      return [answer.status, ((await intent.json()) as { status: string }).status];
    };
    expect(await pay()).toEqual([404, 'committed']);
    expect(await pay()).toEqual(['committed', 'committed']);
    expect(text().match(/^Goes wrong: after-404 \(authorize\)$/gm)).toHaveLength(1);
  });
});
