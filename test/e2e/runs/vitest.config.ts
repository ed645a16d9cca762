/** Runs the endless test with the providers and the guard of the real tests. */
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { ENGINES } from '../../prepare/browsers.ts';
import { providerOf } from '../../support/browser-providers.ts';
import { runGuard } from '../../support/run-guard.ts';

/** Apart from the cache of the run that these runs are a part of. */
const cacheDir = join(import.meta.dirname, '../../../reports/vite');

const neverAnswers: Plugin = {
  name: 'never answers',
  configureServer({ middlewares }) {
    middlewares.use('/never-answered', () => {});
  },
};

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      { plugins: [runGuard()], test: { name: 'node' } },
      ...ENGINES.map((engine) => ({
        cacheDir,
        plugins: [runGuard(), neverAnswers],
        test: {
          name: engine,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: providerOf(engine),
            // The type knows only the names of one provider.
            instances: [{ browser: engine, name: `in ${engine}` }] as never,
          },
        },
      })),
    ],
  },
});
