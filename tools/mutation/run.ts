/**
 * `node tools/mutation`: makes every small change that Stryker knows to the source, one at a time, and
 * runs the tests over it. `node tools/mutation core` takes one part of parts.ts,
 * `node tools/mutation form src/form/card/read.ts` one file of it. Fails unless every change is noticed or
 * explained.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Stryker } from '@stryker-mutator/core';
import { check, isNoticed, type Mutant, type Report } from './check.ts';
import { JUDGES, type Judge, PARTS } from './parts.ts';
import { mutateOnly } from './places.js';

const args = process.argv.slice(2);
const files = args.filter((name) => name.includes('/'));
const names = args.filter((name) => !files.includes(name));
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length) throw new Error(`No such part: ${unknown}. Parts: ${Object.keys(PARTS)}`);

for (const part of names.length ? names : Object.keys(PARTS)) {
  const { mutate, judges } = PARTS[part]!;
  const [first, ...others] = judges;
  const report = await judgedBy(first!, files.length ? files : mutate);
  const lives = (mutant: Mutant) => mutant.status !== 'CompileError' && !isNoticed(mutant);
  for (const judge of others) await judgeAgain(report, lives, (them) => judgedBy(judge, them));
  if (!check(report)) process.exitCode = 1;
}

async function judgedBy(judge: Judge, mutate: string[]): Promise<Report> {
  const report = await run(judge, mutate, availableParallelism());
  // A mutant that ran out of time may only have been slow, so it runs again in isolation.
  await judgeAgain(report, ranOutOfTime, (them) => run(judge, them, 1));
  return report;
}

/** Lets some mutants of a report be judged again, and takes the new answers into the report. */
async function judgeAgain(
  { files }: Report,
  isOpen: (mutant: Mutant) => boolean,
  judge: (mutate: string[]) => Promise<Report>,
): Promise<void> {
  const open = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.filter(isOpen).map((mutant) => ({ file, mutant })),
  );
  if (!open.length) return;
  mutateOnly(open.map(({ file, mutant }) => ({ file, ...placeOf(mutant) })));
  const again = await judge(open.map(({ file, mutant }) => `${file}:${rangeOf(mutant)}`));
  mutateOnly([]);
  for (const { file, mutant } of open) {
    const same = again.files[file]!.mutants.find((other) => nameOf(other) === nameOf(mutant))!;
    mutant.status = same.status;
    mutant.statusReason = same.statusReason;
  }
}

async function run(judge: Judge, mutate: string[], concurrency: number): Promise<Report> {
  const fileName = `reports/mutation-${judge}.json`;
  await new Stryker({
    testRunner: 'vitest',
    plugins: [
      '@stryker-mutator/vitest-runner',
      '@stryker-mutator/typescript-checker',
      './tools/mutation/places.js',
    ],
    ignorers: ['places'],
    vitest: { configFile: `tools/mutation/${judge}.vitest.config.ts`, related: false },
    ignorePatterns: ['/reports'],
    disableTypeChecks: false,
    checkers: ['typescript'],
    tsconfigFile: 'tools/mutation/tsconfig.json',
    coverageAnalysis: 'perTest',
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName },
    ...JUDGES[judge],
    mutate,
    concurrency,
  }).runMutationTest();
  return JSON.parse(readFileSync(fileName, 'utf8'));
}

/**
 * Whether a run or one of its tests took too long. An endless loop that Stryker found by counting its
 * rounds has run out of rounds, not of time.
 */
function ranOutOfTime({ status, statusReason = '' }: Mutant): boolean {
  if (status === 'Timeout') return !statusReason.startsWith('Hit limit');
  return status === 'Killed' && statusReason.startsWith('Test timed out');
}

/** Lines count from 1, as in the report, but columns from 0. */
function placeOf({ location: { start, end } }: Mutant) {
  return {
    start: { line: start.line, column: start.column - 1 },
    end: { line: end.line, column: end.column - 1 },
  };
}

/** As Stryker's `mutate` wants it. */
function rangeOf(mutant: Mutant): string {
  const { start, end } = placeOf(mutant);
  return `${start.line}:${start.column}-${end.line}:${end.column}`;
}

function nameOf({ location, mutatorName, replacement }: Mutant): string {
  return JSON.stringify([location, mutatorName, replacement]);
}
