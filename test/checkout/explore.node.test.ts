/** The shipped code of the checkout, in every order of events within the bounds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { Orders } from '../corpus/make-orders.ts';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';

const orders = new Orders();

test.each(PARTS)(
  'an order is charged once, and nobody reads what is not true: $name',
  async (part) => {
    const { violation, isComplete, states, transitions, depth } = await explore({
      checkoutOf,
      ...part,
      timeMs: 120_000, // of a busy machine; alone, all parts take about 10 s
      onRest: (events) => orders.take(events, part.delivers),
    });
    console.log(`${part.name}: ${states} states, ${transitions} transitions, depth ${depth}`);
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
  },
  150_000,
);

test('orders.json has a scenario of each step on these paths, as make-orders.ts writes it', async () => {
  const corpus = join(import.meta.dirname, '../corpus/orders.json');
  expect(await orders.write()).toBe(readFileSync(corpus, 'utf8'));
});
