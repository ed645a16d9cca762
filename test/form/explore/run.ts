/**
 * `node tools/explore-form.mjs`: explores the form deeper than the tests do. First its table, in
 * worlds that are copied, then what runs inside the effects. `DEPTH=10 PAGES_DEPTH=6 node
 * tools/explore-form.mjs`
 */
import { loadForm } from './code.ts';
import { explore } from './explore.ts';
import { exploreTable } from './explore-table.ts';
import { SETTINGS, TABLE_SETTINGS } from './scopes.ts';

const page = Number(process.env.PAGE ?? 1);
const shopper = Number(process.env.SHOPPER ?? 1);

await report('the table', Number(process.env.DEPTH ?? 10), (depth) => {
  const found = exploreTable({ settings: TABLE_SETTINGS, page, shopper, depth });
  return { ...found, states: found.worlds, violations: found.faults };
});
const code = await loadForm();
const bounds = { page, shopper };
await report('the simulated page', Number(process.env.PAGES_DEPTH ?? 5), (depth) =>
  explore(code, { settings: SETTINGS, bounds, depth }),
);

interface Found {
  states: number;
  transitions: number;
  violations: Map<string, string>;
}

async function report(what: string, depth: number, run: (depth: number) => Found | Promise<Found>) {
  const started = Date.now();
  const { states, transitions, violations } = await run(depth);
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(
    `${what}: ${states} states, ${transitions} transitions, ${seconds} s; depth ${depth}, ` +
      `${page} acts of the page, ${shopper} of the shopper`,
  );
  for (const [violation, path] of violations) console.log(`\n${violation}\n  ${path}`);
  if (violations.size > 0) process.exitCode = 1;
}
