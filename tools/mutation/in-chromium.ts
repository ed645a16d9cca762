/**
 * Tests that run over mutants in a real Chromium. Pages in frames load built scripts, which
 * `node tools/mutation` builds with all mutants in them.
 */
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { defineConfig } from 'vitest/config';
import type { BrowserProviderOption } from 'vitest/node';
import config from '../../test/vitest.config.ts';

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

/**
 * @param tests - One file: only within it does Vitest end a run at the first failure.
 * @param testTimeout - Short: a page that a mutant has broken often does nothing.
 */
export function inChromium(tests: string, testTimeout = 2_000) {
  const project = {
    ...chromium,
    test: {
      ...chromium.test,
      include: [tests],
      testTimeout,
      browser: { ...chromium.test.browser, provider: forAllFrames(chromium.test.browser.provider) },
    },
  };
  return defineConfig({
    root: join(import.meta.dirname, '../../test'),
    test: { projects: [project as never] },
  });
}
