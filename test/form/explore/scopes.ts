import type { Setting } from './acts.ts';
import type { Scope } from './explore.ts';
import type { TableScope } from './explore-table.ts';

export const SETTINGS: Setting[] = [
  { cardButton: true, encrypt: true },
  { onEncrypted: true },
  { required: true, cardButton: true },
  { required: true, onEncrypted: true },
  { frame: true },
];

export const SCOPES: (Scope & { name: string })[] = [
  { name: 'everything', settings: SETTINGS, bounds: { page: 1, shopper: 1 }, depth: 3 },
  { name: 'a shopper alone', settings: SETTINGS, bounds: { page: 0, shopper: 1 }, depth: 5 },
];

/** The browser sends the form; code of the page gets the block; the response is in a frame. */
export const TABLE_SETTINGS = [{}, { hasHandler: true }, { hasFrame: true }];

export const TABLE_SCOPES: (TableScope & { name: string })[] = [
  { name: 'the table, deep', settings: TABLE_SETTINGS, page: 1, shopper: 1, depth: 8 },
  { name: 'the table, with more acts', settings: TABLE_SETTINGS, page: 2, shopper: 1, depth: 5 },
];
