/**
 * The stores for PostgreSQL, MySQL and SQLite, and one for Redis as a merchant would write it, on
 * the real databases and with the merchant's own drivers: each in processes of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import type { CardPaymentIntent } from '../../demo/service/schemas.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { end, startPgBouncer, startRedis } from './databases.ts';
import { startMariadb } from './mariadb.ts';
import { run } from './ports.ts';
import { startPostgres } from './postgres.ts';

const HERE = import.meta.dirname;
const BUN = join(HERE, 'runtimes/node_modules/.bin/bun');
const NODE_24 = join(HERE, 'runtimes/node_modules/node-24/bin/node');

/** What the documentation of a store says about its table. */
function tableOf(store: string): string {
  const source = readFileSync(join(HERE, `../../src/checkout/${store}-store.ts`), 'utf8');
  const [, statements] = / \* ```sql\n(.*?) \* ```/s.exec(source)!;
  return statements!.replaceAll(/^ \* /gm, '');
}

/** A store that can be opened in a process. */
interface Opened {
  runtime: string;
  environment: { STORE: string; ADDRESS: string };
  /** As after a crash. */
  restart: () => unknown;
}

function start(
  { runtime, environment }: Pick<Opened, 'runtime' | 'environment'>,
  program: string,
  args: string[] = [],
): ChildProcess {
  const options = { env: { ...process.env, ...environment }, stdio: 'pipe' } as const;
  const child = spawn(runtime, [join(HERE, 'drivers', program), ...args], options);
  child.stderr!.pipe(process.stderr);
  return child;
}

/** What `checkStore` finds. */
async function check(opened: Opened): Promise<string[]> {
  const child = start(opened, 'check.mjs');
  let last = '';
  for await (const line of createInterface({ input: child.stdout! })) {
    last = line;
    if (line !== 'restart') continue;
    await opened.restart();
    child.stdin!.write('go on\n');
  }
  return JSON.parse(last);
}

/** Two processes write all the time, one is killed now and then, and the database once. */
async function addUnderKills(opened: Opened) {
  const acknowledged: string[] = [];
  const begin = () => {
    const child = start(opened, 'add.mjs');
    createInterface({ input: child.stdout! }).on('line', (mark) => acknowledged.push(mark));
    return child;
  };
  const children = [begin(), begin()];
  const progress = async () => {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 5);
  };
  for (const victim of [0, 1, 0, 1]) {
    await progress();
    await end(children[victim]!);
    children[victim] = begin();
  }
  await progress();
  await opened.restart();
  await progress();
  await Promise.all(children.map(end));
  return acknowledged;
}

async function read(opened: Opened): Promise<string[]> {
  const child = start(opened, 'read.mjs');
  return JSON.parse(await text(child.stdout!));
}

const postgres = startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
let mariadb: Awaited<ReturnType<typeof startMariadb>>;
let durableRedis: Awaited<ReturnType<typeof startRedis>>;

const address = {
  host: postgres.environment.PGHOST,
  user: postgres.environment.PGUSER,
  database: postgres.environment.PGDATABASE,
};
const psql = (statements: string, database = address.database) =>
  run(
    ['psql', '-h', address.host, '-U', address.user, '-v', 'ON_ERROR_STOP=1', database],
    statements,
  );

beforeAll(async () => {
  psql('CREATE DATABASE bounced');
  psql(tableOf('postgres'));
  psql(tableOf('postgres'), 'bounced');
  bouncer = await startPgBouncer({ ...address, database: 'bounced' });
  mariadb = await startMariadb();
  mariadb.create('shop', tableOf('mysql'));
  durableRedis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
});
afterAll(async () => {
  await bouncer.stop();
  postgres.stop();
  await mariadb.stop();
  await durableRedis.stop();
  rmSync(folder, { recursive: true });
});

const inNode = (STORE: string, ADDRESS: unknown, restart: () => unknown): Opened => ({
  runtime: process.execPath,
  environment: { STORE, ADDRESS: typeof ADDRESS === 'string' ? ADDRESS : JSON.stringify(ADDRESS) },
  restart,
});
const inFile = (runtime: string, STORE: string): Opened => ({
  runtime,
  environment: { STORE, ADDRESS: join(folder, STORE) },
  restart: () => {}, // the file is all there is
});
const mysqlAddress = (database: string) => ({
  socketPath: mariadb.socketPath,
  user: 'root',
  database,
});

const STORES: Record<string, () => Opened> = {
  PostgreSQL: () => inNode('postgres', address, () => postgres.restart()),
  'PostgreSQL behind PgBouncer': () =>
    inNode('postgres', bouncer.address, () => postgres.restart()),
  MariaDB: () => inNode('mysql', mysqlAddress('shop'), () => mariadb.restart()),
  'SQLite with better-sqlite3': () => inFile(process.execPath, 'better-sqlite3'),
  'SQLite with node:sqlite': () => inFile(NODE_24, 'node:sqlite'),
  'SQLite with bun:sqlite': () => inFile(BUN, 'bun:sqlite'),
  'Redis with its two settings': () =>
    inNode('redis', durableRedis.socket, () => durableRedis.restart()),
};

describe.each(Object.entries(STORES))('%s', (_, open) => {
  test('does all that checkStore asks', async () => {
    expect(await check(open())).toEqual([]);
  });

  test('loses nothing that it has acknowledged when any process is killed', async () => {
    const opened = open();
    const acknowledged = await addUnderKills(opened);
    const kept = await read(opened);
    expect(acknowledged.filter((mark) => !kept.includes(mark))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
  });
});

describe('a payment whose process is killed', () => {
  /** Claims of a delivery last so long, and attempts less. */
  const CLAIM_MS = 31_000;
  const ATTEMPT_MS = 9500;

  test.concurrent.each(Object.entries(STORES).filter(([name]) => !name.startsWith('Redis')))(
    'is charged once and delivered once, at whatever step: %s',
    async (name, open) => {
      const service = createService({ generateKeyPair: recycledKeyPair });
      const deliveries = join(folder, `${name} deliveries`);
      writeFileSync(deliveries, '');
      const opened = open();
      const environment = {
        ...opened.environment,
        SERVICE: await service.listen({ port: 0, host: '127.0.0.1' }),
        SECRET_KEY: ACCOUNTS[0].secretKey,
        DELIVERIES: deliveries,
      };
      /** What it prints; nothing if it is killed. */
      const go = async (...args: string[]) => {
        const child = start({ ...opened, environment }, 'pay.mjs', args);
        return text(child.stdout!);
      };
      const delivered = () => readFileSync(deliveries, 'utf8').split('\n').filter(Boolean);

      const steps = Number(await go('pay', 'whole', '0'));
      expect(steps).toBeGreaterThan(15);
      const orders = Array.from({ length: steps }, (_, at) => `killed-${at + 1}`);
      for (const [at, order] of orders.entries())
        expect(await go('pay', order, String(at + 1))).toBe('');

      await sleep(ATTEMPT_MS); // until no answer can come any more
      await Promise.all([go('sweep'), go('sweep')]);
      await Promise.all([go('finish', ...orders), go('finish', ...orders.toReversed())]);
      await sleep(CLAIM_MS);
      await Promise.all([go('sweep'), go('sweep')]);
      expect(await go('sweep')).toBe('[]\n');

      const all = ['whole', ...orders];
      const { data } = (await service
        .inject({
          url: '/payments/card?limit=100',
          headers: { authorization: `Bearer ${ACCOUNTS[0].secretKey}` },
        })
        .then((answer) => answer.json())) as { data: CardPaymentIntent[] };
      const charged = data.filter(({ status }) => status === 'committed');
      expect(charged.map(({ description }) => description).sort()).toEqual([...all].sort());
      expect(new Set(delivered())).toEqual(new Set(all));
      // Only where the delivery was made and not yet stored can it come again.
      const again = delivered().length - all.length;
      expect(again).toBeLessThanOrEqual(3);
      await service.close();
    },
  );
});

test('each takes what its driver describes in TypeScript', () => {
  const root = join(HERE, '../..');
  run([join(root, 'node_modules/.bin/tsc'), '-p', join(HERE, 'drivers')]);
});

describe('checkStore notices', () => {
  const looseTable = (database: string, change: (table: string) => string) => {
    const table = tableOf('mysql');
    expect(change(table)).not.toBe(table);
    return mariadb.create(database, change(table));
  };

  test('a column of ids that compares without case, as MySQL does by itself', async () => {
    const loose = looseTable('loose', (table) => table.replace('varbinary(750)', 'varchar(250)'));
    const findings = await check(inNode('mysql', loose, () => mariadb.restart()));
    const differences = ['upper and lower case', 'an accent', 'a space at the end'];
    for (const difference of differences)
      expect(findings).toContain(
        `Two orders whose ids differ only in ${difference} are one order: compare ids exactly`,
      );
  });

  test('a column that cuts values', async () => {
    const cutting = looseTable('cutting', (table) => table.replace('longtext', 'varchar(300)'));
    mariadb.query("SET GLOBAL sql_mode = ''");
    const findings = await check(inNode('mysql', cutting, () => {}));
    mariadb.query('SET GLOBAL sql_mode = DEFAULT');
    expect(findings.join('\n')).toContain(
      'It refuses a value of 20,000 characters: The server has',
    );
  });

  test('a column that holds no emoji', async () => {
    const old = looseTable('old', (table) =>
      table.replace('longtext CHARACTER SET utf8mb4', 'longtext CHARACTER SET utf8mb3'),
    );
    const findings = await check(inNode('mysql', old, () => {}));
    expect(findings.join('\n')).toContain('It refuses a value with an emoji');
  });

  test('a JSON column', async () => {
    psql('CREATE DATABASE json');
    psql(tableOf('postgres').replace('value text', 'value jsonb'), 'json');
    const findings = await check(inNode('postgres', { ...address, database: 'json' }, () => {}));
    expect(findings.join('\n')).toContain('must be of a text type: not JSON, JSONB');
  });

  test('Redis as it is installed, which forgets', async () => {
    const redis = await startRedis();
    const findings = await check(inNode('redis', redis.socket, () => redis.restart()));
    await redis.stop();
    expect(findings).toEqual([
      'A restart of the database forgets what was written: orders could be charged again',
    ]);
  });
});
