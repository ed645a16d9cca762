import { postgresStore } from 'cardseal/checkout';
import pg from 'pg';

const pool = new pg.Pool({
  max: 10, // connections of this process: docs/stores.md has the sum
  connectionTimeoutMillis: 4000, // to wait for one of them
  query_timeout: 4000,
});
// Without a listener, a restart of the database would end this process.
pool.on('error', ({ message }) => console.error(message));

/** Keeps orders in PostgreSQL: PGHOST, PGUSER, PGPASSWORD and PGDATABASE say where. */
export const store = postgresStore(pool);

export const closeStore = () => pool.end();
