/**
 * The code of the form that decides, explored exhaustively: what a shopper, a page and its scripts
 * may do, in every order, up to a number of steps. `node tools/explore-form.mjs` goes deeper.
 */
import { expect, test } from 'vitest';
import { loadForm } from './explore/code.ts';
import { explore } from './explore/explore.ts';
import { SCOPES } from './explore/scopes.ts';

// Claim other-press
// Claim card-on-screen. Why: A block passes only while the fields hold exactly its card, or are
// empty because the library emptied them: src/form/block.ts compares. Every press passes through
// one gate, `gated` in src/form/decide.ts.
// Claim no-silent-press. Why: Every state of src/form/decide.ts ends in a pass, in code of the page
// that has the block or has ended the press, or in a text, and src/form/feedback/status.ts has a
// place for it, also where the page replaces its form meanwhile, unless a modal `<dialog>` covers
// that place.
test.each(SCOPES)('nothing that must hold is ever broken: $name', async ({ name, ...scope }) => {
  const found = await explore(await loadForm(), scope);
  console.log(
    `${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`,
  );
  expect([...found.violations.values()].join('\n\n')).toBe('');
});
