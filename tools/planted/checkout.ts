import type { Fault } from './fault.ts';

const DECIDE = 'src/checkout/decide.ts';
const CHECKOUT = 'src/checkout/checkout.ts';
/** Not `explore-faults`: a text that it takes out is already gone where a fault is planted. */
const tests = ['node checkout/decide', 'node checkout/explore.node'];

export const CHECKOUT_FAULTS: readonly Fault[] = [
  {
    name: 'a paid order is paid again',
    file: DECIDE,
    before: "    order?.state === 'open' &&\n    key?.block",
    after: '    key?.block',
    breaks: 'a second tab with a key of its own charges the shopper twice',
    tests,
  },
  {
    name: 'a key takes a second block',
    file: DECIDE,
    before: "    key?.block === 'none' &&\n",
    after: '    key !== undefined &&\n',
    breaks: 'a block that comes twice is sent to the service twice',
    tests,
  },
  {
    name: 'a key of the order’s old price',
    file: DECIDE,
    before: '    isShownAs(key, price) && // O4\n',
    after: '',
    breaks: 'the shopper confirms one amount and pays another',
    tests,
  },
  {
    name: 'a charge of another intent counts',
    file: DECIDE,
    before: 'answer.id !== order.intentId || ',
    after: '',
    breaks: 'an answer that a proxy has mixed up marks the order as paid',
    tests,
  },
  {
    name: 'a charge of another amount counts',
    file: DECIDE,
    before: ' || !isShownAs(order, answer.price)',
    after: '',
    breaks: 'an order of 100 is shipped for 1',
    tests,
  },
  {
    name: 'every error of a key opens the order',
    file: DECIDE,
    before: "answer.kind === 'key_error' && order.keyErrors === 0",
    after: "answer.kind === 'key_error'",
    breaks: 'a broken proxy has the shopper try for ever, and nobody looks',
    tests,
  },
  {
    name: 'an unclear answer opens the order',
    file: DECIDE,
    before: "answer.kind === 'key_error' && order",
    after: 'order',
    breaks: 'after a lost answer the shopper reads that nothing was paid',
    tests,
  },
  {
    name: 'the intent is given up after an error',
    file: DECIDE,
    before: "return { ...open, state: 'open', attempt: null, keyErrors: order.keyErrors + 1 };",
    after:
      "return { ...open, state: 'open', intentId: null, attempt: null, keyErrors: order.keyErrors + 1 };",
    breaks: 'the next try makes a second intent, and both can be charged',
    tests,
  },
  {
    name: 'a late answer undoes what was found out',
    file: DECIDE,
    before: "  const isLate = stored?.sent === true && stored.state !== 'paid';",
    after: '  const isLate = stored !== undefined;',
    breaks: 'a decline that comes late makes a paid order one that is not paid',
    tests,
  },
  {
    name: 'staff resolve another intent',
    file: DECIDE,
    before: 'stored?.intentId === intentId && isUnsettled(stored, decider)',
    after: 'stored !== undefined && isUnsettled(stored, decider)',
    breaks: 'a slip of the pen opens an order that was charged',
    tests,
  },
  {
    name: 'staff resolve while the answer is on its way',
    file: DECIDE,
    before: "order.state !== 'paid' && !isUnderWay(order, now, limitMs)",
    after: "order.state !== 'paid' && limitMs > now - now",
    breaks: 'the order is opened, and the charge comes a second later',
    tests,
  },
  {
    name: 'a declined order keeps its dead intent',
    file: DECIDE,
    before: 'return { ...withoutIntent(order), declines,',
    after: 'return { ...withoutIntent(order), intentId: order.intentId, declines,',
    breaks: 'another card is refused because the intent has failed',
    tests,
  },
  {
    name: 'a sent order changes its price',
    file: DECIDE,
    before: 'if (stored.sent || isFor',
    after: "if (stored.state !== 'open' || isFor",
    breaks: 'the old intent may be charged, and then a new one is made',
    tests,
  },
  {
    name: 'the block is sent before the order says so',
    file: 'src/checkout/orders.ts',
    before: "if (written === 'yes') return decision;",
    after: 'return decision;',
    breaks: 'two processes charge the same order',
    tests,
  },
  {
    name: 'a failing store means not paid',
    file: CHECKOUT,
    before: "      return named(order.id, { status: 'not_certain' });",
    after: "      return named(order.id, { status: 'not_paid' });",
    breaks: 'a shopper who was charged reads that they have not paid',
    tests,
  },
  {
    name: 'the store overwrites what another process wrote',
    file: 'src/checkout/memory-store.ts',
    before: '      if (current !== version) return false;\n',
    after: '',
    breaks: 'two tabs charge the same order',
    tests: ['node checkout/memory-store'],
  },
  {
    name: 'the error of a parser is logged',
    file: 'src/checkout/posted-block.ts',
    before: '  } catch {\n    return { problem: NOT_JSON };',
    after: '  } catch (error) {\n    console.error(error);\n    return { problem: NOT_JSON };',
    breaks: 'a card that was posted in clear stands in the merchant’s log',
    tests: ['node checkout/posted-block'],
  },
  {
    name: 'one shopper takes all keys',
    file: 'src/checkout/limits.ts',
    before: '      if (wait > 0) return wait;\n',
    after: '',
    breaks: 'a script that asks for keys keeps all other shoppers waiting',
    tests: ['node checkout/limits'],
  },
  {
    name: 'the time before a wait counts',
    file: CHECKOUT,
    before: '      attempt.now = now();\n',
    after: '',
    breaks: 'a block is sent under an expired key, and staff resolve an attempt that is on its way',
    tests: ['node checkout/surroundings'],
  },
  {
    name: 'a decline hides a later attempt',
    file: DECIDE,
    before: `  if (order.sent) return { status: 'retry_is_safe' };
  if (hasTooManyDeclines(order)) return lastDecline(order);
  if (key!.block === 'declined') return { status: 'failed', reason: key!.reason };
`,
    after: `  if (key!.block === 'declined') return { status: 'failed', reason: key!.reason };
  if (order.sent) return { status: 'retry_is_safe' };
`,
    breaks: 'a shopper reads that the card was declined while another one may have been charged',
    tests: ['node checkout/decide'],
  },
  {
    name: 'the order is copied after the block was read',
    file: CHECKOUT,
    before: `    const order = readOrder(given);
    const sender = readSender(options);
    const token = randomId();
`,
    after: `    const sender = readSender(options);
    const token = randomId();
    await undefined;
    const order = readOrder(given);
`,
    breaks: 'what a shop changes in its own object during the payment becomes what is paid',
    tests: ['node checkout/surroundings'],
  },
];
