/** Explorations of the form that answer in two seconds: each rule where it matters, and a look around. */
import { expect, test } from 'vitest';
import { loadForm } from '../../test/form/explore/code.ts';
import { explore } from '../../test/form/explore/explore.ts';
import { scopeOf, TAKEN_OUT } from '../../test/form/explore/rules.ts';
import { SETTINGS } from '../../test/form/explore/scopes.ts';

const code = await loadForm();

test.each([
  ...TAKEN_OUT.map((rule) => ({ name: rule.rule, scope: scopeOf(rule) })),
  { name: 'all', scope: { settings: SETTINGS, bounds: { page: 1, shopper: 1 }, depth: 2 } },
])('what must hold is not broken: $name', async ({ scope }) => {
  const { violations } = await explore(code, scope, true);
  expect([...violations.values()]).toEqual([]);
});
