/** A browser that goes from page to page, each on a site of its own, and does the job of each. */
import { execFileSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, firefox, webkit } from 'playwright';
import { contextOptions, launchOptions } from '../../test/support/launch-options.ts';
import { Running } from '../../test/support/processes.ts';
import { startWebkit } from '../../test/support/stock-browsers.ts';
import { type Engine, type Found, need } from '../prepare/browsers.ts';

export interface Session {
  version: string;
  /** Opens a fresh page, a file of pages/, with this job, and waits for its result. */
  run<Result>(page: string, job: object): Promise<Result>;
  stop(): Promise<void>;
}

/** Without these a page's clock has a resolution of a millisecond in Firefox. */
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cache-control': 'no-store',
};
const LIMIT = 600_000; // an endless loop in a page

export async function open(engine: Engine): Promise<Session> {
  let waiting: ServerResponse | undefined; // the page that has done its job and waits for the next
  let answered: (answer: { result?: unknown; error?: string }) => void = () => {};
  let failed: (why: Error) => void = () => {};
  let html =
    '<script>fetch("/next", { method: "POST", body: "{}" }).then((next) => next.text()).then((url) => location.replace(url))</script>';
  let jobs = 0;

  const server = createServer(async (request, response) => {
    if (request.url === '/next') {
      let body = '';
      for await (const chunk of request) body += chunk;
      waiting = response;
      answered(JSON.parse(body));
    } else if (request.url === '/') {
      response
        .writeHead(200, { ...ISOLATED, 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><title>Benchmark</title>${html}`);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const answer = async <Result>() => {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Result>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`${engine}: no answer`)), LIMIT);
        failed = reject;
        answered = ({ result, error }) =>
          error ? reject(new Error(`${engine}: ${error}`)) : resolve(result as Result);
      });
    } finally {
      clearTimeout(timer);
    }
  };

  const here = answer(); // it is up
  const browser = await start(need(engine), engine, `http://localhost:${port}/`, (why) =>
    failed(why),
  );
  await here;
  return {
    ...browser,
    async run<Result>(page: string, job: object) {
      const json = JSON.stringify(job).replaceAll('<', '\\u003c');
      html = `<script type="application/json" id="job">${json}</script><script>${await script(page)}</script>`;
      const result = answer<Result>();
      waiting!.end(`http://job-${++jobs}.localhost:${port}/`);
      return result;
    },
    async stop() {
      await browser.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

const scripts = new Map<string, Promise<string>>();
function script(page: string): Promise<string> {
  const bundle = async () => {
    const entryPoints = [join(import.meta.dirname, 'pages', `${page}.ts`)];
    return (
      await build({ entryPoints, bundle: true, write: false, format: 'iife', target: 'es2022' })
    ).outputFiles[0]!.text;
  };
  if (!scripts.has(page)) scripts.set(page, bundle());
  return scripts.get(page)!;
}

async function start(found: Found, engine: Engine, url: string, died: (why: Error) => void) {
  if (!found.driver) return startWithPlaywright(engine, url, died);
  const running = new Running();
  await startWebkit(found.path, found.xvfb!)(running, url, died);
  return {
    version: webkitVersion(),
    stop: () => running.stop(),
  };
}

async function startWithPlaywright(engine: Engine, url: string, died: (why: Error) => void) {
  const browserType = { chromium, firefox, webkit }[engine];
  const browser: Browser = await browserType.launch(launchOptions(engine));
  browser.once('disconnected', () => died(new Error(`${engine} ended early`)));
  const page = await browser.newPage(contextOptions(engine));
  await page.goto(url);
  return {
    version: browser.version(),
    stop: () => browser.close(),
  };
}

/** MiniBrowser wants a display to tell its version. */
function webkitVersion(): string {
  const about = execFileSync('dpkg', ['-s', 'libwebkit2gtk-4.1-0'], { encoding: 'utf8' });
  return about.match(/Version: (\d+(\.\d+)+)/)![1]!;
}
