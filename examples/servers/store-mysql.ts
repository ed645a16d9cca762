import { mysqlStore } from 'cardseal/checkout';
import { createPool } from 'mysql2/promise';

const pool = createPool({
  uri: process.env.MYSQL_URL!,
  ...(process.env.MYSQL_SOCKET && { socketPath: process.env.MYSQL_SOCKET }),
  connectionLimit: 10, // connections of this process: docs/stores.md has the sum
  connectTimeout: 4000,
  queueLimit: 100, // more requests than these do not wait for a connection: they fail at once
});

/** Keeps orders in MySQL or MariaDB. */
export const store = mysqlStore(pool);

export const closeStore = () => pool.end();
