/** The control of the exploration: it finds each rule that is taken out of the shipped source. */
import { expect, test } from 'vitest';
import { loadForm } from './explore/code.ts';
import { explore } from './explore/explore.ts';
import { scopeOf, TAKEN_OUT } from './explore/rules.ts';

// Control card-on-screen
// Control no-silent-press
// Control other-press
test.each(TAKEN_OUT)('without its rule a fault is found: $rule', async (rule) => {
  const scope = scopeOf(rule);
  const { violations } = await explore(await loadForm(rule), scope);
  expect([...violations.keys()]).toContain(rule.found);
  const { violations: none } = await explore(await loadForm(), scope);
  expect([...none.keys()]).toEqual([]);
});
