/** The rules of an order, each taken out of the shipped source: what does not hold then. */
import type { ChangeOfFile } from '../../tools/planted/load.ts';

const DECIDE = 'src/checkout/decide.ts';
export const CHECKOUT = 'src/checkout/checkout.ts';
const STORED = 'src/checkout/stored-value.ts';

interface TakenOut extends ChangeOfFile {
  /** What does not hold then, and the part that finds it. */
  found: string;
  part: string;
}

export const TAKEN_OUT: TakenOut[] = [
  {
    file: DECIDE,
    at: 'atPrice.O1',
    plant: { gives: "stored.state !== 'open' || isFor(stored, price)" },
    found: 'Nobody learns that the order is paid',
    part: 'the price changes back, with a page of each price and a fault',
  },
  {
    file: DECIDE,
    at: 'onBlock.O3',
    plant: { gives: 'stored.attempt!.token !== token' },
    found: '"Not certain" without a reason',
    part: 'two pages pay, with a fault',
  },
  {
    file: DECIDE,
    at: 'onBlock.O4',
    plant: 'nothing',
    found: 'Charged another amount',
    part: 'two pages ask for keys, and one pays while the price changes',
  },
  {
    file: DECIDE,
    at: 'afterFailure', // O7: the intent is kept after a key error
    plant: {
      begins:
        "if (answer.kind === 'key_error') return { ...withBlock(order, keyId, 'error'), state: 'open', intentId: null, attempt: null };",
    },
    found: 'Nobody learns that the order is paid',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    file: DECIDE,
    at: 'onRefusal.O5',
    plant: { gives: '{ outcome }' },
    found: 'A block is sent after "You have not paid"',
    part: 'the price changes back, with a page of each price and a fault',
  },
  {
    file: DECIDE,
    at: 'afterResponse.O6',
    plant: { gives: '!isShownAs(order, answer.price)' },
    found: '"You have not paid" is not certain',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    file: DECIDE,
    at: 'onKeyRequested.O9',
    plant: 'never',
    found: 'Nobody learns that the order is paid',
    part: 'the price changes after a fault',
  },
  {
    file: DECIDE,
    at: 'onResolve.O10',
    plant: { gives: 'stored !== undefined && isUnsettled(stored, decider)' },
    found: '"You have not paid" is not certain',
    part: 'staff resolve while an answer is late, and another page pays',
  },
  {
    file: DECIDE,
    at: 'afterLookUp.O11',
    plant: { gives: 'withoutIntent(stored)' },
    found: '"You have not paid" is not certain',
    part: 'sweep looks up after a fault',
  },
  {
    file: DECIDE,
    at: 'onDeliver.O12',
    plant: 'always',
    found: 'onPaid runs twice at once',
    part: 'two look at a paid order',
  },
  {
    file: DECIDE,
    at: 'asPaid.O12',
    plant: { gives: "delivers ? { ...store, delivery: 'done' } : store" },
    found: 'Paid, and never delivered',
    part: 'two look at a paid order',
  },
  {
    file: CHECKOUT,
    at: 'deliver.O12',
    plant: 'never',
    found: 'Delivered after the claim was over',
    part: 'two look at a paid order, with a slow store',
  },
  {
    file: STORED,
    at: 'readStored.O14#2',
    plant: 'never',
    found: '"You have paid" is not true',
    part: 'the store cuts the value, or gives another order',
  },
  {
    file: CHECKOUT,
    at: 'createDraft.O16',
    plant: 'nothing',
    found: 'Charged another amount',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    file: DECIDE,
    at: 'onKeyArrived.O17',
    plant: { gives: 'order.keys' },
    found: 'The order cannot be paid any more',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    file: CHECKOUT,
    at: 'payWith.O19',
    plant: { gives: '{ token: token + block.payload, keyId, price: order, now: now() }' },
    found: 'The block is stored',
    part: 'a page asks for a key and pays, with a fault',
  },
  {
    file: DECIDE,
    at: 'onWithdraw.O20',
    plant: { gives: "order.state !== 'open'" },
    found: 'Withdrawn, and perhaps charged',
    part: 'the shop withdraws the order while a page asks for a key and pays, with a fault',
  },
];
