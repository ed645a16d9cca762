import { defineConfig } from 'vitest/config';
import { ENGINES, install } from '../prepare/browsers.ts';
import { PATIENCE, RETRIES } from '../support/patience.ts';
import { retriedTests } from '../support/retried-tests.ts';

if (!install(ENGINES)) process.exit(1);

/**
 * `npm run test-runs`: how runs of the tests end when a browser or a test hangs, and watch mode. It is
 * not a part of `npm test`: it is about the tests, and its runs would slow the others down.
 */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite/runs',
  test: {
    include: ['*.test.ts'],
    ...PATIENCE,
    retry: RETRIES,
    reporters: ['default', retriedTests],
  },
});
