/**
 * The ports in real servers with real databases: php-fpm behind nginx, gunicorn with processes and
 * with threads, uvicorn. Whatever ends a server, no order is charged twice, and each paid order is
 * delivered.
 */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import type { CardPaymentIntent } from '../../demo/service/schemas.ts';
import { type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { freePort } from '../support/loopback.ts';
import { startMariadb } from './mariadb.ts';
import { startPostgres } from './postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const APPS = join(import.meta.dirname, 'servers');
const PHP = join(ROOT, 'ports/php/src');
const PYTHON = join(ROOT, 'ports/python/src');
const [{ secretKey }] = ACCOUNTS;

/** The tables, as the documents of the stores have them. */
const document = readFileSync(join(PHP, 'PdoStore.php'), 'utf8');
const tables = (after: string): string =>
  new RegExp(` \\* ${after}.*?\\n \\*\\n(.*?)\\n \\*\\n`, 's')
    .exec(document)![1]!
    .replaceAll(/^ \* {2}/gm, '');

interface Running {
  address: string;
  /** What it has printed so far. */
  log(): string;
  /** As a deploy ends it: what is under way may finish. */
  end(): Promise<void>;
  /** As a crash ends it. */
  kill(): Promise<void>;
}

type Start = (environment: NodeJS.ProcessEnv, port: number) => Promise<Running>;

const python = (...args: string[]) => ['/usr/bin/python3', '-B', ...args];
const gunicorn = (app: string, ...args: string[]) =>
  processes((port) =>
    python('-m', 'gunicorn', ...args, '-w', '2', '-b', `127.0.0.1:${port}`, `${app}:app`),
  );

const SERVERS: Record<string, { store: 'postgres' | 'mysql'; port: string; start: Start }> = {
  'gunicorn, two processes, Flask, PostgreSQL': {
    ...{ store: 'postgres', port: PYTHON },
    start: gunicorn('flask_app'),
  },
  'gunicorn, threads, Django, MariaDB': {
    ...{ store: 'mysql', port: PYTHON },
    start: gunicorn('django_app', '--threads', '4'),
  },
  'uvicorn, two processes, FastAPI, PostgreSQL': {
    ...{ store: 'postgres', port: PYTHON },
    start: processes((port) =>
      python('-m', 'uvicorn', '--workers', '2', '--port', String(port), 'fastapi_app:app'),
    ),
  },
  'php-fpm behind nginx, MariaDB': { store: 'mysql', port: PHP, start: startPhp },
  'php-fpm behind nginx, PostgreSQL': { store: 'postgres', port: PHP, start: startPhp },
};

/** A server that is one tree of processes. */
function processes(command: (port: number) => string[]): Start {
  return async (environment, port) => {
    const [program, ...args] = command(port);
    const child = spawn(program!, args, {
      cwd: APPS,
      detached: true, // a group of its own: it has workers
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment,
    });
    const log = collect(child);
    const address = `http://127.0.0.1:${port}`;
    await untilItAnswers(address, log);
    return {
      address,
      log,
      async end() {
        child.kill('SIGTERM');
        await over(child);
      },
      async kill() {
        process.kill(-child.pid!, 'SIGKILL');
        await over(child);
      },
    };
  };
}

/** php-fpm with four processes, and nginx in front of it. */
async function startPhp(environment: NodeJS.ProcessEnv, port: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'php-'));
  const socket = join(folder, 'socket');
  const pool = [
    ...['[global]', 'daemonize = no', `error_log = ${folder}/fpm.log`],
    'process_control_timeout = 20', // seconds: what is under way may finish
    ...['[shop]', `listen = ${socket}`, 'pm = static', 'pm.max_children = 8', 'clear_env = no'],
    ...(process.getuid!() === 0 ? ['user = root', 'group = root'] : []),
  ];
  writeFileSync(join(folder, 'fpm.conf'), pool.join('\n'));
  const server = [
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/nginx.log;`,
    ...(process.getuid!() === 0 ? ['user root;'] : []),
    'events {}',
    'http { access_log off; server {',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    ),
    `listen 127.0.0.1:${port};`,
    `location / { fastcgi_pass unix:${socket}; include /etc/nginx/fastcgi_params;`,
    `fastcgi_param SCRIPT_FILENAME ${APPS}/shop.php; } } }`,
  ];
  writeFileSync(join(folder, 'nginx.conf'), server.join('\n'));
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
  const options = { detached: true, stdio, env: environment };
  const root = process.getuid!() === 0 ? ['-R'] : [];
  const fpm = spawn(phpFpm(), [...root, '-y', join(folder, 'fpm.conf')], options);
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], options);
  const logs = [collect(fpm), collect(nginx)];
  const address = `http://127.0.0.1:${port}`;
  await untilItAnswers(address, () => logs.map((log) => log()).join('\n'));
  const clear = () => rmSync(folder, { recursive: true });
  return {
    address,
    log: () => logs.map((log) => log()).join('\n'),
    async end() {
      nginx.kill('SIGQUIT');
      await over(nginx);
      fpm.kill('SIGQUIT');
      await over(fpm);
      clear();
    },
    async kill() {
      for (const child of [fpm, nginx]) process.kill(-child.pid!, 'SIGKILL');
      await Promise.all([over(fpm), over(nginx)]);
      clear();
    },
  };
}

/** Debian names it after its version. */
function phpFpm(): string {
  const versions = ['8.2', '8.3', '8.4', '8.5', '8.1'].map((it) => `/usr/sbin/php-fpm${it}`);
  const found = versions.find((path) => {
    try {
      return readFileSync(path).length > 0;
    } catch {
      return false;
    }
  });
  return found ?? 'php-fpm';
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

async function over(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function untilItAnswers(address: string, log: () => string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${address}/checkout`).catch(() => undefined);
    if (answer?.status === 404) return;
    await sleep(100);
  }
  throw new Error(`The server does not answer: ${log()}`);
}

/** Between the shop and the service: holds each authorization for a while, before it comes back. */
async function slowProxy(target: string): Promise<{ server: Server; delay: { ms: number } }> {
  const delay = { ms: 0 };
  const server = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forward = request(target + url, { method: method!, headers });
    incoming.pipe(forward);
    const [response] = (await once(forward, 'response')) as [IncomingMessage];
    if (url!.endsWith('/authorize')) await sleep(delay.ms);
    outgoing.writeHead(response.statusCode!, response.headers);
    response.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, delay };
}

describe('a port in a real server', () => {
  const service = createService({ generateKeyPair: recycledKeyPair });
  const folder = mkdtempSync(join(tmpdir(), 'servers-'));
  let serviceAddress: string;
  let proxy: Awaited<ReturnType<typeof slowProxy>>;
  let postgres: ReturnType<typeof startPostgres>;
  let mariadb: Awaited<ReturnType<typeof startMariadb>>;
  beforeAll(async () => {
    serviceAddress = await service.listen({ port: 0, host: '127.0.0.1' });
    proxy = await slowProxy(serviceAddress);
    postgres = startPostgres();
    mariadb = await startMariadb();
    mariadb.create('shop', tables('MySQL and MariaDB'));
    const create = ['-c', tables('PostgreSQL')];
    const env = { ...process.env, ...postgres.environment };
    expect(spawnSync('psql', create, { env }).status).toBe(0);
  });
  afterAll(async () => {
    postgres.stop();
    await mariadb.stop();
    proxy.server.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  async function charges(): Promise<CardPaymentIntent[]> {
    const all: CardPaymentIntent[] = [];
    const headers = { authorization: `Bearer ${secretKey}` };
    const answer = await fetch(`${serviceAddress}/payments/card?limit=100`, { headers });
    all.push(...((await answer.json()) as { data: CardPaymentIntent[] }).data);
    return all.filter(({ status }) => status === 'committed');
  }

  describe.each(Object.entries(SERVERS))('%s', (name, { store, port, start }) => {
    const slug = name.replaceAll(/\W+/g, '-');
    const delivered = join(folder, slug);
    let shop: Running;
    let shopPort: number;
    let before: number;
    beforeAll(async () => {
      shopPort = await freePort();
    });
    beforeEach(async () => {
      writeFileSync(delivered, '');
      proxy.delay.ms = 0;
      before = (await charges()).length;
      shop = await begin();
    });
    afterEach(() => shop.end());

    function environment(): NodeJS.ProcessEnv {
      const stores = {
        postgres: port === PHP ? `pdo|${postgres.pdoDsn}` : `postgres|${postgres.dsn}`,
        mysql: `mysql|${mariadb.socketPath}`,
      };
      const address = proxy.server.address() as AddressInfo;
      return {
        ...process.env,
        PORT_FOLDER: port,
        STORE: stores[store],
        DELIVERED: delivered,
        CARD_PAYMENTS_URL: `http://127.0.0.1:${address.port}`,
        CARD_PAYMENTS_SECRET_KEY: secretKey,
        PYTHONPATH: APPS,
      };
    }

    const begin = () => start(environment(), shopPort);

    /** What the shop's staff run every few minutes. */
    async function sweep(): Promise<{ order: string; left: string }[]> {
      const command = port === PHP ? ['php', 'shop.php'] : python('app.py');
      const [program, ...args] = command;
      const child = spawn(program!, args, { cwd: APPS, env: environment() });
      return JSON.parse(await text(child.stdout));
    }

    const routeOf = (order: string) => `${shop.address}/checkout?order=${order}`;
    const ask = async (order: string, init: RequestInit = {}) => {
      const response = await fetch(routeOf(order), init);
      return (await response.json()) as { status: string; key?: CardEncryptionKey };
    };
    const post = (order: string, body: string) =>
      ask(order, { method: 'POST', body, headers: { 'content-type': 'text/plain' } });

    async function blockOf(order: string): Promise<string> {
      const { key } = await ask(order, { method: 'POST' });
      const card = { number: '4242424242424242', name: 'Ada', exp_month: '12', exp_year: '2039' };
      return JSON.stringify(await encryptCard(key!, { ...card, cvv: '123' }));
    }

    const orders = (count: number) =>
      Array.from({ length: count }, (_, i) => `${slug}-${Date.now()}-${i}`);
    /** The orders that were delivered, once for each time. */
    const deliveries = () => readFileSync(delivered, 'utf8').trim().split('\n').filter(Boolean);

    test('charges and delivers each order once, also if its block comes twice at once', async () => {
      // One sender, and one process may get them all: it lets ten tries be under way at once.
      const ids = orders(5);
      const outcomes = await Promise.all(
        ids.map(async (id) => {
          const block = await blockOf(id);
          return Promise.all([post(id, block), post(id, block)]);
        }),
      );
      const statuses = outcomes.flat().map(({ status }) => status);
      expect(statuses, shop.log()).toEqual(Array(10).fill('committed'));
      expect(await charges()).toHaveLength(before + 5);
      expect(deliveries()).toHaveLength(5);
      expect(new Set(deliveries()).size).toBe(5);
    });

    test('ends when the last payment has its outcome', async () => {
      proxy.delay.ms = 1500;
      const ids = orders(2);
      const blocks = await Promise.all(ids.map(blockOf));
      const paying = ids.map((id, i) => post(id, blocks[i]!));
      await sleep(500);
      const [outcomes] = await Promise.all([Promise.all(paying), shop.end()]);
      expect(outcomes.map(({ status }) => status)).toEqual(['committed', 'committed']);
      expect(deliveries()).toHaveLength(2);
      shop = await begin();
    });

    test('charges once and delivers after kill -9 in the middle of payments', async () => {
      proxy.delay.ms = 1500;
      const ids = orders(4);
      const blocks = await Promise.all(ids.map(blockOf));
      const lost = ids.map((id, i) => post(id, blocks[i]!).catch(() => 'lost'));
      await sleep(700);
      await shop.kill();
      expect(await Promise.all(lost)).toContain('lost');
      proxy.delay.ms = 0;
      shop = await begin();
      // Nobody knows what became of it, and nobody pays again.
      const again = await Promise.all(ids.map((id, i) => post(id, blocks[i]!)));
      for (const { status } of again) expect(['not_certain', 'committed']).toContain(status);
      expect(await charges()).toHaveLength(before + 4);
      // One command settles what is open, and delivers what is paid.
      for (const { left } of await sweep()) expect(left).toBe('nothing');
      for (const id of ids) expect((await ask(id)).status).toBe('committed');
      expect(new Set(deliveries()).size).toBe(4);
      expect(await sweep()).toEqual([]);
    });
  });
});
