import type { Bounds } from './explore.ts';

const NOTHING: Bounds = {
  keys: 0,
  pays: 0,
  outcomes: 0,
  withdraws: 0,
  resolves: 0,
  faults: 0,
  waits: 0,
  expiries: 0,
  prices: 0,
  sweeps: 0,
  cancels: 0,
  damages: 0,
};

export interface Part {
  name: string;
  /** Pages that have a key at the beginning, by the place of their price. */
  pages: readonly (0 | 1)[];
  /** Whether the shop has `onPaid`. */
  delivers?: boolean;
  bounds: Bounds;
}

/** With `npm test`: each looks at one thing, so that together they take seconds. */
export const PARTS: Part[] = [
  {
    name: 'two pages ask for keys, and one pays while the price changes',
    pages: [],
    bounds: { ...NOTHING, keys: 2, pays: 1, prices: 1 },
  },
  {
    name: 'a page asks for a key and pays, with a fault',
    pages: [],
    bounds: { ...NOTHING, keys: 1, pays: 1, faults: 1, prices: 1 },
  },
  {
    name: 'two pages pay, with a fault',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, faults: 1 },
  },
  {
    name: 'a page pays, with two faults, after any time',
    pages: [0],
    bounds: { ...NOTHING, pays: 1, faults: 2, expiries: 1 },
  },
  {
    name: 'the price changes after a fault',
    pages: [0],
    bounds: { ...NOTHING, keys: 1, pays: 1, faults: 1, prices: 1 },
  },
  {
    name: 'the price changes back, with a page of each price and a fault',
    pages: [0, 1],
    bounds: { ...NOTHING, pays: 2, faults: 1, prices: 1 },
  },
  {
    name: 'staff resolve twice, after a fault',
    pages: [0],
    bounds: { ...NOTHING, pays: 1, faults: 1, resolves: 2, waits: 1 },
  },
  {
    name: 'sweep looks up after a fault',
    pages: [0],
    bounds: { ...NOTHING, pays: 1, faults: 1, sweeps: 1, waits: 1, cancels: 1 },
  },
  {
    name: 'two sweeps at once, after a fault',
    pages: [0],
    bounds: { ...NOTHING, pays: 1, faults: 1, sweeps: 2, cancels: 1 },
  },
  {
    name: 'a paid order is delivered, with a fault, while others look',
    pages: [0],
    delivers: true,
    bounds: { ...NOTHING, pays: 1, outcomes: 1, faults: 1, waits: 1 },
  },
  {
    name: 'a paid order is delivered by sweep, with a fault',
    pages: [0],
    delivers: true,
    bounds: { ...NOTHING, pays: 1, sweeps: 1, faults: 1, waits: 1 },
  },
  {
    name: 'two look at a paid order',
    pages: [0],
    delivers: true,
    bounds: { ...NOTHING, pays: 1, outcomes: 1, waits: 2 },
  },
  {
    name: 'the store cuts the value, or gives another order',
    pages: [0],
    bounds: { ...NOTHING, keys: 1, pays: 1, outcomes: 1, resolves: 1, damages: 1 },
  },
  {
    name: 'the shop withdraws the order while a page asks for a key and pays, with a fault',
    pages: [],
    bounds: { ...NOTHING, keys: 1, pays: 1, withdraws: 1, faults: 1 },
  },
  {
    name: 'the shop withdraws the order while two pages pay',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, withdraws: 1 },
  },
];

/** `node tools/explore-checkout.mjs`: minutes. It does not finish the largest. */
export const DEEPER: Part[] = [
  {
    name: 'staff resolve while an answer is late, and another page pays',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, resolves: 1, waits: 1 },
  },
  {
    name: 'two look at a paid order, with a slow store',
    pages: [0],
    delivers: true,
    bounds: { ...NOTHING, pays: 1, outcomes: 1, waits: 3 },
  },
  {
    name: 'two pages pay, with two sweeps and a fault',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, sweeps: 2, faults: 1 },
  },
  {
    name: 'sweep looks up while two pages pay',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, sweeps: 1, waits: 1 },
  },
  {
    name: 'two pages pay and are delivered, with sweep and a fault',
    pages: [0, 0],
    delivers: true,
    bounds: { ...NOTHING, pays: 2, sweeps: 1, faults: 1, waits: 1, cancels: 1 },
  },
  {
    name: 'two pages pay, with sweep, staff and a fault',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, sweeps: 1, resolves: 1, faults: 1, cancels: 1 },
  },
  {
    name: 'a page pays again after sweep, while the price changes, with a fault',
    pages: [0],
    bounds: { ...NOTHING, keys: 1, pays: 2, sweeps: 1, faults: 1, prices: 1, cancels: 1 },
  },
  {
    name: 'the store cuts the value while two pages pay, and staff settle it',
    pages: [0, 0],
    delivers: true,
    bounds: { ...NOTHING, pays: 2, outcomes: 1, resolves: 2, damages: 2, waits: 1 },
  },
  {
    name: 'the shop withdraws the order while two pages pay, with a fault',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, withdraws: 1, faults: 1 },
  },
  {
    name: 'a page pays again and again, with a fault',
    pages: [0],
    bounds: { ...NOTHING, keys: 1, pays: 2, faults: 1 },
  },
  {
    name: 'two payments while the price changes, with a fault',
    pages: [0],
    bounds: { ...NOTHING, keys: 1, pays: 2, faults: 1, prices: 1 },
  },
  {
    name: 'staff resolve twice, and with the id of another intent',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, faults: 1, resolves: 2 },
  },
  {
    name: 'two pages ask for keys and pay, with a fault, while the price changes',
    pages: [],
    bounds: { ...NOTHING, keys: 2, pays: 2, faults: 1, prices: 1 },
  },
  {
    name: 'two pages pay, with two faults, and staff resolve',
    pages: [0, 0],
    bounds: { ...NOTHING, pays: 2, faults: 2, resolves: 1, waits: 1 },
  },
  {
    name: 'three payments, with a fault, and staff resolve twice',
    pages: [0, 0],
    bounds: { ...NOTHING, keys: 1, pays: 3, faults: 1, resolves: 2, waits: 1, outcomes: 1 },
  },
];
