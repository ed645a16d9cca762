/** Vitest commands: a page with the built package, by plain http from this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserCommand } from 'vitest/node';

declare module 'vitest/browser' {
  interface BrowserCommands {
    servePlainHttp(): Promise<number>;
    stopPlainHttp(port: number): Promise<void>;
  }
}

/** Answers { key, card } with what the page is, and what became of preparing and encrypting there. */
const PAGE = `<!doctype html><script type="module">
  import { encryptCard, prepareKey } from './core/index.js';
  onmessage = async ({ data: { key, card } }) => {
    const outcomes = [prepareKey(key), encryptCard(key, card)].map((result) => result.then(() => 'ok', ({ code }) => code));
    parent.postMessage({ isSecureContext, crypto: typeof crypto, subtle: typeof crypto.subtle, outcomes: await Promise.all(outcomes), card }, '*');
  };
  parent.postMessage('ready', '*');
</script>`;

const dist = join(import.meta.dirname, '../../../dist');
const servers = new Map<number, Server>();

export const servePlainHttp: BrowserCommand<[]> = async (): Promise<number> => {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/') response.setHeader('Content-Type', 'text/html').end(PAGE);
    else if (!readdirSync(join(dist, 'core')).some((name) => url === `/core/${name}`))
      response.writeHead(404).end();
    else response.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(dist, url)));
  });
  await new Promise<void>((resolve, reject) =>
    server.listen(0, '127.0.0.1', resolve).once('error', reject),
  );
  const { port } = server.address() as AddressInfo;
  servers.set(port, server);
  return port;
};

export const stopPlainHttp: BrowserCommand<[port: number]> = (_context, port) => {
  servers.get(port)?.close();
  servers.get(port)?.closeAllConnections();
  servers.delete(port);
};
