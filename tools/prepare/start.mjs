/**
 * Starts a tool or a slow test, after what it needs is there. Plain Node, because it installs the
 * packages first. The arguments of the command line go to the last of the commands.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `commands`: each the arguments of Node, for example `['tsx', 'tools/bench/bench.ts']`; `tsx` and
 * `vitest` stand for those programs. `packages`: folders with a package.json of their own.
 * `browsers`: whether it needs the three engines. `programs`: whether it needs other languages.
 * `built`: whether it needs `dist/`.
 */
export function start(commands, { packages = [], browsers, programs, built } = {}) {
  run(['tools/prepare/dependencies.mjs', ...packages]);
  if (browsers) run(['tsx', 'tools/prepare/browsers.ts']);
  if (programs) run(['tsx', 'tools/prepare/interop.ts']);
  if (built) run(['build']);
  const args = process.argv.slice(2);
  for (const command of commands.slice(0, -1)) run(command);
  run([...commands.at(-1), ...args]);
}

const PROGRAMS = {
  tsx: ['--import', 'tsx'],
  vitest: ['node_modules/vitest/vitest.mjs', 'run', '--config'],
};

function run([first, ...others]) {
  const args = [...(PROGRAMS[first] ?? [first]), ...others];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
