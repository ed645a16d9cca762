/** What is done with a number in the page, each under a name. Held against what is found in memory afterwards. */

import {
  type CardEncryptionKey,
  type CardField,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
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
const stringsOf = (seed: number) =>
  Object.fromEntries(
    Object.entries(bytesOf(seed)).map(([field, bytes]) => [field, text(bytes)]),
  ) as Record<CardField, string>;
const kept: unknown[] = [];

const acts = {
  /** Controls: these stay. */
  keepString: (seed: number) => void kept.push(text(digits(seed))),
  keepInClosure: (seed: number) => {
    const number = text(digits(seed));
    kept.push(() => number);
  },
  keepBytes: (seed: number) => void kept.push(digits(seed)),
  keepInput: (seed: number) => {
    const input = document.body.appendChild(document.createElement('input'));
    input.value = text(digits(seed));
  },

  wipeBytes: (seed: number) => void kept.push(digits(seed).fill(0)),
  dropBytes: (seed: number) => void digits(seed),
  encryptBytes: async (seed: number, key: CardEncryptionKey) =>
    void kept.push(await encryptCard(await prepareKey(key), bytesOf(seed))),
  encryptStrings: async (seed: number, key: CardEncryptionKey) =>
    void kept.push(await encryptCard(await prepareKey(key), stringsOf(seed))),
  encryptInput: async (seed: number, key: CardEncryptionKey) => {
    const input = document.body.appendChild(document.createElement('input'));
    input.value = text(digits(seed));
    kept.push(
      await encryptCard(await prepareKey(key), { ...stringsOf(seed), number: input.value }),
    );
    input.value = '';
  },
  /** What pages do without the library: one joined string, its bytes left as they are. */
  bareSnippet: async (seed: number, { public_key }: CardEncryptionKey) => {
    const spki = Uint8Array.from(atob(public_key), (char) => char.charCodeAt(0));
    const key = await crypto.subtle.importKey(
      'spki',
      spki,
      { name: 'RSA-OAEP', hash: 'SHA-256' },
      false,
      ['encrypt'],
    );
    const plaintext = Object.values(stringsOf(seed)).join('');
    kept.push(
      await crypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, new TextEncoder().encode(plaintext)),
    );
  },
};
export type Act = keyof typeof acts;
Object.assign(window, { acts });
document.title = 'ready';
