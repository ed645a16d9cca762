/** The shipped code of the checkout, in every order of events within the bounds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { Orders } from '../corpus/make-orders.ts';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';

const orders = new Orders();

// Claim one-charge. Why: src/checkout/decide.ts stores an attempt before it is sent, keeps the
// intent until it is certain that it cannot be charged, and replaces no outcome.
// src/checkout/checkout.ts writes by compare-and-set.
// Claim true-outcome. Why: An answer that is lost or invalid makes an order uncertain, and
// src/checkout/decide.ts answers by the state of the order before it looks at the block.
// Claim delivery. Why: src/checkout/decide.ts claims the delivery in the write that makes the order
// paid, for a time, and the next call that sees the order after that claims it anew.
// Claim block-not-stored. Why: src/checkout/checkout.ts gives the block to one request, and stores
// what src/checkout/decide.ts lists.
test.each(PARTS)(
  'an order is charged once, and nobody reads what is not true: $name',
  async (part) => {
    const { violation, isComplete, states, transitions, depth } = await explore({
      checkoutOf,
      ...part,
      onRest: (events) => orders.take(events, part.delivers),
    });
    console.log(`${part.name}: ${states} states, ${transitions} transitions, depth ${depth}`);
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
  },
);

test('orders.json has a scenario of each step on these paths, as make-orders.ts writes it', async () => {
  const corpus = join(import.meta.dirname, '../corpus/orders.json');
  expect(await orders.write()).toBe(readFileSync(corpus, 'utf8'));
});
