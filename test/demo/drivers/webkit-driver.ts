import { type AddressInfo, createServer } from 'node:net';
import { vi } from 'vitest';
import type { Found } from '../../tools/prepare/browsers.ts';
import { Running, startDisplay } from '../../tools/support/processes.ts';
import { webkitEnvironment } from '../../tools/support/stock-browsers.ts';
import type { DrivenBrowser } from './shopper.ts';

/** How long one command may take. Longer than the 30 s in which an element must be found. */
const COMMAND_LIMIT_MS = 45_000;

/** How long a new session may take. Together with a second try, this is less than a test may take. */
const SESSION_LIMIT_MS = 20_000;

/**
 * The system's WebKitGTK on a virtual display, over WebDriver (https://www.w3.org/TR/webdriver2/).
 * WebKitWebDriver sometimes never answers when it is asked for a session: then another one is.
 */
export async function startWebkit(found: Found): Promise<DrivenBrowser> {
  let browser = await startOnce(found);
  return {
    async newTab(settings) {
      try {
        return await browser.newTab(settings);
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError') throw error;
        await browser.close();
        browser = await startOnce(found);
        return browser.newTab(settings);
      }
    },
    close: () => browser.close(),
  };
}

async function startOnce({ path, xvfb, driver }: Found): Promise<DrivenBrowser> {
  const run = new Running();
  let whyDead: Error | undefined;
  const died = (why: Error) => {
    whyDead ??= why;
  };
  const display = await startDisplay(run, xvfb!, died);
  const port = await freePort();
  run.start(driver!, [`--port=${port}`], webkitEnvironment(display), died);

  async function call<T>(
    method: 'GET' | 'POST' | 'DELETE',
    command: string,
    parameters?: object,
    limitMs = COMMAND_LIMIT_MS,
  ): Promise<T> {
    if (whyDead) throw whyDead;
    const body = parameters ? { body: JSON.stringify(parameters) } : {};
    const signal = AbortSignal.timeout(limitMs);
    const response = await fetch(`http://127.0.0.1:${port}${command}`, { method, signal, ...body });
    const { value } = (await response.json()) as { value: T & { error: string; message: string } };
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
  await vi.waitFor(() => call('GET', '/status'), { timeout: 30_000 });

  return {
    async newTab() {
      const options = { binary: path, args: ['--automation'] };
      const capabilities = {
        alwaysMatch: { 'webkitgtk:browserOptions': options, timeouts: { implicit: 30_000 } },
      };
      const { sessionId } = await call<{ sessionId: string }>(
        'POST',
        '/session',
        { capabilities },
        SESSION_LIMIT_MS,
      );
      const session = `/session/${sessionId}`;
      const at = async (xpath: string) => {
        const element = await call<object>('POST', `${session}/element`, {
          using: 'xpath',
          value: xpath,
        });
        return `${session}/element/${Object.values(element)[0]}`;
      };
      return {
        open: async (url) => call('POST', `${session}/url`, { url }),
        type: async (xpath, text) => call('POST', `${await at(xpath)}/value`, { text }),
        click: async (xpath) => call('POST', `${await at(xpath)}/click`, {}),
        evaluate: (expression) =>
          call('POST', `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
        close: () => call('DELETE', session),
      };
    },
    close: () => run.stop(),
  };
}

/** WebKitWebDriver takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
