import { entryOf, listedEntryOf } from './order-row.ts';
import type { OrderStore } from './order-store.ts';

/** The part of a `Pool` of the package `pg` that is used. */
export interface PostgresPool {
  /** Resolves to the rows of a query, or to how many rows a change has found. */
  query(
    text: string,
    values: unknown[],
  ): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

const READ = 'SELECT id, value, version FROM cardseal_orders WHERE id = $1';
const INSERT =
  'INSERT INTO cardseal_orders (id, value, version, due) VALUES ($1, $2, $3::integer + 1, $4) ' +
  'ON CONFLICT DO NOTHING';
const UPDATE =
  'UPDATE cardseal_orders ' +
  'SET value = $2, version = $3::integer + 1, due = $4, changed = now() ' +
  'WHERE id = $1 AND version = $3::integer';
const LIST =
  'SELECT id, value, version FROM cardseal_orders WHERE due AND id > $1 ORDER BY id LIMIT $2';

/**
 * Keeps orders in PostgreSQL, for a shop with several processes. Create the table once:
 *
 * ```sql
 * CREATE TABLE cardseal_orders (
 *   id text COLLATE "C" PRIMARY KEY,
 *   value text NOT NULL,
 *   version integer NOT NULL,
 *   due boolean NOT NULL DEFAULT true,
 *   changed timestamptz NOT NULL DEFAULT now()
 * );
 * CREATE INDEX cardseal_orders_due ON cardseal_orders (id) WHERE due;
 * ```
 *
 * It works behind PgBouncer in transaction mode, too. Never set `synchronous_commit` to `off` for
 * it: then PostgreSQL can forget what it acknowledged.
 *
 * @param pool - A `Pool` of the package `pg`. Read and write must reach the primary server, not a
 * replica, and none of its connections may come back to it within a transaction: what is written
 * has to be in the database before the card is sent on.
 *
 * @example
 * ```ts
 * // store-postgres.ts
 * import { postgresStore } from 'cardseal/checkout';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({
 *   max: 10, // connections of this process: docs/stores.md has the sum
 *   connectionTimeoutMillis: 4000, // to wait for one of them
 *   query_timeout: 4000,
 * });
 * // Without a listener, a restart of the database would end this process.
 * pool.on('error', ({ message }) => console.error(message));
 *
 * /** Keeps orders in PostgreSQL: PGHOST, PGUSER, PGPASSWORD and PGDATABASE say where. *\/
 * export const store = postgresStore(pool);
 *
 * export const closeStore = () => pool.end();
 * ```
 */
export function postgresStore(pool: PostgresPool): Required<OrderStore> {
  return {
    async read(orderId) {
      const { rows } = await pool.query(READ, [orderId]);
      return rows[0] && entryOf(rows[0], orderId);
    },
    async write(orderId, value, version, due = true) {
      const statement = version === 0 ? INSERT : UPDATE;
      const { rowCount } = await pool.query(statement, [orderId, value, version, due]);
      return rowCount === 1;
    },
    async list({ limit, after = '' }) {
      const { rows } = await pool.query(LIST, [after, limit]);
      return rows.map(listedEntryOf);
    },
  };
}
