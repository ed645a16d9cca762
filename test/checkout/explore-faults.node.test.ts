/** The control of the exploration: a rule that is taken out of the shipped source breaks what must hold. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';
import type { CheckoutOf } from './world.ts';

const folder = join(import.meta.dirname, '../../src/checkout');

/** The part that finds it, what does not hold then, the file, its text, and what stands there instead. */
const FAULTS: [part: number, found: string, file: string, text: string, instead: string][] = [
  [
    0,
    'The block is stored',
    'checkout.ts',
    'token: randomId(),',
    'token: randomId() + block.payload,',
  ],
  [1, 'Charged another amount', 'checkout.ts', 'if (!isAsked) throw', 'if (false) throw'],
  [
    2,
    '"Not certain" without a reason',
    'decide.ts',
    "intentId: stored.intentId! } : { next: 'wait' };",
    "intentId: stored.intentId! } : { next: 'answer', outcome: NOT_CERTAIN };",
  ],
  [
    3,
    'The order cannot be paid any more',
    'decide.ts',
    'keys: [...newest(order.keys), fresh]',
    'keys: order.keys',
  ],
  [
    4,
    'Nobody learns that the order is paid',
    'decide.ts',
    'if (!isFor(order, price)) return { outcome: NOT_CERTAIN };',
    '',
  ],
  [
    5,
    'Charged twice',
    'decide.ts',
    'if (stored.sent || isFor',
    "if (stored.state !== 'open' || isFor",
  ],
  [
    5,
    'A block is sent after "You have not paid"',
    'decide.ts',
    "isUnused ? { store: withBlock(stored, keyId, 'error'), outcome } : { outcome }",
    '{ outcome }',
  ],
  [
    6,
    '"You have not paid" is not certain',
    'decide.ts',
    "if (status === 'failed') return",
    'return',
  ],
  [
    7,
    'A form, as if nothing were sent',
    'decide.ts',
    'stored?.intentId === intentId &&',
    'stored !== undefined &&',
  ],
];

test.each(FAULTS)('part %i finds a fault: %s', async (part, found, file, text, instead) => {
  const checkoutOf = await withFault(file, text, instead);
  const { violation } = await explore({ checkoutOf, ...PARTS[part]! });
  expect(violation?.rule).toBe(found);
});

/** The shipped code with one change. */
async function withFault(file: string, text: string, instead: string): Promise<CheckoutOf> {
  const source = readFileSync(join(folder, file), 'utf8');
  expect(source.split(text)).toHaveLength(2);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'checkout.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'one change',
        setup: ({ onLoad }) =>
          onLoad({ filter: new RegExp(`checkout/${file}$`) }, () => ({
            contents: source.replace(text, () => instead),
            loader: 'ts',
          })),
      },
    ],
  });
  const code = Buffer.from(outputFiles[0]!.text).toString('base64');
  const module = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  return module.checkoutOf;
}
