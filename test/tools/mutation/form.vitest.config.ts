/**
 * The tests that run over mutants of the form and of the script tag, in a real Chromium. Pages in
 * frames load the built script, which `npm run mutate` builds with all mutants in it.
 */
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { defineConfig } from 'vitest/config';
import type { BrowserProviderOption } from 'vitest/node';
import config from '../../vitest.config.ts';

interface Project {
  test: { name: string; browser: { provider: BrowserProviderOption } };
}

const { projects } = config.test as unknown as { projects: Project[] };
const chromium = projects.find(({ test }) => test.name === 'chromium')!;

/** Stryker says in a global of the test's window which mutant is active. Frames have the same. */
function forAllFrames(option: BrowserProviderOption): BrowserProviderOption {
  const providerFactory: BrowserProviderOption['providerFactory'] = (project) => {
    const provider = option.providerFactory(project);
    const openPage = provider.openPage.bind(provider);
    provider.openPage = async (sessionId, ...more) => {
      await openPage(sessionId, ...more);
      const { context } = provider.getCommandsContext(sessionId) as { context: BrowserContext };
      await context.addInitScript(takeMutantOfParent);
    };
    return provider;
  };
  return { ...option, providerFactory };
}

function takeMutantOfParent() {
  try {
    const mutant = Reflect.get(window.parent, '__stryker__');
    if (mutant && window !== window.parent) Reflect.set(window, '__stryker__', mutant);
  } catch {
    // The parent is of another origin.
  }
}

const form = {
  ...chromium,
  test: {
    ...chromium.test,
    include: ['tools/mutation/form-tests.ts'],
    testTimeout: 2_000, // a form that a mutant has broken often does nothing
    browser: { ...chromium.test.browser, provider: forAllFrames(chromium.test.browser.provider) },
  },
};

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: { projects: [form as never] },
});
