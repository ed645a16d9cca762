/** The ports' stores lose nothing, also when several write at the same time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startMariadb } from './mariadb.ts';
import { PORTS, type Port, run } from './ports.ts';
import { startPostgres } from './postgres.ts';

async function use({ interpreter, store, folder }: Port, dsn: string, count: number) {
  const [command, ...args] = [...interpreter, store, folder, dsn, String(count)];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(status).toBe(0);
  return JSON.parse(output) as { value: string; version: number } | null;
}

function sqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return `sqlite:${join(folder, 'orders.sqlite')}`;
}

describe.each(PORTS)('SQLite in $name', (port) => {
  test('loses no write of four processes, and keeps what they have written', async () => {
    const dsn = sqliteFile();
    expect(await use(port, dsn, 0)).toBeNull();
    await Promise.all(Array.from({ length: 4 }, () => use(port, dsn, 25)));
    expect(await use(port, dsn, 0)).toEqual({ value: '100', version: 100 });
  });
});

test('what one port has stored, the other reads and goes on with', async () => {
  const dsn = sqliteFile();
  for (const port of [...PORTS, ...PORTS]) await use(port, dsn, 5);
  expect(await use(PORTS[0]!, dsn, 0)).toEqual({ value: '20', version: 20 });
});

const [php, python] = PORTS as [Port, Port];

/** The statements in the doc comment of PdoStore, for a database. */
function tables(database: string): string {
  const document = readFileSync(join(php.folder, 'PdoStore.php'), 'utf8');
  const [, sql] = new RegExp(` \\* ${database}.*?:\n \\*\n(.*?)\n \\*\n`, 's').exec(document)!;
  return sql!.replaceAll(' *  ', '');
}

test.each(['PostgreSQL', 'MySQL and MariaDB'])(
  'for %s, PdoStore and the documents have the same tables',
  (database) => {
    const sql = (file: string, pattern: RegExp) =>
      pattern.exec(readFileSync(join(php.folder, file), 'utf8'))![1]!;
    const flat = (statements: string) => statements.replace(/\s+/g, ' ').trim();
    const orders = new RegExp(`## ${database}\n.*?\`\`\`sql\n(.*?)\`\`\``, 's');
    const limits = new RegExp(`-- ${database}\n(.*?;)\n`, 's');
    expect(flat(tables(database))).toBe(
      `${flat(sql('../../../docs/stores.md', orders))} ${flat(sql('../README.md', limits))}`,
    );
  },
);

/** What databases.php finds in each database. */
const ASKED_OF_DATABASES = {
  'at first': 60,
  'after 10 s': 10,
  'after an hour': 60,
  'by a clock that was set back': 60,
  'on a host that is 15 s behind': 0,
  'after 2.5 were given back': 2,
  'after 1000 were given back': 60,
  written: 'true',
  'written after BEGIN': 'refused',
  'written after START TRANSACTION': 'refused',
  'written after beginTransaction()': 'refused',
  'written at last': 'true',
  version: 2,
  'read after a cut': 'failed',
  'read again after a cut': 2,
};

function triedBy({ interpreter, folder }: Port, dsn: string): unknown {
  const program = join(import.meta.dirname, 'databases.php');
  return JSON.parse(run([...interpreter, program, folder, dsn]));
}

describe('MariaDB', () => {
  let mariadb: Awaited<ReturnType<typeof startMariadb>>;
  beforeAll(async () => {
    mariadb = await startMariadb();
  });
  afterAll(() => mariadb.stop());

  /** What the store check of a port finds wrong with a database that has these tables. */
  function problems({ name }: Port, database: string, statements: string): string[] {
    const { socketPath } = mariadb.create(database, statements);
    const dsn = `mysql:unix_socket=${socketPath};dbname=${database}`;
    const command = {
      PHP: [...php.interpreter, join(import.meta.dirname, 'check-store.php'), php.folder, dsn],
      Python: [
        ...['/usr/bin/python3', '-B', join(import.meta.dirname, 'check_store.py'), python.folder],
        ...[socketPath, database],
      ],
    };
    return JSON.parse(run(command[name]));
  }

  const documented = {
    PHP: tables('MySQL and MariaDB'),
    Python: /CREATE TABLE cardseal_orders \([^;]*?InnoDB;/s.exec(
      readFileSync(join(python.folder, 'cardseal/stores.py'), 'utf8'),
    )![0],
  };

  test('PHP: has its limits, notices a transaction of other code, and connects anew', () => {
    const { socketPath, database } = mariadb.create('asked', documented.PHP);
    const dsn = `mysql:unix_socket=${socketPath};dbname=${database}`;
    expect(triedBy(php, dsn)).toEqual(ASKED_OF_DATABASES);
  });

  describe.each(PORTS)('$name', (port) => {
    test('of the tables in its own doc comment, nothing is wrong', () => {
      expect(problems(port, `documented_${port.name}`, documented[port.name])).toEqual([]);
    });

    test.each([
      ['is padded with spaces', 'padded', 'varchar(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'],
      ['is text as it is installed', 'text', 'varchar(250) CHARACTER SET utf8mb4'],
    ])('an id that %s is found', (_, name, type) => {
      const loose = documented[port.name].replace('id varbinary(750)', `id ${type}`);
      const found = problems(port, `${name}_${port.name}`, loose);
      expect(found.join()).toContain('varbinary(750)');
    });
  });
});

describe('PostgreSQL', () => {
  let postgres: ReturnType<typeof startPostgres>;
  beforeAll(() => {
    postgres = startPostgres();
  });
  afterAll(() => postgres.stop());

  test('loses no write of either port, and both see the same orders', async () => {
    // Debian's driver is for Debian's Python, whichever comes first in PATH.
    const debian = { ...python, interpreter: ['/usr/bin/python3'] };
    const create = '(new PDO($argv[1]))->exec($argv[2]);';
    run(['php', '-r', create, postgres.pdoDsn, tables('PostgreSQL')]);
    await Promise.all(
      [1, 2].flatMap(() => [use(php, postgres.pdoDsn, 50), use(debian, postgres.dsn, 50)]),
    );
    const counted = { value: '200', version: 200 };
    expect(await use(php, postgres.pdoDsn, 0)).toEqual(counted);
    expect(await use(debian, postgres.dsn, 0)).toEqual(counted);
  });

  test('PHP: has its limits, notices a transaction of other code, and connects anew', () => {
    const create = '(new PDO($argv[1]))->exec($argv[2]);';
    run(['php', '-r', create, postgres.pdoDsn, 'CREATE DATABASE asked']);
    const dsn = postgres.pdoDsn.replace('dbname=postgres', 'dbname=asked');
    run(['php', '-r', create, dsn, tables('PostgreSQL')]);
    expect(triedBy(php, dsn)).toEqual(ASKED_OF_DATABASES);
  });
});
