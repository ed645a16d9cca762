/** docs/troubleshooting.md has each invalid_form message of the form and the script tag, and texts that the tools really print. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import '../tools/support/built.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/troubleshooting.md');

const sources = [
  ...readdirSync(join(root, 'src/form')).map((file) => `src/form/${file}`),
  'src/script-tag/index.ts',
].map(read);

/** What each invalid_form message ends with. `…` stands for what is known only when it is made. */
const literals = sources.flatMap((source) =>
  [...source.matchAll(/(?:invalidForm\(|refuse\((?!event)|'invalid_form', )(.*)\)/g)].map(
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

describe('invalid_form', () => {
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
});

describe('what tools print', () => {
  mkdirSync(join(root, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(root, 'reports/troubleshooting-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const path of ['package.json', 'dist']) {
    cpSync(join(root, path), join(folder, 'node_modules/cardseal', path), { recursive: true });
  }
  writeFileSync(
    join(folder, 'page.ts'),
    "import { bindCardForm } from 'cardseal/form';\nbindCardForm;\n",
  );

  /** What the compiler prints. */
  const compile = (...options: string[]) => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    // The compiler's own declarations take most of the time.
    const all = ['--ignoreConfig', '--noEmit', '--strict', '--skipDefaultLibCheck', ...options];
    const args = [compiler, ...all, 'page.ts'];
    try {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  test.each([
    ['TS5107', ['--module', 'commonjs', '--moduleResolution', 'node10']],
    ['TS1479', ['--module', 'node16']],
  ])('TypeScript: %s', (code, options) => {
    const printed = compile(...options);
    const row = new RegExp(`^\\| \`(error ${code}: .+?)\` \\|`, 'm').exec(page);
    expect(printed).toContain(row![1]);
  });
});
