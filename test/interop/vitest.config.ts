import { defineConfig } from 'vitest/config';
import { install } from '../prepare/browsers.ts';
import { PATIENCE, RETRIES } from '../support/patience.ts';
import { retriedTests } from '../support/retried-tests.ts';

if (!install(['chromium'])) process.exit(1);

/** `npm run interop`: what needs PHP and Python, with a shop of each in Chromium. */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite/interop',
  test: {
    include: ['*.test.ts'],
    ...PATIENCE,
    retry: RETRIES,
    reporters: ['default', retriedTests],
  },
});
