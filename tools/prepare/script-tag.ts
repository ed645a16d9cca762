/** Run by `npm version`: writes the released version and the hash of its file into the script tags of the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ScriptTag {
  /** Absent if the tag names the shop's own copy. */
  version?: string;
  integrity: string;
}

/** Where a script tag with a hash stands. */
export const PAGES_WITH_TAG = ['README.md', 'docs/script-tag.md'];

/** A test runs the tags of these pages from these files. */
const SNIPPETS = [
  'test/documents/snippets/tag.html',
  'test/documents/snippets/without-script.html',
];

const VERSION = /(cardseal@)([^/"]+)(\/dist\/cardseal\.js")/;
const INTEGRITY = /(cardseal\.js"\s+integrity=")([^"]+)(")/;

/** What the tag names. */
export function readTag(page: string): ScriptTag | undefined {
  const [, , integrity] = INTEGRITY.exec(page) ?? [];
  const [, , version] = VERSION.exec(page) ?? [];
  if (!integrity) return undefined;
  return version ? { version, integrity } : { integrity };
}

function fillIn(page: string, { version, integrity }: ScriptTag): string {
  if (!readTag(page)) throw new Error('The page has no script tag to fill in');
  return page
    .replace(VERSION, (_, before, old, after) => before + (version ?? old) + after)
    .replace(INTEGRITY, (_, before, _old, after) => before + integrity + after);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = join(import.meta.dirname, '../..');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const integrity = JSON.parse(read('dist/integrity.json'))['cardseal.js'];
  const { version } = JSON.parse(read('package.json'));
  for (const path of [...PAGES_WITH_TAG, ...SNIPPETS]) {
    writeFileSync(join(root, path), fillIn(read(path), { version, integrity }));
  }
}
