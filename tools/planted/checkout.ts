import { type Fault, WHY } from './fault.ts';

const DECIDE = 'src/checkout/decide.ts';
const CHECKOUT = 'src/checkout/checkout.ts';
/** Not `explore-faults`: a text that it takes out is already gone where a fault is planted. */
const tests = ['node checkout/decide', 'node checkout/explore.node'];

export const CHECKOUT_FAULTS: readonly Fault[] = [
  {
    name: 'staff resolve while the answer is on its way',
    file: DECIDE,
    at: 'isUnsettled',
    plant: { gives: "order.sent && order.state !== 'paid'" },
    breaks: 'the order is opened, and the charge comes a second later',
    why: 'No mutant drops this operand alone, and the exploration resolves no attempt under way.',
    tests,
  },
  {
    name: 'a declined order keeps its dead intent',
    file: DECIDE,
    at: 'declined',
    plant: {
      gives:
        "{ ...withoutIntent(order), intentId: order.intentId, declines: 1, last: { status: 'failed', reason } }",
    },
    breaks: 'another card is refused because the intent has failed',
    why: 'No mutant adds a property.',
    tests,
  },
  {
    name: 'the error of a parser is logged',
    file: 'src/checkout/posted-block.ts',
    at: 'readBlock.catch#1',
    plant: { begins: 'console.error(error);' },
    breaks: 'a card that was posted in clear stands in the merchant’s log',
    why: 'No mutant adds a statement.',
    tests: ['node checkout/posted-block'],
  },
  {
    name: 'the time before a wait counts',
    file: CHECKOUT,
    at: 'payWith.now=',
    plant: 'nothing',
    breaks: 'a block is sent under an expired key, and staff resolve an attempt that is on its way',
    why: WHY.statement,
    tests: ['node checkout/surroundings'],
  },
  {
    name: 'a decline hides a later attempt',
    file: DECIDE,
    at: 'outcomeOfBlock',
    plant: {
      begins:
        "const tried = order && findKey(order, keyId); if (order?.state === 'open' && tried?.block === 'declined') return { status: 'failed', reason: tried.reason };",
    },
    breaks: 'a shopper reads that the card was declined while another one may have been charged',
    why: 'No mutant changes an order.',
    tests: ['node checkout/decide'],
  },
  {
    name: 'the order is copied after the block was read',
    file: CHECKOUT,
    at: 'pay.order',
    plant: { gives: '(await undefined, readOrder(given))' },
    breaks: 'what a shop changes in its own object during the payment becomes what is paid',
    why: 'No mutant changes an order.',
    tests: ['node checkout/surroundings'],
  },
];
