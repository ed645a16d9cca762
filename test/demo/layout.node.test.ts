/** The parts of the demo that people copy stand alone: no import leads to where it should not. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import typescript from 'typescript';
import { expect, test } from 'vitest';

const demo = join(import.meta.dirname, '../../demo');

const filesIn = (folder: string) =>
  readdirSync(join(demo, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/**
 * The folders of the demo that a file imports from, types included: anyone who copies the file
 * needs those, too. Files beside them, such as the built library, count as their first folder.
 */
function foldersImportedBy(file: string): string[] {
  const { importedFiles } = typescript.preProcessFile(readFileSync(join(demo, file), 'utf8'));
  const paths = importedFiles
    .map(({ fileName }) => fileName)
    .filter((path) => path.startsWith('.'));
  return paths.map((path) => relative(demo, resolve(demo, dirname(file), path)).split('/')[0]!);
}

test.each([
  ['checkout', ['checkout']],
  ['merchant', ['checkout', 'merchant']],
  ['service', ['service']],
  ['explained', ['checkout', 'explained', 'merchant']],
])('demo/%s imports only from %j', (folder, allowed) => {
  const found = new Set(filesIn(folder).flatMap(foldersImportedBy));
  expect([...found].sort()).toEqual(allowed);
});
