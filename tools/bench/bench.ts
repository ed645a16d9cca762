/**
 * `node tools/bench`: what a page pays for Cardseal, in bytes and in time, compared with what people
 * use instead. Writes results/results.json, results/chart.svg and the generated part of
 * docs/performance.md. Fails if a budget is certainly exceeded by more than its reason explains.
 * After `node tools/bench`, `--try` is quick and writes nothing, and `--sizes` measures the bytes
 * alone and keeps the times.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, type } from 'node:os';
import { join } from 'node:path';
import { ENGINES, type Engine } from '../prepare/browsers.ts';
import { chart } from './chart.ts';
import { makeKeyPair } from './keys.ts';
import { budgets, performanceSection } from './report.ts';
import { measureSizes, type Size } from './size.ts';
import { type Effort, measureSpeed, type Speed } from './speed.ts';

export interface Results {
  /** Of the day on which it was measured, as ISO 8601 has it. */
  date: string;
  /** What the numbers depend on. */
  machine: { cpu: string; cores: number; system: string };
  sizes: Size[];
  speed: Record<Engine, Speed>;
}

const RESULTS = join(import.meta.dirname, 'results');
const PAGE = join(import.meta.dirname, '../../docs/performance.md');
const [START, END] = ['<!-- Written by `node tools/bench`: from here -->', '<!-- to here -->'];

const trying = process.argv.includes('--try');
const effort: Effort = trying ? { warm: 10, fresh: 6 } : { warm: 80, fresh: 30 };

const results = process.argv.includes('--sizes') ? await measureSizesAgain() : await measure();
const outcome = budgets(results);
for (const { what, where, value, bound, met, reason = '' } of outcome)
  console.log(`${met ? 'met   ' : 'MISSED'} ${what}, ${where}: ${value}; at most ${bound}`, reason);
if (trying) console.log(performanceSection(results));
else {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'results.json'), `${JSON.stringify(results, rounded, 2)}\n`);
  writeFileSync(join(RESULTS, 'chart.svg'), chart(results));
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), performanceSection(results)));
}
if (outcome.some(({ isFailure }) => isFailure)) process.exitCode = 1;

async function measure(): Promise<Results> {
  const [cpu] = cpus();
  const system = `${type()} ${release()}`;
  const machine = { cpu: cpu!.model, cores: cpus().length, system };
  const sizes = await measureSizes();
  const pair = await makeKeyPair();
  const speed = {} as Record<Engine, Speed>;
  for (const engine of ENGINES) {
    console.log(`Measuring in ${engine} ...`);
    speed[engine] = await measureSpeed(engine, pair, effort);
  }
  return { date: new Date().toISOString().slice(0, 10), machine, sizes, speed };
}

/** Four digits of what was measured; counts as they are. */
function rounded(_key: string, value: unknown) {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}

async function measureSizesAgain(): Promise<Results> {
  const before: Results = JSON.parse(readFileSync(join(RESULTS, 'results.json'), 'utf8'));
  return { ...before, sizes: await measureSizes() };
}

function withSection(page: string, section: string): string {
  const [before, rest] = page.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/performance.md has no place between ${START} and ${END}`);
  return `${before}${START}\n\n${section}\n\n${END}${after}`;
}
