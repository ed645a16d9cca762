import type { Browser } from 'playwright';
import type { Shop } from './shop.ts';
import type { Workshop } from './workshop.ts';

/** One set of tools, and what an app that is built with them must do. */
export interface Stack {
  /** The app's folder in `examples/`, unless `make` makes the app. */
  name: string;
  /** The packages whose versions the table shows. */
  packages: string[];
  /** Makes the app from nothing. */
  make?(place: Place): Promise<void>;
  /** Builds the app. */
  build?(place: Place): Promise<void>;
  /** What is tried, by title. Each throws if something is not as it must be. */
  checks: Record<string, (place: Place) => Promise<void>>;
}

export interface Place {
  app: Workshop;
  shop: Shop;
  browser: Browser;
}

export function expect(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
