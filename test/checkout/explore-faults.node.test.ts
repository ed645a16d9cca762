/** The control of the exploration: it finds each rule that is taken out of the shipped source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';
import type { CheckoutOf } from './world.ts';

const folder = join(import.meta.dirname, '../../src/checkout');

/** The part that finds it, what is taken out, the file, its text, and what stands there instead. */
const FAULTS: [part: number, rule: string, file: string, text: string, instead: string][] = [
  [
    3,
    'a key that arrives is stored',
    'decide.ts',
    'keys: [...newest(order.keys), fresh]',
    'keys: order.keys',
  ],
  [
    6,
    'a form after something was sent has its text',
    'checkout.ts',
    "...(decision.order.sent && { note: 'retry_is_safe' })",
    '',
  ],
  [
    4,
    'another amount has another intent',
    'decide.ts',
    'return { ...stored, amount, currency, intentId: null };',
    'return { ...stored, amount, currency };',
  ],
  [
    5,
    'for another amount the intent is kept once something was sent',
    'decide.ts',
    'if (stored.sent || isFor',
    "if (stored.state !== 'open' || isFor",
  ],
  [
    4,
    'no key for another amount once something was sent',
    'decide.ts',
    'if (!isFor(order, price)) return { outcome: NOT_CERTAIN };',
    '',
  ],
  [
    7,
    'no key while paying or uncertain',
    'decide.ts',
    "if (order.state !== 'open') return { outcome: outcomeOf(order) };",
    '',
  ],
  [5, 'the page of a block showed this amount', 'decide.ts', 'isFor(key, price) &&', ''],
  [
    5,
    'the intent is for this amount',
    'decide.ts',
    'isFor(key, price) &&\n    isFor(order, price)',
    'isFor(key, price)',
  ],
  [
    2,
    'paying is stored before a block is sent',
    'decide.ts',
    "state: 'paying',\n    intentId",
    "state: 'open',\n    intentId",
  ],
  [6, 'sent is stored before a block is sent', 'decide.ts', 'sent: true,', 'sent: false,'],
  [5, 'an attempt is told from another', 'decide.ts', 'stored.attempt!.token === token', 'true'],
  [
    2,
    'a block waits for another attempt',
    'decide.ts',
    "intentId: stored.intentId! } : { next: 'wait' };",
    "intentId: stored.intentId! } : { next: 'answer', outcome: NOT_CERTAIN };",
  ],
  [2, 'a paid order takes no block', 'decide.ts', "order?.state === 'open' &&", 'order &&'],
  [3, 'an answer is of this intent', 'decide.ts', 'answer.id === order.intentId && ', ''],
  [4, 'an answer is of this price', 'decide.ts', ' && isFor(order, answer.price)', ''],
  [6, 'only "failed" is a decline', 'decide.ts', "if (status === 'failed') return", 'return'],
  [
    2,
    'a decline gives up its intent',
    'decide.ts',
    "return withoutIntent(withBlock(order, keyId, 'declined', reason))",
    "return { ...order, state: 'open', attempt: null }",
  ],
  [
    3,
    'a key error keeps the intent',
    'decide.ts',
    "return { ...open, state: 'open', attempt: null,",
    'return { ...withoutIntent(open),',
  ],
  [
    4,
    'an order stays sent after a key error',
    'decide.ts',
    "return { ...open, state: 'open', attempt: null,",
    "return { ...open, state: 'open', sent: false, attempt: null,",
  ],
  [
    3,
    'an unclear answer is not open',
    'decide.ts',
    "return { ...withBlock(order, keyId, 'not_settled'), state: 'uncertain' };",
    "return withoutIntent(withBlock(order, keyId, 'not_settled'));",
  ],
  [
    1,
    'a late answer of an attempt that was replaced changes nothing',
    'decide.ts',
    'if (!stored || stored.attempt?.token !== token) return',
    'if (!stored) return',
  ],
  [
    7,
    'staff resolve this intent',
    'decide.ts',
    'stored?.intentId === intentId &&',
    'stored !== undefined &&',
  ],
  [
    6,
    'what staff have seen as not paid gets another intent',
    'decide.ts',
    "truth === 'not_paid' ? withoutIntent(stored)",
    "truth === 'not_paid' ? { ...stored, state: 'open' as const, attempt: null }",
  ],
  [
    3,
    'what staff have seen as paid is paid',
    'decide.ts',
    ': asPaid(stored, truth);',
    ': withoutIntent(stored);',
  ],
  [
    2,
    'a write that loses is no write',
    'checkout.ts',
    'if (await isWritten(orderId, value, entry?.version ?? 0)) return decision;',
    'await isWritten(orderId, value, entry?.version ?? 0);\n      return decision;',
  ],
  [
    4,
    'after a write that has lost, the order is decided again',
    'checkout.ts',
    'for (let write = 0; write < MOST_WRITES; write++) {\n      const entry = await store.read(orderId);\n      const decision = decide(parse(entry));',
    'const first = decide(parse(await store.read(orderId)));\n    for (let write = 0; write < MOST_WRITES; write++) {\n      const entry = await store.read(orderId);\n      const decision = first;',
  ],
  [
    5,
    'what was refused is never sent',
    'decide.ts',
    "isUnused ? { store: withBlock(stored, keyId, 'error'), outcome } : { outcome }",
    '{ outcome }',
  ],
  [
    1,
    'a draft is of the price that was asked for',
    'checkout.ts',
    'if (!isAsked) throw',
    'if (false) throw',
  ],
];

test.each(FAULTS)('part %i finds that this rule is missing: %s', async (...fault) => {
  const [part, , file, text, instead] = fault;
  const checkoutOf = await withFault(file, text, instead);
  const { violation } = await explore({ checkoutOf, ...PARTS[part]! });
  expect(violation).toBeDefined();
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
