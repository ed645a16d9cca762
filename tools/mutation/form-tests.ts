/**
 * All tests that run over mutants of the form and of the script tag, as one file: Vitest ends a run at
 * the first failure within a file only, and loads everything anew for each file.
 */
import { describe } from 'vitest';

const files = import.meta.glob([
  '../../test/form/*.test.ts',
  '../../test/script-tag/*.test.ts',
  '!**/*.{node,e2e}.test.ts',
  '../../test/documents/snippets.test.ts',
  '../../test/old-browsers/old-engines.test.ts',
]);

/**
 * Those that notice much in little time come first, and the slow ones come last. Before them, one
 * that submits by script while no shopper has touched the page.
 */
const FIRST = ['on-encrypted', 'read', 'status', 'fields', 'press', 'submitting'];
const LAST = ['frameworks', 'index', 'presses', 'snippets', 'old-engines'];

const nameOf = (path: string) => path.split('/').pop()!.replace('.test.ts', '');
const missing = [...FIRST, ...LAST].filter(
  (name) => !Object.keys(files).map(nameOf).includes(name),
);
if (missing.length) throw new Error(`Tests that are not found: ${missing}`);

const place = (name: string): number => {
  if (FIRST.includes(name)) return FIRST.indexOf(name);
  return FIRST.length + 1 + LAST.indexOf(name);
};

for (const path of Object.keys(files).sort((a, b) => place(nameOf(a)) - place(nameOf(b)))) {
  describe(nameOf(path), async () => {
    await files[path]!();
  });
}
