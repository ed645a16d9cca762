import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ENGINES, type Engine } from '../tools/prepare/browsers.ts';
import { assertBuilt } from './support/assert-built.ts';
import { providerOf } from './support/browser-providers.ts';
import { cachedModules } from './support/cached-modules.ts';
import { decryptInNode } from './support/decrypt-in-node.ts';
import { PATIENCE } from './support/patience.ts';
import { runGuard } from './support/run-guard.ts';
import { checkoutServer } from './support/servers/checkout.ts';
import { echo } from './support/servers/echo.ts';
import { merchant } from './support/servers/merchant.ts';
import { pages } from './support/servers/pages.ts';
import { servePlainHttp, stopPlainHttp } from './support/servers/plain-http.ts';
import { strictPage } from './support/servers/strict-page.ts';
import { watchSources } from './support/watch-sources.ts';

const root = join(import.meta.dirname, '..');

const patience = { ...PATIENCE, setupFiles: ['support/patient-waits.ts'] };
const inWorkers = {
  ...patience,
  setupFiles: [...patience.setupFiles, 'support/low-priority.ts'],
};

/**
 * Modules are loaded once in each worker, and not once for each file. It is for files that leave the
 * globals of their worker as they were.
 */
const sharedModules = { isolate: false };

const node = {
  plugins: [runGuard()],
  test: {
    name: 'node',
    include: ['**/*.node.test.ts', 'core/{errors,encrypt-card-properties}.test.ts'],
    ...sharedModules,
    ...inWorkers,
  },
};

/** Vite must bundle these before the run: found only later, they reload the page in its middle. */
const BUNDLED_FIRST = [
  ...['axe-core', 'fast-check', 'imask', 'vue'],
  ...['react', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client'],
];

const inBrowser = (engine: Engine) => ({
  plugins: [
    runGuard(),
    cachedModules(),
    vue(),
    echo(),
    merchant(),
    pages(),
    strictPage(),
    checkoutServer(),
  ],
  optimizeDeps: { include: BUNDLED_FIRST },
  // The snippets of the documents import the package by its name.
  resolve: {
    alias: [
      { find: /^cardseal$/, replacement: join(root, 'src/core/index.ts') },
      { find: /^cardseal\/form$/, replacement: join(root, 'src/form/index.ts') },
      { find: /^cardseal\/pay$/, replacement: join(root, 'src/pay/index.ts') },
      { find: /^cardseal\/testing$/, replacement: join(root, 'src/testing/index.ts') },
    ],
  },
  test: {
    name: engine,
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.{node,e2e}.test.ts', '{interop,shops,runs}/**'],
    ...patience,
    ...sharedModules,
    setupFiles: [...patience.setupFiles, 'support/tidy-up.ts', 'support/unscaled.ts'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      commands: { assertBuilt, decryptInNode, servePlainHttp, stopPlainHttp },
      provider: providerOf(engine),
      // The type knows only the names of one provider.
      instances: [{ browser: engine, name: `in ${engine}` }] as never,
    },
  },
});

const shops = {
  plugins: [runGuard()],
  test: { name: 'shops', include: ['shops/**/*.test.ts'], ...sharedModules, ...inWorkers },
};

const endToEnd = {
  plugins: [runGuard()],
  test: { name: 'e2e', include: ['**/*.e2e.test.ts'], ...sharedModules, ...inWorkers },
};

/** A slow file that begins last would keep one core busy while the other one waits. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const inGivenOrder = await super.sort(files);
    const [slow, quick] = [inGivenOrder.filter(isSlow), inGivenOrder.filter((it) => !isSlow(it))];
    return [...slow, ...quick];
  }
}

const isSlow = ({ project }: TestSpecification) => ['e2e', 'shops'].includes(project.name);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [watchSources([join(root, 'src'), join(root, 'demo')])],
  test: {
    // Beside the workers, one browser at least runs tests of its own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: SlowestFirst },
    projects: [node, ...ENGINES.map(inBrowser), shops, endToEnd],
  },
});
