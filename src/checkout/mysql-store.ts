import { StoreContractError } from './log.ts';
import { entryOf, listedEntryOf, type OrderRow } from './order-row.ts';
import type { OrderStore } from './order-store.ts';

/** The part of a `Pool` of `mysql2/promise` that is used. */
export interface MysqlPool {
  /** Resolves to the rows of a query, or to the result of a change, and something else. */
  execute(
    statement: string,
    values: (string | number)[],
  ): Promise<[result: unknown, fields: unknown]>;
}

/** What a change has done, as mysql2 tells it. */
interface Change {
  affectedRows: number;
  warningStatus: number;
}

const SELECT = 'SELECT CONVERT(id USING utf8mb4) AS id, value, version FROM cardseal_orders';
const READ = `${SELECT} WHERE id = ?`;
const INSERT = 'INSERT INTO cardseal_orders (value, version, due, id) VALUES (?, ?, ?, ?)';
const UPDATE =
  'UPDATE cardseal_orders SET value = ?, version = ?, due = ? WHERE id = ? AND version = ?';
// `id` alone would be the converted one, which no index has.
const LIST = `${SELECT} AS o WHERE due = 1 AND o.id > ? ORDER BY o.id LIMIT ?`;

/**
 * Keeps orders in MySQL or MariaDB, for a shop with several processes. Create the table once:
 *
 * ```sql
 * CREATE TABLE cardseal_orders (
 *   id varbinary(750) PRIMARY KEY,
 *   value longtext CHARACTER SET utf8mb4 NOT NULL,
 *   version integer NOT NULL,
 *   due boolean NOT NULL DEFAULT true,
 *   changed timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
 *   KEY cardseal_orders_due (due, id)
 * ) ENGINE = InnoDB;
 * ```
 *
 * The id is bytes, which compare exactly: in a column of text, MySQL takes `a` and `A` for the same
 * id. Never set `innodb_flush_log_at_trx_commit` to anything but 1 for it: then the server can
 * forget what it acknowledged.
 *
 * @param pool - A pool of `mysql2/promise`. Read and write must reach the primary server, not a
 * replica; `autocommit` must be on, and none of its connections may come back to it within a
 * transaction: what is written has to be in the database before the card is sent on.
 *
 * @example
 * ```ts
 * // store-mysql.ts
 * import { mysqlStore } from 'cardseal/checkout';
 * import { createPool } from 'mysql2/promise';
 *
 * const pool = createPool({
 *   uri: process.env.MYSQL_URL!,
 *   ...(process.env.MYSQL_SOCKET && { socketPath: process.env.MYSQL_SOCKET }),
 *   connectionLimit: 10, // connections of this process: docs/stores.md has the sum
 *   connectTimeout: 4000,
 *   queueLimit: 100, // more requests than these do not wait for a connection: they fail at once
 * });
 *
 * /** Keeps orders in MySQL or MariaDB. *\/
 * export const store = mysqlStore(pool);
 *
 * export const closeStore = () => pool.end();
 * ```
 */
export function mysqlStore(pool: MysqlPool): Required<OrderStore> {
  return {
    async read(orderId) {
      const [rows] = await pool.execute(READ, [orderId]);
      const [row] = rows as OrderRow[];
      return row && entryOf(row, orderId);
    },
    async write(orderId, value, version, due = true) {
      const columns = [value, version + 1, due ? 1 : 0, orderId];
      const isNew = version === 0;
      // The version changes in each update, so it does not matter which rows the driver counts.
      const [result] = isNew
        ? await pool.execute(INSERT, columns).catch(nothingIfItIsThere)
        : await pool.execute(UPDATE, [...columns, version]);
      const { affectedRows, warningStatus } = result as Change;
      if (warningStatus > 0)
        throw new StoreContractError(
          'The server has warned of a write: use longtext, utf8mb4 and strict mode',
        );
      return affectedRows === 1;
    },
    async list({ limit, after = '' }) {
      // As text: MySQL takes no other type of parameter from mysql2 here.
      const [rows] = await pool.execute(LIST, [after, String(limit)]);
      return (rows as OrderRow[]).map(listedEntryOf);
    },
  };
}

/** `INSERT IGNORE` would also ignore that a value is too long. */
function nothingIfItIsThere(error: { code?: unknown }): [result: unknown, fields: unknown] {
  if (error.code !== 'ER_DUP_ENTRY') throw error;
  return [{ affectedRows: 0, warningStatus: 0 }, undefined];
}
