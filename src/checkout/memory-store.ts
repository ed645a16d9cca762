import type { OrderStore } from './order-store.ts';

type Entries = Map<string, { value: string; version: number }>;

/** Bundlers may copy this module into several bundles of one process: all share these orders. */
const SHARED = Symbol.for('cardseal.checkout.memoryStore');
const shared = globalThis as { [SHARED]?: Entries };

/**
 * Keeps orders in the memory of this process: for development, and for tests. A restart forgets
 * them, and then a shopper who has paid can be asked to pay again. In production it warns once.
 */
export function memoryStore(): OrderStore {
  if (!shared[SHARED]) {
    shared[SHARED] = new Map();
    warnInProduction();
  }
  const entries = shared[SHARED];
  return {
    async read(orderId) {
      return entries.get(orderId);
    },
    async write(orderId, value, version) {
      const current = entries.get(orderId)?.version ?? 0;
      if (current !== version) return false;
      entries.set(orderId, { value, version: version + 1 });
      return true;
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
