import { join } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import type { BrowserProviderOption } from 'vitest/node';
import { ENGINES, type Engine, need } from './prepare/browsers.ts';
import { decryptInNode } from './support/decrypt-in-node.ts';
import { echo } from './support/echo.ts';
import { merchant } from './support/merchant.ts';
import { pages } from './support/pages.ts';
import { servePlainHttp, stopPlainHttp } from './support/plain-http.ts';
import { stockFirefox, stockWebkit } from './support/stock-browsers.ts';
import { strictPage } from './support/strict-page.ts';

function provider(engine: Engine): BrowserProviderOption {
  const found = need(engine);
  if (found.from === 'playwright') return playwright();
  if (engine === 'chromium') return playwright({ launchOptions: { executablePath: found.path } });
  return engine === 'firefox' ? stockFirefox(found.path) : stockWebkit(found.path, found.xvfb!);
}

/** So long that only what hangs takes longer, on however busy a machine. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      { test: { name: 'node', include: ['node/**/*.test.ts', 'browser/evidence/{errors,properties}.test.ts'], ...patience } },
      ...ENGINES.map((engine) => ({
        plugins: [vue(), echo(), merchant(), pages(), strictPage()],
        // Found only later, they would reload the page in the middle of a run. The second line is for the comparison with alternatives.
        optimizeDeps: {
          include: ['axe-core', 'fast-check', 'imask', 'react', 'react/jsx-dev-runtime', 'react-dom/client', 'vue'].concat([
            'adyen-cse-js',
            'jose',
            'jsencrypt',
            'node-forge',
          ]),
        },
        // As README's pages import it.
        resolve: { alias: { 'cardseal/form': join(import.meta.dirname, '../src/form/index.ts') } },
        test: {
          name: engine,
          include: ['browser/**/*.test.ts'],
          ...patience,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            commands: { decryptInNode, servePlainHttp, stopPlainHttp },
            provider: provider(engine),
            instances: [{ browser: engine, name: `in ${engine}` }] as never, // the type knows only the names of one provider
          },
        },
      })),
      { test: { name: 'e2e', include: ['e2e/**/*.test.ts'], ...patience } },
    ],
  },
});
