/** Run by `npm version`: has the script tag in README name the version that is released, and the hash of its file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ScriptTag {
  version: string;
  integrity: string;
}

const PARTS = /(cardseal@)([^/"]+)(\/dist\/cardseal\.js"\s+integrity=")([^"]+)(")/;

/** What README's tag names. */
export function readTag(readme: string): ScriptTag | undefined {
  const [, , version, , integrity] = PARTS.exec(readme) ?? [];
  return version && integrity ? { version, integrity } : undefined;
}

export function fillIn(readme: string, { version, integrity }: ScriptTag): string {
  if (!readTag(readme)) throw new Error('README has no script tag to fill in');
  return readme.replace(PARTS, (_, before, _version, between, _integrity, after) => before + version + between + integrity + after);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = join(import.meta.dirname, '../..');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const integrity = JSON.parse(read('dist/integrity.json'))['cardseal.js'];
  writeFileSync(join(root, 'README.md'), fillIn(read('README.md'), { version: JSON.parse(read('package.json')).version, integrity }));
}
