/** The store in SQLite, as far as Node 20 can run it. test/interop/databases.test.ts has the drivers. */
import { expect, test } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../src/checkout/index.ts';

/** A database with the rules of SQLite for transactions, and rows that count only changes. */
function newDatabase() {
  const database = {
    isOpen: false,
    exec(statements: string) {
      for (const statement of statements.split('; ')) {
        if (statement === 'BEGIN' && database.isOpen)
          throw new Error('cannot start a transaction within a transaction');
        if (statement === 'BEGIN') database.isOpen = true;
        if (statement === 'COMMIT') database.isOpen = false;
      }
    },
    prepare: () => ({ get: () => undefined, all: () => [], run: () => ({ changes: 1 }) }),
  };
  return database;
}
type Database = ReturnType<typeof newDatabase>;

const DRIVERS: [string, (database: Database) => SqliteDatabase][] = [
  ['better-sqlite3', (it) => Object.defineProperty(it, 'inTransaction', { get: () => it.isOpen })],
  ['node:sqlite', (it) => Object.defineProperty(it, 'isTransaction', { get: () => it.isOpen })],
  ['node:sqlite of Node 22.13, which has no isTransaction', (it) => it],
];

test.each(DRIVERS)('%s: acknowledges no write in an open transaction', async (_, driverOf) => {
  const database = newDatabase();
  const store = sqliteStore(driverOf(database));
  expect(await store.write('order-1', '{}', 0)).toBe(true);
  expect(database.isOpen).toBe(false);
  database.exec('BEGIN');
  await expect(store.write('order-1', '{}', 1)).rejects.toThrow('has a transaction open');
  expect(database.isOpen).toBe(true);
  database.exec('COMMIT');
  expect(await store.write('order-1', '{}', 1)).toBe(true);
});

test('a database that fails in another way is not said to have a transaction open', async () => {
  const database = newDatabase();
  const store = sqliteStore(database);
  database.exec = () => {
    throw new Error('database is not open');
  };
  await expect(store.write('order-1', '{}', 0)).rejects.toThrow('database is not open');
});
