/**
 * Runs Vitest with the tests' configuration: `tests.ts run` once, `tests.ts watch` again at each
 * change. Installs the browsers of the selected projects first, and no others.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseCLI } from 'vitest/node';
import { ENGINES, ENGINES_OF, type Engine, install } from './browsers.ts';

const root = join(import.meta.dirname, '../..');
const args = process.argv.slice(2);

/** The engines of the projects that `--project` selects. A pattern counts as every project. */
function selectedEngines(): readonly Engine[] {
  const { options } = parseCLI(['vitest', ...args], { allowUnknownOptions: true });
  const projects = [options.project ?? []].flat();
  if (projects.length === 0 || !projects.every((name) => ENGINES_OF[name])) return ENGINES;
  return ENGINES.filter((engine) => projects.some((name) => ENGINES_OF[name]!.includes(engine)));
}

if (install(selectedEngines())) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(root, 'test/vitest.config.ts');
  const command = [vitest, ...args, '--config', config];
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  process.exitCode = 1;
}
