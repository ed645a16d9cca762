/** The stores take what each driver's own types describe. Compiled by databases.test.ts. */

import { Database } from 'bun:sqlite';
import { DatabaseSync } from 'node:sqlite';
import SqliteFile from 'better-sqlite3';
import mysql from 'mysql2';
import { createPool } from 'mysql2/promise';
import { mysqlStore, sqliteStore } from '../../../dist/checkout/index.js';

export const stores = [
  sqliteStore(new SqliteFile('orders.sqlite')),
  sqliteStore(new DatabaseSync('orders.sqlite')),
  sqliteStore(new Database('orders.sqlite')),
  mysqlStore(createPool('mysql://shop')),
  mysqlStore(mysql.createPool('mysql://shop').promise()),
  // @ts-expect-error: this pool takes callbacks
  mysqlStore(mysql.createPool('mysql://shop')),
];
