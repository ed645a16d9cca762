/**
 * The control of the exploration: a rule that is taken out of the shipped source breaks what must
 * hold.
 */
import { expect, test } from 'vitest';
import { load } from '../../tools/planted/load.ts';
import { DEEPER, PARTS } from './bounds.ts';
import { explore } from './explore.ts';
import { CHECKOUT, TAKEN_OUT } from './rules.ts';

// Control one-charge
// Control true-outcome
// Control delivery
// Control block-not-stored
test.each(TAKEN_OUT)('without $at: $found', async ({ found, part, ...change }) => {
  const { name: _, ...scope } = [...PARTS, ...DEEPER].find(({ name }) => name === part)!;
  const { checkoutOf } = await load(`export { checkoutOf } from './${CHECKOUT}';`, [change]);
  const { violation } = await explore({ checkoutOf, ...scope });
  expect(violation?.rule).toBe(found);
});
