import { basename, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { type Engine, install } from '../../tools/prepare/browsers.ts';
import { PATIENCE } from './patience.ts';

/** Vitest's configuration for tests that have a command of their own: all of this folder. */
export function runApart(root: string, engines: readonly Engine[]) {
  if (!install(engines)) process.exit(1);
  return defineConfig({
    root,
    cacheDir: join(import.meta.dirname, '../../node_modules/.vite', basename(root)),
    test: {
      include: ['*.test.ts'],
      ...PATIENCE,
    },
  });
}
