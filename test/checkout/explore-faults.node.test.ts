/** The control of the exploration: it finds each rule that is taken out of the shipped source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { PARTS } from './bounds.ts';
import { explore } from './explore.ts';
import type { CheckoutOf } from './world.ts';

const folder = join(import.meta.dirname, '../../src/checkout');

/** What is taken out, the file, its text, and what stands there instead. */
const FAULTS: [rule: string, file: string, text: string, instead: string][] = [
  [
    'a key that arrives is stored',
    'decide.ts',
    'keys: [...newest(order.keys), fresh]',
    'keys: order.keys',
  ],
  [
    'a form after something was sent has its text',
    'checkout.ts',
    "...(decision.order.sent && { note: 'retry_is_safe' })",
    '',
  ],
  [
    'another amount has another intent',
    'decide.ts',
    'return { ...stored, amount, currency, intentId: null };',
    'return { ...stored, amount, currency };',
  ],
  [
    'for another amount the intent is kept once something was sent',
    'decide.ts',
    "stored.state !== 'open' || stored.sent",
    "stored.state !== 'open'",
  ],
  [
    'no key for another amount once something was sent',
    'decide.ts',
    'if (!isFor(order, price)) return { outcome: NOT_CERTAIN };',
    '',
  ],
  ['no key while paying or uncertain', 'decide.ts', "if (order.state !== 'open') return", 'if (false) return'],
  ['the page of a block showed this amount', 'decide.ts', 'isFor(key, price) &&', ''],
  ['the intent is for this amount', 'decide.ts', 'isFor(key, price) &&\n    isFor(order, price)', 'isFor(key, price)'],
  ['paying is stored before a block is sent', 'decide.ts', "state: 'paying',\n    intentId", "state: 'open',\n    intentId"],
  ['sent is stored before a block is sent', 'decide.ts', 'sent: true,', 'sent: false,'],
  ['an attempt is told from another', 'decide.ts', 'stored.attempt!.token === token', 'true'],
  ['a block waits for another attempt', 'decide.ts', "{ next: 'wait' }", "{ next: 'answer', outcome: NOT_CERTAIN }"],
  ['a paid order takes no block', 'decide.ts', "order?.state === 'open' &&", 'order &&'],
  ['an answer is of this intent', 'decide.ts', 'answer.id === order.intentId && ', ''],
  ['an answer is of this price', 'decide.ts', ' && isFor(order, answer.price)', ''],
  ['only "failed" is a decline', 'decide.ts', "if (status === 'failed') return", 'return'],
  [
    'a decline gives up its intent',
    'decide.ts',
    "return withoutIntent(withBlock(order, keyId, 'declined', reason))",
    "return { ...order, state: 'open', attempt: null }",
  ],
  [
    'a key error keeps the intent',
    'decide.ts',
    "return { ...open, state: 'open', attempt: null,",
    "return { ...withoutIntent(open),",
  ],
  [
    'an order stays sent after a key error',
    'decide.ts',
    "return { ...open, state: 'open', attempt: null,",
    "return { ...open, state: 'open', sent: false, attempt: null,",
  ],
  [
    'an unclear answer is not open',
    'decide.ts',
    "return { ...withBlock(order, keyId, 'not_settled'), state: 'uncertain' };",
    "return withoutIntent(withBlock(order, keyId, 'not_settled'));",
  ],
  [
    'a late answer of an attempt that was replaced changes nothing',
    'decide.ts',
    'if (!stored || stored.attempt?.token !== token) return',
    'if (!stored) return',
  ],
  ['staff resolve this intent', 'decide.ts', 'stored?.intentId === intentId &&', 'stored !== undefined &&'],
  [
    'what staff have seen as not paid gets another intent',
    'decide.ts',
    "truth === 'not_paid' ? withoutIntent(stored)",
    "truth === 'not_paid' ? { ...stored, state: 'open' as const, attempt: null }",
  ],
  ['what staff have seen as paid is paid', 'decide.ts', ': asPaid(stored, truth);', ': withoutIntent(stored);'],
  [
    'a write that loses is no write',
    'checkout.ts',
    'if (await isWritten(orderId, value, entry?.version ?? 0)) return decision;',
    'await isWritten(orderId, value, entry?.version ?? 0);\n      return decision;',
  ],
  [
    'after a write that has lost, the order is decided again',
    'checkout.ts',
    'for (let write = 0; write < MOST_WRITES; write++) {\n      const entry = await store.read(orderId);\n      const decision = decide(parse(entry));',
    'const first = decide(parse(await store.read(orderId)));\n    for (let write = 0; write < MOST_WRITES; write++) {\n      const entry = await store.read(orderId);\n      const decision = first;',
  ],
  [
    'without an intent, the order is read again',
    'checkout.ts',
    'return outcomeOfBlock(await read(order.id), block.key_id);',
    "return { status: 'not_paid' };",
  ],
  ['a draft is of the price that was asked for', 'checkout.ts', 'if (!isAsked) throw', 'if (false) throw'],
  [
    'an outcome is not certain while an order is being paid',
    'decide.ts',
    "if (order.state !== 'open') return NOT_CERTAIN;",
    '',
  ],
];

test.each(FAULTS)(
  'finds that this rule is missing: %s',
  async (_, file, text, instead) => {
    const checkoutOf = await withFault(file, text, instead);
    const found: (string | undefined)[] = [];
    for (const part of PARTS) {
      const { violation } = await explore({ checkoutOf, ...part, timeMs: 120_000 });
      found.push(violation?.rule);
      if (violation) break;
    }
    expect(found.at(-1)).toBeDefined();
  },
  300_000,
);

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
