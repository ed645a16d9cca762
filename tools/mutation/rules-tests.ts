/**
 * What answers in two seconds: the table of a press, and explorations of the form, each rule where
 * it matters, and a look around.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alwaysTable, wayTable } from '../../test/documents/press-table.ts';
import { loadForm } from '../../test/form/explore/code.ts';
import { explore } from '../../test/form/explore/explore.ts';
import { scopeOf, TAKEN_OUT } from '../../test/form/explore/rules.ts';
import { SETTINGS } from '../../test/form/explore/scopes.ts';

test('docs/press.md says in each cell what decide.ts does', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/press.md'), 'utf8');
  expect(text).toContain(alwaysTable());
  expect(text).toContain(wayTable());
});

const code = await loadForm();

test.each([
  ...TAKEN_OUT.map((rule) => ({ name: rule.rule, scope: scopeOf(rule) })),
  { name: 'all', scope: { settings: SETTINGS, bounds: { page: 1, shopper: 1 }, depth: 2 } },
])('what must hold is not broken: $name', async ({ scope }) => {
  const { violations } = await explore(code, scope, true);
  expect([...violations.values()]).toEqual([]);
});
