import type { Setting } from './surroundings.ts';

export const SETTINGS: Setting[] = [
  { cardButton: true, encrypt: true },
  { onEncrypted: true },
  { required: true, cardButton: true },
  { required: true, onEncrypted: true },
  { frame: true },
];
