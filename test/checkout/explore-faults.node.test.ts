/**
 * The control of the exploration: a rule that is taken out of the shipped source breaks what must
 * hold. The rules are those of src/checkout/decide.ts: the comment with the id of a rule stands at
 * the end of the line that a fault replaces.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { DEEPER, PARTS } from './bounds.ts';
import { explore } from './explore.ts';
import type { CheckoutOf } from './world.ts';

const folder = join(import.meta.dirname, '../../src/checkout');

interface Fault {
  rule: string;
  file?: 'decide' | 'checkout' | 'stored-value';
  /** Which of the lines of the rule. Default: the first. */
  at?: number;
  /** What stands there instead. */
  instead: string;
  /** What does not hold then, and the part that finds it. */
  found: string;
  part: string;
}

const FAULTS: Fault[] = [
  {
    rule: 'O1',
    instead: "if (stored.state !== 'open' || isFor(stored, price)) return stored;",
    found: 'Nobody learns that the order is paid',
    part: 'the price changes back, with a page of each price and a fault',
  },
  {
    rule: 'O3',
    instead: 'const isStored = stored.attempt!.token !== token;',
    found: '"Not certain" without a reason',
    part: 'two pages pay, with a fault',
  },
  {
    rule: 'O4',
    instead: '',
    found: 'Charged another amount',
    part: 'two pages ask for keys, and one pays while the price changes',
  },
  {
    rule: 'O5',
    instead: 'return { outcome };',
    found: 'A block is sent after "You have not paid"',
    part: 'the price changes back, with a page of each price and a fault',
  },
  {
    rule: 'O6',
    instead: 'if (!isShownAs(order, answer.price)) return undefined;',
    found: '"You have not paid" is not certain',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    rule: 'O9',
    instead: '',
    found: 'Nobody learns that the order is paid',
    part: 'the price changes after a fault',
  },
  {
    rule: 'O10',
    instead: 'const isAbout = stored !== undefined && isUnsettled(stored, decider);',
    found: '"You have not paid" is not certain',
    part: 'staff resolve while an answer is late, and another page pays',
  },
  {
    rule: 'O11',
    instead: 'return withoutIntent(stored);',
    found: '"You have not paid" is not certain',
    part: 'sweep looks up after a fault',
  },
  {
    rule: 'O12',
    instead: 'const isOver = true;',
    found: 'onPaid runs twice at once',
    part: 'two look at a paid order',
  },
  {
    rule: 'O12',
    at: 1,
    instead: "return delivers ? { ...store, delivery: 'done' } : store;",
    found: 'Paid, and never delivered',
    part: 'two look at a paid order',
  },
  {
    rule: 'O12',
    file: 'checkout',
    instead: '',
    found: 'Delivered after the claim was over',
    part: 'two look at a paid order, with a slow store',
  },
  {
    rule: 'O14',
    file: 'stored-value',
    instead: 'const isAnother = false;',
    found: '"You have paid" is not true',
    part: 'the store cuts the value, or gives another order',
  },
  {
    rule: 'O16',
    file: 'checkout',
    instead: '',
    found: 'Charged another amount',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    rule: 'O17',
    instead: 'const keys = order.keys;',
    found: 'The order cannot be paid any more',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    rule: 'O19',
    file: 'checkout',
    instead: 'const attempt = { token: token + block.payload, keyId, price: order, now: now() };',
    found: 'The block is stored',
    part: 'a page asks for a key and pays, with a fault',
  },
];

// Control one-charge
// Control true-outcome
// Control delivery
// Control block-not-stored
test.each(FAULTS)('without $rule: $found', async (fault) => {
  const { name: _, ...part } = [...PARTS, ...DEEPER].find(({ name }) => name === fault.part)!;
  const { violation } = await explore({ checkoutOf: await withFault(fault), ...part });
  expect(violation?.rule).toBe(fault.found);
});

/** The shipped code with one line replaced. */
async function withFault({ rule, file = 'decide', at = 0, instead }: Fault): Promise<CheckoutOf> {
  const lines = readFileSync(join(folder, `${file}.ts`), 'utf8').split('\n');
  const ofRule = lines.flatMap((line, index) => (line.endsWith(`// ${rule}`) ? [index] : []));
  expect(ofRule.length).toBeGreaterThan(at);
  lines[ofRule[at]!] = instead;
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'checkout.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'one line',
        setup: ({ onLoad }) =>
          onLoad({ filter: new RegExp(`src/checkout/${file}\\.ts$`) }, () => ({
            contents: lines.join('\n'),
            loader: 'ts',
          })),
      },
    ],
  });
  const code = Buffer.from(outputFiles[0]!.text).toString('base64');
  const module = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  return module.checkoutOf;
}
