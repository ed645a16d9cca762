import { defineConfig } from 'vitest/config';
import { install } from '../prepare/browsers.ts';
import { retriedTests } from '../support/retried-tests.ts';

if (!install(['chromium'])) process.exit(1);

/** `npm run interop`: what needs PHP and Python, with a shop of each in Chromium. */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite/interop',
  test: {
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', retriedTests],
    retry: Number(process.env.TEST_RETRIES ?? 0), // as in the tests' own configuration
  },
});
