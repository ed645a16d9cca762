/** The parts of the demo that people copy stand alone: no import leads to where it should not. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import typescript from 'typescript';
import { describe, expect, test } from 'vitest';

const demo = join(import.meta.dirname, '../../demo');

const filesIn = (folder: string) =>
  readdirSync(join(demo, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/**
 * The relative paths that a module imports, types included: anyone who copies the file needs those,
 * too.
 */
function imports(source: string): string[] {
  const { importedFiles } = typescript.preProcessFile(source);
  return importedFiles.map(({ fileName }) => fileName).filter((path) => path.startsWith('.'));
}

/**
 * The folders of the demo that a file imports from. Files beside them, such as the built library,
 * count as their first folder.
 */
function foldersImportedBy(file: string): string[] {
  const paths = imports(readFileSync(join(demo, file), 'utf8'));
  return paths.map((path) => relative(demo, resolve(demo, dirname(file), path)).split('/')[0]!);
}

describe.each([
  ['checkout', ['checkout']],
  ['merchant', ['merchant', 'checkout']],
  ['service', ['service']],
])('demo/%s', (folder, allowed) => {
  test.each(filesIn(folder))('%s imports only from its own part of the demo', (file) => {
    for (const found of foldersImportedBy(file)) expect(allowed).toContain(found);
  });

  test.each(filesIn(folder))('%s does not mention the explanation', (file) => {
    expect(readFileSync(join(demo, file), 'utf8')).not.toMatch(/explain|explanation|onlooker/i);
  });
});

test('control: the same search finds the imports of the explanation, types included', () => {
  const found = new Set(filesIn('explained').flatMap(foldersImportedBy));
  expect([...found].sort()).toEqual(['checkout', 'explained', 'merchant']);
  const source = `import type { A } from '../a.ts';\nimport { type B } from '../b.ts';\nexport type { C } from '../c.ts';`;
  expect(imports(source)).toEqual(['../a.ts', '../b.ts', '../c.ts']);
});
