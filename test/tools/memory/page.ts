/** What is done with a number in the page, each under a name. Held against what is found in memory afterwards. */

import { type CardEncryptionKey, encryptCard, prepareKey } from '../../../src/core/index.ts';
import { digits } from './digits.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** The name is the digits again, as letters: found apart from the number. In place, so that no digits are left behind. */
function letters(bytes: Uint8Array) {
  for (const [i, byte] of bytes.entries()) bytes[i] = byte + 0x11;
  return bytes;
}
const bytesOf = (seed: number) => ({
  number: digits(seed),
  name: letters(digits(seed)),
  exp_month: Uint8Array.of(0x30, 0x37),
  exp_year: Uint8Array.of(0x32, 0x30, 0x33, 0x31),
  cvv: Uint8Array.of(0x31, 0x32, 0x33),
});
const kept: unknown[] = [];

const acts = {
  /** Controls: these stay. */
  keepString: (seed: number) => void kept.push(text(digits(seed))),
  keepInClosure: (seed: number) => {
    const number = text(digits(seed));
    kept.push(() => number);
  },

  encryptBytes: async (seed: number, key: CardEncryptionKey) =>
    void kept.push(await encryptCard(await prepareKey(key), bytesOf(seed))),
};
export type Act = keyof typeof acts;
Object.assign(window, { acts });
document.title = 'ready';
