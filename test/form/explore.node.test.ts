/**
 * The code of the form that decides, explored exhaustively: what a shopper, a page and its scripts
 * may do, in every order, up to a number of steps. `npm run explore` goes deeper.
 */
import { expect, test } from 'vitest';
import { loadForm } from './explore/code.ts';
import { explore } from './explore/explore.ts';
import { TAKEN_OUT } from './explore/rules.ts';
import { SCOPES } from './explore/scopes.ts';

test.each(SCOPES)('nothing that must hold is ever broken: $name', async ({ name, ...scope }) => {
  const found = await explore(await loadForm(), scope);
  console.log(
    `${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`,
  );
  expect([...found.violations.values()].join('\n\n')).toBe('');
});

test.each(TAKEN_OUT)('without its rule a fault is found: $rule', async (rule) => {
  const bounds = {
    page: rule.page ?? 1,
    shopper: rule.shopper ?? 1,
    ...(rule.only && { only: rule.only }),
  };
  const scope = { settings: [rule.setting ?? {}], bounds, depth: rule.depth };
  const { violations } = await explore(await loadForm(rule), scope);
  expect([...violations.keys()]).toContain(rule.found);
  const { violations: none } = await explore(await loadForm(), scope);
  expect([...none.keys()]).toEqual([]);
});
