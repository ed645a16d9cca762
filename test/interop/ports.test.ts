/** The tests of the ports themselves, and the one file of each that is made to be copied. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeOneFiles } from '../../tools/release/one-file.ts';

const ports = join(import.meta.dirname, '../../ports');
/** Debian's, which has the frameworks. */
const python = ['/usr/bin/python3', '-B', '-m'];

test.each([
  ['PHPUnit', 'php', ['phpunit']],
  ['pytest', 'python', [...python, 'pytest', '-q', '-p', 'no:cacheprovider']],
  ['mypy --strict', 'python', [...python, 'mypy', '--strict', '--cache-dir=/dev/null']],
] as const)(
  '%s',
  (_, folder, [command, ...args]) => {
    const options = { cwd: join(ports, folder), encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(command!, args, options);
    expect(status, stdout + stderr).toBe(0);
  },
  300_000, // mypy reads the types of Django and FastAPI
);

test('composer finds nothing wrong with the package', () => {
  const options = { cwd: join(ports, 'php'), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    'composer',
    ['validate', '--no-check-lock'],
    options,
  );
  expect(status, stdout + stderr).toBe(0);
});

const folder = mkdtempSync(join(tmpdir(), 'one-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['cardseal.py', 'import sys; sys.path.insert(0, sys.argv[1]); import cardseal', 'python3'],
  ['cardseal.php', 'require "$argv[1]/cardseal.php"; new Cardseal\\SystemClock();', 'php'],
])('%s, to be copied, loads, and says its version and hash', (file, code, command) => {
  writeOneFiles(folder);
  const content = readFileSync(join(folder, file), 'utf8');
  const [, version, hash, rest] = /cardseal ([\d.]+).*\n.*: ([0-9a-f]{64})\n\n(.*)$/s.exec(
    content,
  )!;
  const { version: expected } = JSON.parse(readFileSync(join(ports, '../package.json'), 'utf8'));
  expect(version).toBe(expected);
  expect(createHash('sha256').update(rest!).digest('hex')).toBe(hash);
  const args = command === 'php' ? ['-r', code, folder] : ['-B', '-c', code, folder];
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
