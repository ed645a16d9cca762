import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Source files below src/, without their ending. */
const modules = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.slice(0, -'.ts'.length))
  .sort();

test('packs the sources, one readable file and its types for each of them, the documents, and nothing else', () => {
  const [{ files }] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts'));
  const packed = files.map(({ path }: { path: string }) => path).sort();
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
    ...modules.map((name) => `src/${name}.ts`),
    ...modules.filter((name) => name !== 'script-tag').flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
    ...['dist/cardseal.js', 'dist/cardseal.readable.js', 'dist/integrity.json'],
  ].sort();
  expect(packed).toEqual(expected);
});

test('asks nothing of those who install it: no dependency, no install script, no engine', () => {
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies', 'engines', 'os', 'cpu']) {
    expect(manifest).not.toHaveProperty(field);
  }
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) expect(manifest.scripts).not.toHaveProperty(script);
});

test('names the types first in each export', () => {
  const entries = Object.values(manifest.exports).filter((entry) => typeof entry === 'object') as object[];
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries) expect(Object.keys(entry)).toEqual(['types', 'default']);
});

test('serves the script-tag file where those who ask for the package alone look for it', () => {
  for (const path of [manifest.unpkg, manifest.jsdelivr, manifest.exports['./cardseal.js']]) expect(path).toBe('./dist/cardseal.js');
  expect(manifest.sideEffects).toEqual(['./dist/cardseal.js', './dist/cardseal.readable.js', './src/script-tag.ts']);
});

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pkgDir: root, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test('the types are not wrong, in the profile of a package that is ESM only', () => {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const script = ['--exclude-entrypoints', './cardseal.js']; // for pages, which have no types
  const args = ['--pack', root, '--profile', 'esm-only', '--format', 'json', ...script];
  const report = execFileSync(process.execPath, [attw, ...args], { encoding: 'utf8' });
  expect(JSON.parse(report).analysis.entrypoints).toHaveProperty('.');
}, 60_000);
