/** Opens the store that `STORE` and `ADDRESS` name, each with the merchant's own driver. */
import { mysqlStore, postgresStore, sqliteStore } from '../../../dist/checkout/index.js';
import { redisStore } from './redis-store.mjs';

const OPEN = {
  async postgres(address) {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ ...JSON.parse(address), max: 4, connectionTimeoutMillis: 5000 });
    pool.on('error', () => {}); // a restart of the database cuts the connections
    return postgresStore(pool);
  },
  async mysql(address) {
    const { createPool } = await import('mysql2/promise');
    return mysqlStore(createPool({ ...JSON.parse(address), connectionLimit: 4 }));
  },
  async 'better-sqlite3'(file) {
    const { default: Database } = await import('better-sqlite3');
    return sqliteStore(new Database(file));
  },
  async 'node:sqlite'(file) {
    const { DatabaseSync } = await import('node:sqlite');
    return sqliteStore(new DatabaseSync(file));
  },
  async 'bun:sqlite'(file) {
    const { Database } = await import('bun:sqlite');
    return sqliteStore(new Database(file));
  },
  async redis(path) {
    const { createClient } = await import('redis');
    const client = createClient({ socket: { path } });
    client.on('error', () => {});
    await client.connect();
    return redisStore(client);
  },
};

export const openStore = () => OPEN[process.env.STORE](process.env.ADDRESS);
