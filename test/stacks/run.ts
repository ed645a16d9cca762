/**
 * `npm run stacks`: builds small apps with the real tools from the packed library, and pays in a
 * real browser. Installs the tools when they are needed, into `.cache/stacks`.
 * `-- next jest` takes the stacks with these words in their names. The results go into results.json
 * and into the table of docs/tried.md.
 */
import { chromium } from 'playwright';
import { need } from '../../tools/prepare/browsers.ts';
import { Shop } from './shop.ts';
import type { Stack } from './stack.ts';
import { STACKS } from './stacks.ts';
import { printResults, type Result, type Results, writeResults } from './table.ts';
import { pack, Workshop } from './workshop.ts';

/** The time for one stack. Installing its tools counts, too. */
const LIMIT_MS = 10 * 60_000;

type Check = Result['checks'][number];

const words = process.argv.slice(2);
const chosen = STACKS.filter(({ name }) => !words[0] || words.some((word) => name.includes(word)));
if (!chosen[0]) throw new Error(`The stacks are: ${STACKS.map(({ name }) => name).join(', ')}`);

const tarballs = pack();
const { from, path } = need('chromium');
const browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
const results: Results = {};
for (const stack of chosen) {
  results[stack.name] = await tryStack(stack);
  // At once: a later stack may take long.
  const names = STACKS.map(({ name }) => name);
  writeResults(results, names);
}
await browser.close();

printResults(results);
const checks = Object.values(results).flatMap(({ checks }) => checks);
const failures = checks.filter(({ works }) => !works).length;
console.log(failures ? `\n${failures} checks failed` : `\nAll ${checks.length} checks hold`);
process.exit(failures ? 1 : 0);

async function tryStack({ name, packages, make, build, checks }: Stack): Promise<Result> {
  console.log(`\n${name}`);
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Error(`${name} took more than ${LIMIT_MS / 1000} s`));
  }, LIMIT_MS);
  const isOver = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason));
  });
  isOver.catch(() => {});
  const app = new Workshop(name, tarballs, limit.signal);
  const shop = await new Shop().start();
  const place = { app, shop, browser };
  const attempt = async (title: string, action: () => Promise<void>): Promise<Check> => {
    const start = Date.now();
    const error = await Promise.race([action(), isOver]).then(
      () => '',
      (error: Error) => error.message,
    );
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(`  ${error ? 'FAILED' : 'ok    '}  ${title} (${seconds} s)`);
    if (error) console.log(error.replace(/^/gm, '          '));
    return { title, works: !error };
  };
  try {
    const built = await attempt('installs and builds', async () => {
      if (make) await make(place);
      else await app.copyApp();
      await build?.(place);
    });
    const tried = built.works ? [] : [built];
    const runnable = built.works ? Object.entries(checks) : [];
    for (const [title, run] of runnable) tried.push(await attempt(title, () => run(place)));
    const date = new Date().toISOString().slice(0, 10);
    const { node } = process.versions;
    const versions = built.works ? packages.map((name) => nameVersion(app, name)) : [name];
    return { date, node, versions: versions.join(', '), checks: tried };
  } finally {
    clearTimeout(timer);
    limit.abort(); // ends what is still running
    shop.stop();
    app.remove();
  }
}

function nameVersion(app: Workshop, name: string): string {
  return `${name} ${app.version(name)}`;
}
