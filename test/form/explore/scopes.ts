import type { Setting } from './acts.ts';
import type { Scope } from './explore.ts';

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
