import { memoryStore, type SqliteDatabase, sqliteStore } from 'cardseal/checkout';

// Node 22.13 and later have SQLite. Node 20 has not: there, a restart forgets the orders.
const sqlite = process.getBuiltinModule('node:sqlite') as
  | { DatabaseSync: new (file: string) => SqliteDatabase }
  | undefined;

/** Keeps orders in a file, for a shop on one machine. */
export const store = sqlite
  ? sqliteStore(new sqlite.DatabaseSync(process.env.ORDERS_FILE ?? 'orders.sqlite'))
  : memoryStore();

export async function closeStore(): Promise<void> {}
