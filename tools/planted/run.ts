/**
 * `node tools/planted`: plants each fault in a copy of the repository, runs the tests that should
 * notice it, and prints which faults no test has noticed. Words after the command choose rooms and
 * parts of names: `node tools/planted core`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { plant } from './plant.ts';

const root = join(import.meta.dirname, '../..');
const words = process.argv.slice(2);
const chosen = Object.entries(FAULTS).flatMap(([room, faults]) =>
  faults.filter(
    ({ name }) =>
      !words.length || words.some((word) => (word in FAULTS ? room === word : name.includes(word))),
  ),
);
if (!chosen.length) throw new Error(`No fault has such a name. Rooms: ${Object.keys(FAULTS)}`);

/** Below the repository, where Node finds its node_modules. Tests search for the word "planted". */
mkdirSync(join(root, 'reports'), { recursive: true });
const copy = mkdtempSync(join(root, 'reports/copy-'));
try {
  makeCopy();
  process.exitCode = run() ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Returns whether every fault was noticed. */
function run(): boolean {
  if (chosen.some(({ isBuilt }) => isBuilt)) build();
  const without = failures([...new Set(chosen.flatMap(({ tests }) => tests))]);
  if (without.length) console.log(`Fail without a fault, and do not count:\n${without.join('\n')}`);
  const missed = chosen.filter((fault) => !isNoticed(fault, without));
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} faults are noticed`);
  for (const { name, file, breaks } of missed) console.log(`MISSED: ${name} (${file}): ${breaks}`);
  return missed.length === 0 && without.length === 0;
}

function isNoticed(fault: Fault, without: string[]): boolean {
  const { name, file, breaks, tests, isBuilt } = fault;
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, plant(text, fault));
  if (isBuilt) build();
  const options = without.length ? [] : ['--bail', '1'];
  const first = failures(tests, options).find((it) => !without.includes(it));
  writeFileSync(path, text);
  console.log(
    `${first ? 'noticed' : 'MISSED '}  ${name}: ${breaks}${first ? `\n         by ${first}` : ''}`,
  );
  return first !== undefined;
}

/** The names of the tests that fail. A file that cannot even be loaded is an error of the fault. */
function failures(tests: readonly string[], options: string[] = []): string[] {
  const projects = new Map<string, string[]>();
  for (const test of tests) {
    const [project = '', path = ''] = test.split(' ');
    projects.set(project, [...(projects.get(project) ?? []), path]);
  }
  const found: string[] = [];
  for (const [project, paths] of projects) {
    found.push(...failuresIn(project, paths, options));
    if (found.length && options.length) break;
  }
  return found;
}

interface Report {
  numTotalTests: number;
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

function failuresIn(project: string, paths: string[], options: string[]): string[] {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = ['--config', 'test/vitest.config.ts', '--project', project];
  const output = ['--reporter', 'json', '--outputFile', report];
  const args = [vitest, 'run', ...config, ...output, ...options, ...paths];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  if (!existsSync(report)) throw new Error(`${project} ${paths}: no report\n${stdout}${stderr}`);
  const { numTotalTests, testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
  if (!numTotalTests) {
    const messages = testResults.map(({ message }) => message).join('\n');
    throw new Error(`${project} ${paths}: no test ran\n${messages}${stdout}${stderr}`);
  }
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${project} ${name.slice(join(copy, 'test/').length)} > ${fullName}`),
  );
}

function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'inherit' });
}

/** Everything that git tracks or would track, as it is now, and the packages that tests look for. */
function makeCopy(): void {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((it) => it !== '' && existsSync(join(root, it)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const packages of ['node_modules', 'test/package/tools/node_modules'])
    symlinkSync(join(root, packages), join(copy, packages));
}
