import type { ListOptions, OrderStore } from './order-store.ts';

interface Entry {
  value: string;
  version: number;
  due: boolean;
}

/** Bundlers may copy this module into several bundles of one process: all share these orders. */
const SHARED = Symbol.for('cardseal.checkout.memoryStore');
const shared = globalThis as { [SHARED]?: Map<string, Entry> };

/**
 * Keeps orders in the memory of this process: for development, and for tests. A restart forgets
 * them, and then a shopper who has paid can be asked to pay again; and so does each further process
 * or isolate. It warns once, unless `NODE_ENV` is `development` or `test`.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'cardseal/checkout';
 *
 * const store = memoryStore();
 * await store.write('order-1', '{}', 0, true);
 * console.log(await store.write('order-1', '{}', 0, true)); // false
 * console.log((await store.read('order-1'))?.version); // 1
 * console.log((await store.list({ limit: 10 })).length); // 1
 * ```
 */
export function memoryStore(): Required<OrderStore> {
  if (!shared[SHARED]) {
    shared[SHARED] = new Map();
    if (!isDevelopment()) warn();
  }
  const entries = shared[SHARED];
  return {
    async read(orderId) {
      const entry = entries.get(orderId);
      return entry && { value: entry.value, version: entry.version };
    },
    async write(orderId, value, version, due = true) {
      const current = entries.get(orderId)?.version ?? 0;
      if (current !== version) return false;
      entries.set(orderId, { value, version: version + 1, due });
      return true;
    },
    async list({ limit, after = '' }: ListOptions) {
      const ids = [...entries.keys()].filter((id) => id > after && entries.get(id)!.due).sort();
      return ids.slice(0, limit).map((orderId) => {
        const { value, version } = entries.get(orderId)!;
        return { orderId, value, version };
      });
    },
  };
}

function isDevelopment(): boolean {
  try {
    const { NODE_ENV, NODE_TEST_CONTEXT } = globalThis.process.env ?? {};
    return NODE_ENV === 'development' || NODE_ENV === 'test' || NODE_TEST_CONTEXT !== undefined;
  } catch {
    return false; // no process, or Deno without the permission to read its environment
  }
}

function warn(): void {
  console.warn(
    'cardseal: orders are kept in the memory of this process. After a restart, or with several ' +
      'processes or isolates, a shopper can be charged twice. Give createCheckout a store that ' +
      'lasts, for example postgresStore(pool).',
  );
}
