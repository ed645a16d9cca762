/** A Chromium page with the library, and two looks into what it holds. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type CDPSession, chromium, type Page } from 'playwright';
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
    page,
    cdp,
    browser,
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

/** The process that renders the page, told by bytes that only it holds. */
export async function rendererPid(page: Page): Promise<number> {
  const cdp = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const tag = crypto.randomUUID();
  await page.evaluate(`window.tag = new TextEncoder().encode('${tag}')`);
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const [pid, ...others] = renderers.filter((id) => countInProcess(id, [Buffer.from(tag)])[0]! > 0);
  await page.evaluate('delete window.tag');
  if (pid === undefined || others.length)
    throw new Error(`could not tell which of the processes ${renderers} renders the page`);
  return pid;
}

/**
 * How often each needle stands in the writable or anonymous memory of a process: objects, buffers, freed memory, what the browser and its
 * cryptography keep. Linux only, as root or as the same user where ptrace is allowed.
 */
export function countInProcess(pid: number, needles: Buffer[]): number[] {
  const counts = needles.map(() => 0);
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  const step = 1 << 24;
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const region of readFileSync(`/proc/${pid}/maps`, 'utf8').trim().split('\n')) {
      const [range, rights, , , inode] = region.split(/\s+/) as [
        string,
        string,
        string,
        string,
        string,
      ];
      if (!rights.startsWith('r') || (rights[1] !== 'w' && inode !== '0')) continue;
      const [start, end] = range.split('-').map((address) => BigInt(`0x${address}`)) as [
        bigint,
        bigint,
      ];
      for (let at = start; at < end; at += BigInt(step)) {
        const bytes = readAt(memory, at, Math.min(step + overlap, Number(end - at)));
        needles.forEach((needle, i) => {
          for (
            let hit = bytes.indexOf(needle);
            hit !== -1 && hit < step;
            hit = bytes.indexOf(needle, hit + 1)
          )
            counts[i]!++;
        });
      }
    }
  } finally {
    closeSync(memory);
  }
  return counts;
}

function readAt(memory: number, position: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    return bytes.subarray(0, readSync(memory, bytes, { position }));
  } catch {
    return Buffer.alloc(0); // reserved, but no memory behind it
  }
}
