/** The shipped code of the checkout, in every order of events within the bounds. */
import { expect, test } from 'vitest';
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';

test.each(PARTS)(
  'an order is charged once, and nobody reads what is not true: $name',
  async (part) => {
    const { violation, isComplete, states, transitions, depth } = await explore({
      checkoutOf,
      ...part,
      timeMs: 120_000, // of a busy machine; alone, all parts take less than 20 s
    });
    console.log(`${part.name}: ${states} states, ${transitions} transitions, depth ${depth}`);
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
  },
  150_000,
);
