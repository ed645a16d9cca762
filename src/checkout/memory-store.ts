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
 * them, and then a shopper who has paid can be asked to pay again. In production it warns once.
 */
export function memoryStore(): Required<OrderStore> {
  if (!shared[SHARED]) {
    shared[SHARED] = new Map();
    warnInProduction();
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

function warnInProduction(): void {
  // Not every runtime has `process`.
  if (globalThis.process?.env?.NODE_ENV !== 'production') return;
  console.warn(
    'cardseal: orders are kept in memory. After a restart a shopper can be charged twice. ' +
      'Give createCheckout a store that lasts, for example postgresStore(pool).',
  );
}
