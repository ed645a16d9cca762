/**
 * docs/errors.md has each invalid_form message of the form and the script tag. The errors of
 * compilers on it are checked by `npm run stacks`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/errors.md');

const sources = [
  ...readdirSync(join(root, 'src/form'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/form/${file}`),
  'src/script-tag/index.ts',
  'src/script-tag/attributes.ts',
].map(read);

/** What each invalid_form message ends with. `…` stands for what is known only when it is made. */
const literals = sources.flatMap((source) =>
  [...source.matchAll(/(?:invalidForm\(|refuse\((?!event)|'invalid_form',\s+)(.*)[),]/g)].map(
    ({ 1: given, index }) => {
      const before = source.slice(0, index);
      const text = given === 'message' ? before.slice(before.lastIndexOf('message = ')) : given!;
      const parts = text.match(/`[^`]*`|'[^'\n]*'/g) ?? [''];
      return parts
        .at(-1)!
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '…');
    },
  ),
);
/** Without the beginnings that messages share. */
const endings = literals.filter((it) => it !== '' && !/must (have )?…/.test(it));

const section = page.slice(page.indexOf('## `invalid_form`'), page.indexOf('## Other errors'));
const documented = [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, message]) => message!);
const isMadeBy = (ending: string, row: string) => {
  const parts = ending.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`${parts.join('.+')}(, or onEncrypted)?$`).test(row);
};

test('each message of the form and the script tag has a row, and each row is such a message', () => {
  const missing = endings.filter((ending) => !documented.some((row) => isMadeBy(ending, row)));
  const gone = documented.filter((row) => !endings.some((ending) => isMadeBy(ending, row)));
  expect({ missing, gone }).toEqual({ missing: [], gone: [] });
  expect(endings.length).toBeGreaterThan(20);
});
