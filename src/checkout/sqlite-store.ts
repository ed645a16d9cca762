import { StoreContractError } from './log.ts';
import { entryOf, listedEntryOf, type OrderRow } from './order-row.ts';
import type { OrderStore } from './order-store.ts';

/** The part of a database of better-sqlite3, `node:sqlite` or `bun:sqlite` that is used. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(statements: string): unknown;
  /** Prepares a statement once. */
  prepare(statement: string): SqliteStatement;
  /** In better-sqlite3 and `bun:sqlite`. */
  readonly inTransaction?: boolean;
  /** In `node:sqlite` of Node 22.16, 24 and later. */
  readonly isTransaction?: boolean;
}

/** The part of a prepared statement that is used. */
export interface SqliteStatement {
  /** The first row, or nothing. */
  get(...values: (string | number)[]): unknown;
  /** All rows. */
  all(...values: (string | number)[]): unknown[];
  /** How many rows have changed. */
  run(...values: (string | number)[]): { changes: number | bigint };
}

/** Waits for other processes. `FULL`: better-sqlite3 could otherwise forget in a power failure. */
const CONNECTION = 'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL;';
const TABLE = `
  CREATE TABLE IF NOT EXISTS cardseal_orders (
    id TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    due INTEGER NOT NULL DEFAULT 1,
    changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
  );
  CREATE INDEX IF NOT EXISTS cardseal_orders_due ON cardseal_orders (id) WHERE due = 1;
`;
const READ = 'SELECT id, value, version FROM cardseal_orders WHERE id = ?';
const INSERT =
  'INSERT INTO cardseal_orders (value, version, due, id) VALUES (?, ?, ?, ?) ' +
  'ON CONFLICT DO NOTHING';
const UPDATE =
  'UPDATE cardseal_orders SET value = ?, version = ?, due = ?, changed = CURRENT_TIMESTAMP ' +
  'WHERE id = ? AND version = ?';
const LIST =
  'SELECT id, value, version FROM cardseal_orders WHERE due = 1 AND id > ? ORDER BY id LIMIT ?';

/**
 * Keeps orders in a file, for a shop on one machine: as many processes as you like, but on a disk
 * of this machine, not on a network drive. Creates its table, `cardseal_orders`.
 *
 * @param database - An open database of better-sqlite3, `node:sqlite` or `bun:sqlite`. It may have
 * your own tables, too. Never leave a transaction open over an `await`.
 *
 * @example
 * ```ts
 * // store.ts
 * import { memoryStore, type SqliteDatabase, sqliteStore } from 'cardseal/checkout';
 *
 * // Node 22.13 and later have SQLite. Node 20 has not: there, a restart forgets the orders.
 * const sqlite = process.getBuiltinModule('node:sqlite') as
 *   | { DatabaseSync: new (file: string) => SqliteDatabase }
 *   | undefined;
 *
 * /** Keeps orders in a file, for a shop on one machine. *\/
 * export const store = sqlite
 *   ? sqliteStore(new sqlite.DatabaseSync(process.env.ORDERS_FILE ?? 'orders.sqlite'))
 *   : memoryStore();
 *
 * export async function closeStore(): Promise<void> {}
 * ```
 */
export function sqliteStore(database: SqliteDatabase): Required<OrderStore> {
  database.exec(CONNECTION + TABLE);
  const read = database.prepare(READ);
  const insert = database.prepare(INSERT);
  const update = database.prepare(UPDATE);
  const list = database.prepare(LIST);
  return {
    async read(orderId) {
      const row = read.get(orderId) as OrderRow | null | undefined;
      return row ? entryOf(row, orderId) : undefined;
    },
    async write(orderId, value, version, due = true) {
      if (hasOpenTransaction(database))
        throw new StoreContractError(
          'Other code has a transaction open on this database, and could roll the order back',
        );
      const columns = [value, version + 1, due ? 1 : 0, orderId];
      const { changes } = version === 0 ? insert.run(...columns) : update.run(...columns, version);
      return Number(changes) === 1;
    },
    async list({ limit, after = '' }) {
      return (list.all(after, limit) as OrderRow[]).map(listedEntryOf);
    },
  };
}

function hasOpenTransaction(database: SqliteDatabase): boolean {
  const told = database.inTransaction ?? database.isTransaction;
  if (told !== undefined) return told;
  try {
    database.exec('BEGIN; COMMIT'); // it locks nothing, and writes nothing
    return false;
  } catch (error) {
    // SQLite's own words: transactions do not nest.
    if ((error as Error).message.includes('within a transaction')) return true;
    throw error;
  }
}
