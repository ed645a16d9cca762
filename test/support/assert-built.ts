/** A Vitest command: a browser test of built files fails at once if they are older than `src/`. */
import { join } from 'node:path';
import type { BrowserCommand } from 'vitest/node';
import { throwIfNotBuilt } from '../../build/fingerprint.ts';

const root = join(import.meta.dirname, '../..');

declare module 'vitest/browser' {
  interface BrowserCommands {
    assertBuilt(): Promise<void>;
  }
}

export const assertBuilt: BrowserCommand<[]> = () => throwIfNotBuilt(root);
