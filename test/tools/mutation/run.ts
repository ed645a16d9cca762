/**
 * `npm run mutate`: makes every small change that Stryker knows to the source, one at a time, and
 * runs the tests over it. `npm run mutate -- core` takes the core and the server functions alone,
 * `npm run mutate -- form` the form and the script tag, and
 * `npm run mutate -- form src/form/read.ts` one file of these. Fails unless every change is
 * noticed or explained.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Stryker } from '@stryker-mutator/core';
import { check, type Mutant, type Report } from './check.ts';

const PARTS = {
  core: { mutate: ['src/core/*.ts', 'src/server/*.ts'], timeoutMS: 60_000 },
  checkout: { mutate: ['src/checkout/*.ts'], timeoutMS: 60_000 },
  form: {
    mutate: ['src/form/*.ts', 'src/script-tag/index.ts'],
    timeoutMS: 10_000,
    buildCommand: 'npm run build',
  },
};
type Part = keyof typeof PARTS;

const args = process.argv.slice(2);
const files = args.filter((name) => name.includes('/'));
const names = args.filter((name) => !files.includes(name));
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length) throw new Error(`No such part: ${unknown}. Parts: ${Object.keys(PARTS)}`);

for (const part of (names.length ? names : Object.keys(PARTS)) as Part[]) {
  const some = files.length ? { mutate: files } : {};
  const report = await run(part, `mutation-${part}`, {
    ...some,
    concurrency: Number(process.env.CONCURRENCY ?? availableParallelism()),
  });
  await testAlone(part, report);
  if (!check(report)) process.exitCode = 1;
}

async function run(
  part: Part,
  name: string,
  more: { mutate?: string[]; concurrency: number },
): Promise<Report> {
  const fileName = `reports/${name}.json`;
  await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', '@stryker-mutator/typescript-checker'],
    vitest: { configFile: `test/tools/mutation/${part}.vitest.config.ts`, related: false },
    ignorePatterns: ['/reports', '/demo'],
    disableTypeChecks: false,
    checkers: ['typescript'],
    tsconfigFile: 'test/tools/mutation/tsconfig.json',
    coverageAnalysis: 'perTest',
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName },
    ...PARTS[part],
    ...more,
  }).runMutationTest();
  return JSON.parse(readFileSync(fileName, 'utf8'));
}

/** A mutant that timed out may only have been slow, so it runs again in isolation. */
async function testAlone(part: Part, { files }: Report): Promise<void> {
  const stopped = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.filter(ranOutOfTime).map((mutant) => ({ file, mutant })),
  );
  if (!stopped.length) return;
  const mutate = stopped.map(({ file, mutant }) => `${file}:${rangeOf(mutant)}`);
  const again = await run(part, `mutation-${part}-alone`, { mutate, concurrency: 1 });
  for (const { file, mutant } of stopped) {
    const same = again.files[file]!.mutants.find((other) => nameOf(other) === nameOf(mutant))!;
    mutant.status = same.status;
  }
}

/** An endless loop that Stryker found by counting its rounds has run out of rounds, not of time. */
function ranOutOfTime({ status, statusReason }: Mutant): boolean {
  return status === 'Timeout' && !statusReason?.startsWith('Hit limit');
}

/** As Stryker's `mutate` wants it: lines count from 1, columns from 0. */
function rangeOf({ location: { start, end } }: Mutant): string {
  return `${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

function nameOf({ location, mutatorName, replacement }: Mutant): string {
  return JSON.stringify([location, mutatorName, replacement]);
}
