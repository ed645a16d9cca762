/** The built scripts are what the tools make of the sources: tools/release/same.ts. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DIST } from '../support/built.ts';

const root = join(import.meta.dirname, '../..');

// One of them is changed in a copy, as the control.
test('each script in dist/ is what tsc, Rollup and Terser make of src/, and one with a space more is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(DIST, folder, { recursive: true });
  appendFileSync(join(folder, 'cardseal.check.js'), ' ');
  const args = ['--import', 'tsx', 'tools/release/same.ts', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr.trim().split('\n')).toEqual([
    'dist/cardseal.check.js is not what src/ makes',
    'dist/integrity.json has another hash of cardseal.check.js',
  ]);
  const [, same, all] = /^(\d+) of (\d+) scripts are the same/.exec(stdout)!;
  expect(Number(same)).toBe(Number(all) - 1);
  expect(status).toBe(1);
});
