/**
 * The code of the form that decides, explored exhaustively: what a shopper, a page and its scripts
 * may do, in every order, up to a number of steps. `node tools/explore-form.mjs` goes deeper.
 */
import { expect, test } from 'vitest';
import { loadForm } from './explore/code.ts';
import { explore } from './explore/explore.ts';
import { SCOPES } from './explore/scopes.ts';

test.each(SCOPES)('nothing that must hold is ever broken: $name', async ({ name, ...scope }) => {
  const found = await explore(await loadForm(), scope);
  console.log(
    `${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`,
  );
  expect([...found.violations.values()].join('\n\n')).toBe('');
});
