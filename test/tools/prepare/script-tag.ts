/** Run by `npm version`: writes the released version and the hash of its file into the script tag in docs/script-tag.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ScriptTag {
  version: string;
  integrity: string;
}

const PARTS = /(cardseal@)([^/"]+)(\/dist\/cardseal\.js"\s+integrity=")([^"]+)(")/;

/** What the tag names. */
export function readTag(page: string): ScriptTag | undefined {
  const [, , version, , integrity] = PARTS.exec(page) ?? [];
  return version && integrity ? { version, integrity } : undefined;
}

export function fillIn(page: string, { version, integrity }: ScriptTag): string {
  if (!readTag(page)) throw new Error('The page has no script tag to fill in');
  return page.replace(
    PARTS,
    (_, before, _version, between, _integrity, after) =>
      before + version + between + integrity + after,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = join(import.meta.dirname, '../../..');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const integrity = JSON.parse(read('dist/integrity.json'))['cardseal.js'];
  const { version } = JSON.parse(read('package.json'));
  const page = fillIn(read('docs/script-tag.md'), { version, integrity });
  writeFileSync(join(root, 'docs/script-tag.md'), page);
}
