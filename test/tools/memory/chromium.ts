/** A Chromium page with the library, and a look into what it holds. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type CDPSession, chromium } from 'playwright';
import { need } from '../prepare/browsers.ts';
import type { Act } from './page.ts';

export async function openPage() {
  const script = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const server = createServer((request, response) => {
    if (request.url === '/page.js')
      return response
        .setHeader('content-type', 'text/javascript')
        .end(script.outputFiles[0]!.contents);
    return response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: need('chromium').path });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction('document.title === "ready"');
  const cdp = await page.context().newCDPSession(page);
  return {
    cdp,
    /** Runs one of the page's acts. Nothing but its name, the seed and the key goes over the wire. */
    act: (name: Act, seed: number, key?: object): Promise<void> =>
      page.evaluate(`acts.${name}(${seed}, ${JSON.stringify(key)})`),
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** V8's own account of what is reachable after a full collection. It holds strings, but neither the contents of an ArrayBuffer nor of an <input>, and of a string the first 1,024 characters. */
export async function heapSnapshot(cdp: CDPSession): Promise<string> {
  const chunks: string[] = [];
  const add = ({ chunk }: { chunk: string }) => chunks.push(chunk);
  cdp.on('HeapProfiler.addHeapSnapshotChunk', add);
  await cdp.send('HeapProfiler.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  cdp.off('HeapProfiler.addHeapSnapshotChunk', add);
  return chunks.join('');
}
