import type { OrderStore } from './order-store.ts';

/** The part of a `Pool` of the package `pg` that is used. */
export interface PostgresPool {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

const INSERT =
  'INSERT INTO cardseal_orders (id, value, version) VALUES ($1, $2, $3::integer + 1) ' +
  'ON CONFLICT DO NOTHING';
const UPDATE =
  'UPDATE cardseal_orders SET value = $2, version = $3::integer + 1 ' +
  'WHERE id = $1 AND version = $3::integer';

/**
 * Keeps orders in PostgreSQL, for a shop with several processes. Create the table once:
 *
 * ```sql
 * CREATE TABLE cardseal_orders (id text PRIMARY KEY, value text NOT NULL, version integer NOT NULL)
 * ```
 *
 * Never set `synchronous_commit` to `off` for it: then PostgreSQL can forget what it acknowledged.
 *
 * @param pool - A `Pool` of the package `pg`. Read and write must reach the primary server, not a
 * replica, and none of its connections may come back to it within a transaction: what is written
 * has to be in the database before the card is sent on.
 */
export function postgresStore(pool: PostgresPool): OrderStore {
  return {
    async read(orderId) {
      const text = 'SELECT value, version FROM cardseal_orders WHERE id = $1';
      const { rows } = await pool.query(text, [orderId]);
      const [row] = rows;
      return row && { value: String(row.value), version: Number(row.version) };
    },
    async write(orderId, value, version) {
      const { rowCount } = await pool.query(version === 0 ? INSERT : UPDATE, [
        orderId,
        value,
        version,
      ]);
      return rowCount === 1;
    },
  };
}
