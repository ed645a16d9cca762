/**
 * The shop of docs/server-routes.md as docs/stores.md and docs/limits.md set it up: two processes,
 * MariaDB and nginx. It lives through a deploy, `kill -9`, a bot and a dead service. Then one
 * command settles and delivers all that is left.
 */
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS } from '../../demo/service/app.ts';
import { type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { deferred } from '../support/deferred.ts';
import { freePort } from '../support/loopback.ts';
import { cleanUp, makeProject, startProgram } from '../support/recipe-project.ts';
import { startMariadb } from './mariadb.ts';
import { startNginx } from './nginx.ts';
import { startWorld } from './shops.ts';

const TIMEOUT_MS = 3000;
const CARD = { number: '4242424242424242', exp_month: '12', exp_year: '2039', cvv: '835' };

async function startShop(serviceAddress: string) {
  const document = readFileSync(join(import.meta.dirname, '../../docs/stores.md'), 'utf8');
  const [, table] = /## MySQL and MariaDB.*?```sql\n(.*?)```/s.exec(document)!;
  const mariadb = await startMariadb();
  mariadb.create('shop', table!);
  const folder = makeProject();
  const drivers = join(import.meta.dirname, 'drivers/node_modules');
  symlinkSync(join(drivers, 'mysql2'), join(folder, 'node_modules/mysql2'));
  const shop = join(folder, 'shop.ts');
  const timeout = (source: string) =>
    source.replace(/(?=secretKey:)/, 'timeoutMs: Number(process.env.TIMEOUT_MS), ');
  writeFileSync(shop, timeout(readFileSync(shop, 'utf8')));
  // "Let one of these files be your `store.ts`."
  writeFileSync(join(folder, 'store.ts'), readFileSync(join(folder, 'store-mysql.ts'), 'utf8'));

  const environment = {
    MYSQL_URL: 'mysql://root@localhost/shop',
    MYSQL_SOCKET: mariadb.socketPath,
    TIMEOUT_MS: String(TIMEOUT_MS),
  };
  const start = (more = {}) =>
    startProgram(folder, 'server-express.ts', serviceAddress, { ...environment, ...more });
  const processes = [await start(), await start()];
  const outputs: string[] = [];
  const nginx = await startNginx(
    await freePort(),
    processes.map(({ address }) => address),
  );
  const replace = async (at: number, end: () => Promise<unknown>) => {
    const { port: PORT } = new URL(processes[at]!.address);
    await end();
    outputs.push(processes[at]!.output);
    processes[at] = await start({ PORT });
  };
  return {
    address: nginx.address,
    /** A new version, process after process. */
    async deploy() {
      for (const at of [0, 1]) await replace(at, () => processes[at]!.terminate());
    },
    kill: (at: number) => replace(at, () => processes[at]!.stop()),
    log: () => [...outputs, ...processes.map(({ output }) => output)].join('\n'),
    /** A command of the documents. Its status and what it prints. */
    async run(file: string) {
      const env = {
        ...process.env,
        ...environment,
        CARD_PAYMENTS_URL: serviceAddress,
        CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
      };
      const args = ['--import', 'tsx', `./${file}`];
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [printed, complaints] = [text(child.stdout), text(child.stderr)];
      outputs.push(await printed, await complaints);
      return { status: await ended, printed: await printed };
    },
    async close() {
      await nginx.stop();
      cleanUp();
      await mariadb.stop();
    },
  };
}

let world: Awaited<ReturnType<typeof startWorld<Awaited<ReturnType<typeof startShop>>>>>;
beforeAll(async () => {
  world = await startWorld(startShop);
});
afterAll(() => world.stop());

let shoppers = 0;

/** One shopper with a cookie, from an address of their own. */
class Shopper {
  cookie = '';
  readonly address = `198.51.${(shoppers >> 8) & 255}.${shoppers++ & 255}`;

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'x-test-address': this.address, cookie: this.cookie, ...init.headers };
    const address = world.shop.address + path;
    const answer = await fetch(address, { method: 'POST', ...init, headers });
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return answer;
  }

  /** What the shopper reads: the outcome, or the status of an answer that is none. */
  async pay(): Promise<string> {
    if (!this.cookie) await this.send('/checkout', { method: 'GET' });
    const answer = await this.send('/checkout/key');
    if (answer.status === 409) return ((await answer.json()) as { status: string }).status;
    if (answer.status !== 200) return `no key: ${answer.status}`;
    const key = (await answer.json()) as CardEncryptionKey;
    const body = JSON.stringify(await encryptCard(key, { ...CARD, name: 'Ada Lovelace' }));
    const headers = { 'content-type': 'application/json' };
    const paid = await this.send('/checkout/pay', { body, headers });
    if (!paid.ok) return `no answer: ${paid.status}`;
    return ((await paid.json()) as { status: string }).status;
  }
}

const many = (count: number) => Array.from({ length: count }, () => new Shopper());
/** How many shoppers read what. */
async function payAll(all: Shopper[]): Promise<Record<string, number>> {
  const told: Record<string, number> = {};
  for (const outcome of await Promise.all(all.map((one) => one.pay())))
    told[outcome] = (told[outcome] ?? 0) + 1;
  return told;
}
const everybody: Shopper[] = [];
const arrive = (count: number) => {
  const all = many(count);
  everybody.push(...all);
  return all;
};

test('a deploy in the middle of payments: everybody has paid', async () => {
  let isOver = false;
  const told: Record<string, number>[] = [];
  const paying = (async () => {
    while (!isOver) told.push(await payAll(arrive(3)));
  })();
  await sleep(500);
  await world.shop.deploy();
  isOver = true;
  await paying;
  expect(told.length).toBeGreaterThan(2);
  for (const one of told) expect(one).toEqual({ committed: 3 });
});

test('kill -9 in the middle of payments: nobody is charged twice', async () => {
  const { promise, resolve: release } = deferred<void>();
  world.proxy.faults.hold = promise;
  const before = world.proxy.authorizations.length;
  const paying = payAll(arrive(6));
  await expect.poll(() => world.proxy.authorizations.length).toBe(before + 6);
  const killed = world.shop.kill(0);
  await sleep(500);
  release();
  await killed;
  const told = await paying;
  expect(Object.keys(told).sort()).toEqual(['committed', 'no answer: 502']);
  world.proxy.faults.hold = undefined;
});

test('a bot with 100 requests a second keeps nobody from paying', async () => {
  const bot = new Shopper();
  await bot.send('/checkout', { method: 'GET' });
  let isOver = false;
  const statuses: Record<number, number> = {};
  const attack = (async () => {
    while (!isOver) {
      const answers = Array.from({ length: 10 }, async () => {
        bot.cookie = `order=${crypto.randomUUID()}`;
        const { status } = await bot.send('/checkout/key');
        statuses[status] = (statuses[status] ?? 0) + 1;
      });
      await Promise.all([sleep(100), ...answers]);
    }
  })();
  await sleep(2000);
  for (let round = 0; round < 5; round++) {
    expect(await payAll(arrive(4))).toEqual({ committed: 4 });
    await sleep(500);
  }
  isOver = true;
  await attack;
  expect(statuses[429]).toBeGreaterThan(50);
});

test('a service that does not answer: nobody reads that they have paid', async () => {
  const { promise, resolve: release } = deferred<void>();
  world.proxy.faults.hold = promise; // authorize is taken, and not answered
  const told = await payAll(arrive(4));
  expect(told).toEqual({ not_certain: 4 });
  world.proxy.faults.isDown = true;
  expect(await payAll(arrive(2))).toEqual({ 'no key: 502': 2 });
  release();
  world.proxy.faults.isDown = false;
  world.proxy.faults.hold = undefined;
});

test('one command settles and delivers all that is left, each paid order once', async () => {
  await sleep(TIMEOUT_MS + 6000); // until no answer can come any more
  const first = await world.shop.run('sweep.ts');
  expect(first).toMatchObject({ status: 0 });
  expect(first.printed.match(/: committed, left to do: nothing/g)!.length).toBeGreaterThan(4);
  expect(await world.shop.run('sweep.ts')).toEqual({ status: 0, printed: '' });
  // Those who had no answer come back.
  expect(await payAll(everybody)).toEqual({ committed: everybody.length });
  expect(await world.committed()).toBe(everybody.length);
  const delivered = [...world.shop.log().matchAll(/^Paid: order (\S+),/gm)].map(([, id]) => id);
  const orders = everybody.map(({ cookie }) => cookie.split('=')[1]);
  expect(delivered.sort()).toEqual(orders.sort());
});
