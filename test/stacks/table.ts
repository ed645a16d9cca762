/** The results: on the screen, in results.json, and as a table in docs/tried.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What came of one stack. */
export interface Result {
  /** The day on which it was tried. */
  date: string;
  node: string;
  versions: string;
  checks: { title: string; works: boolean }[];
}

export type Results = Record<string, Result>;

const FILE = join(import.meta.dirname, 'results.json');
const PAGE = join(import.meta.dirname, '../../docs/tried.md');
const START = '<!-- Written by `npm run stacks`: from here -->';
const END = '<!-- to here -->';

export function printResults(results: Results): void {
  console.log('');
  for (const [name, { checks }] of Object.entries(results)) {
    for (const { title, works } of checks) {
      console.log(`${name.padEnd(12)} ${works ? 'works ' : 'FAILED'} ${title}`);
    }
  }
}

/** Replaces the results of the stacks that were tried. The others keep theirs, with their dates. */
export function writeResults(tried: Results, names: string[]): void {
  const earlier: Results = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
  const all: Results = {};
  for (const name of names) {
    const result = tried[name] ?? earlier[name];
    if (result) all[name] = result;
  }
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(START);
  const [, after] = rest!.split(END);
  writeFileSync(PAGE, `${before}${START}\n\n${tableOf(all)}\n\n${END}${after}`);
}

function tableOf(results: Results): string {
  const lines = Object.values(results).map(({ date, node, versions, checks }) => {
    const tried = checks.map(({ title, works }) => (works ? title : `**${title}: fails**`));
    return `| ${versions} | ${tried.join('; ')} | ${date}, Node ${node} |`;
  });
  return ['| versions | what works | tried on |', '|---|---|---|', ...lines].join('\n');
}
