/**
 * Vitest browser providers that never hang: a browser that does not start, never connects or ends
 * early fails the run within a time limit, and the error names the engine.
 */
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineBrowserProvider } from '@vitest/browser';
import { playwright } from '@vitest/browser-playwright';
import type { Page } from 'playwright';
import type { BrowserProvider, BrowserProviderOption, TestProject, Vitest } from 'vitest/node';
import { type Engine, find } from '../../tools/prepare/browsers.ts';
import { contextOptions, launchOptions } from './launch-options.ts';
import { Running } from './processes.ts';
import { type Start, startWebkit } from './stock-browsers.ts';

/** How long a browser may take to start and to connect. */
const START_LIMIT_MS = 60_000;

/** The provider for the engine as it is installed. Without any, the run guard ends the run. */
export function providerOf(engine: Engine): BrowserProviderOption {
  const found = find(engine);
  if (found?.from === 'system' && engine === 'webkit') {
    return stock(startWebkit(found.path, found.xvfb!));
  }
  const launch = found ? launchOptions(engine) : {};
  const provider = playwright({
    launchOptions: { ...launch, timeout: START_LIMIT_MS },
    contextOptions: { ...contextOptions(engine), viewport: { width: 1280, height: 1024 } },
  });
  return withTimeLimit(withFrame(provider));
}

/**
 * Vitest finds the frame of a test by its name, and gives up after a second. A busy Firefox may not
 * have told Playwright the name by then, so `userEvent.keyboard` fails. This finds it in the page.
 */
function withFrame(option: BrowserProviderOption): BrowserProviderOption {
  const providerFactory: BrowserProviderOption['providerFactory'] = (project) => {
    const provider = option.providerFactory(project);
    const getCommandsContext = provider.getCommandsContext.bind(provider);
    provider.getCommandsContext = (sessionId) => {
      const context = getCommandsContext(sessionId) as { page: Page };
      const frame = async () =>
        (await context.page.waitForSelector('iframe[data-vitest="true"]')).contentFrame();
      return Object.assign(context, { frame });
    };
    return provider;
  };
  return { ...option, providerFactory };
}

/** A provider whose errors name the engine, and whose `close` never fails after such an error. */
function withTimeLimit(option: BrowserProviderOption): BrowserProviderOption {
  const providerFactory: BrowserProviderOption['providerFactory'] = (project) => {
    const provider = option.providerFactory(project);
    const openPage = provider.openPage.bind(provider);
    const close = provider.close.bind(provider);
    let failed = false;
    provider.openPage = async (...args) => {
      try {
        await withinLimit(openPage(...args));
      } catch (error) {
        failed = true;
        throw startError(project, error as Error);
      }
    };
    // Playwright's provider fails here again if its browser did not start.
    provider.close = () => (failed ? Promise.resolve(close()).catch(() => {}) : close());
    return provider;
  };
  return { ...option, providerFactory };
}

async function withinLimit(work: Promise<void>): Promise<void> {
  const tooLate = sleep(START_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`it is not ready within ${START_LIMIT_MS / 1000} s`);
  });
  await Promise.race([work, tooLate]);
}

/** One short error without a stack: where in Vitest a start failed is of no interest. */
function startError(project: TestProject, { message }: Error): Error {
  const error = new Error(`The browser of ${project.name} failed: ${message}`);
  error.stack = '';
  return error;
}

const previewDist = dirname(fileURLToPath(import.meta.resolve('@vitest/browser-preview')));

/** Vitest's own, not in its types. @vitest/browser-playwright reports a crash in the same way. */
interface Sessions {
  _browserSessions?: { getSession(id: string): { fail?(why: Error): void } | undefined };
}

/**
 * Starts a real browser at Vitest's URL. From there Vitest itself runs the tests over its websocket.
 */
class StockBrowserProvider implements BrowserProvider {
  readonly name = 'preview'; // so that Vitest serves its simulated `userEvent` and locators
  readonly supportsParallelism = false;
  readonly distRoot = previewDist;
  readonly initScripts = [join(previewDist, 'locators.js')];
  readonly #project: TestProject;
  readonly #start: Start;
  #run: Running | undefined;

  constructor(project: TestProject, start: Start) {
    this.#project = project;
    this.#start = start;
    // The orchestrator asks for this before each file. CSS sizes the iframe: nothing is to be done.
    project.browser!.registerCommand('__vitest_viewport' as never, (() => {}) as never);
  }

  getCommandsContext() {
    return {};
  }

  /** Resolves when the page has connected, so that a browser that ends before that is an error. */
  async openPage(sessionId: string, url: string) {
    await this.close();
    const run = new Running();
    this.#run = run;
    await new Promise<void>((resolve, reject) => {
      let connected = false;
      const died = (why: Error) => {
        if (connected) this.#failSession(sessionId, startError(this.#project, why));
        else reject(why);
      };
      const opened = this.#start(run, url, died).then(() => this.#connection(sessionId, run));
      opened.then(() => {
        connected = true;
        resolve();
      }, reject);
    });
  }

  async #connection(sessionId: string, run: Running) {
    const { orchestrators } = this.#project.browser!.state as {
      orchestrators: ReadonlyMap<string, unknown>;
    };
    while (!orchestrators.has(sessionId) && this.#run === run) await sleep(50);
  }

  #failSession(sessionId: string, why: Error) {
    const vitest: Vitest & Sessions = this.#project.vitest;
    const session = vitest._browserSessions?.getSession(sessionId);
    if (session?.fail) session.fail(why);
    else vitest.state.catchError(why, 'Browser Error');
  }

  async close() {
    const run = this.#run;
    this.#run = undefined;
    await run?.stop();
  }
}

function stock(start: Start): BrowserProviderOption {
  const provider = defineBrowserProvider({
    name: 'preview',
    providerFactory: (project) => new StockBrowserProvider(project, start),
  });
  return withTimeLimit(provider);
}
