import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Found } from '../prepare/browsers.ts';
import type { DrivenBrowser } from './shopper.ts';

/** The system's WebKitGTK on a virtual display, over WebDriver (https://www.w3.org/TR/webdriver2/). */
export async function startWebkit({ path, xvfb, driver }: Found): Promise<DrivenBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'webkit-'));
  const children: ChildProcess[] = [];
  const start = (command: string, args: string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: home, ...env } });
    children.push(child);
    return child;
  };
  const [display] = await once(start(xvfb!, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp']).stdio[3]!, 'data');
  const port = await freePort();
  start(driver!, [`--port=${port}`], {
    DISPLAY: `:${String(display).trim()}`,
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  });

  async function call<T>(method: 'GET' | 'POST' | 'DELETE', command: string, parameters?: object): Promise<T> {
    const body = parameters ? { body: JSON.stringify(parameters) } : {};
    const response = await fetch(`http://127.0.0.1:${port}${command}`, { method, ...body });
    const { value } = (await response.json()) as { value: T & { error: string; message: string } };
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
  await vi.waitFor(() => call('GET', '/status'), { timeout: 30_000 });

  return {
    async newTab() {
      const options = { binary: path, args: ['--automation'] };
      const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options, timeouts: { implicit: 30_000 } } };
      const { sessionId } = await call<{ sessionId: string }>('POST', '/session', { capabilities });
      const session = `/session/${sessionId}`;
      const at = async (xpath: string) => {
        const element = await call<object>('POST', `${session}/element`, { using: 'xpath', value: xpath });
        return `${session}/element/${Object.values(element)[0]}`;
      };
      return {
        open: async (url) => call('POST', `${session}/url`, { url }),
        type: async (xpath, text) => call('POST', `${await at(xpath)}/value`, { text }),
        click: async (xpath) => call('POST', `${await at(xpath)}/click`, {}),
        evaluate: (expression) => call('POST', `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
        close: () => call('DELETE', session),
      };
    },
    async close() {
      for (const child of children.reverse()) {
        child.kill();
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
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
