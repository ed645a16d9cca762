import { beforeAll, expect, test } from 'vitest';
import { openBlock } from '../../../demo/service/processor/encrypted-block.ts';
import type { KeyPair } from '../../../demo/service/processor/index.ts';
import {
  layoutOf,
  plaintextOf,
  recycledKeyPair,
} from '../../tools/support/card-payment-service.ts';

const OAEP = { name: 'RSA-OAEP' };

let keys: KeyPair;
beforeAll(async () => {
  keys = await recycledKeyPair();
});

test.each([
  ['is used', () => 'used'],
  [
    'was of no use',
    () => {
      throw new Error('no use');
    },
  ],
])('the card is wiped when it %s', async (_, use) => {
  const plaintext = new TextEncoder().encode(plaintextOf());
  const payload = Buffer.from(await crypto.subtle.encrypt(OAEP, keys.publicKey, plaintext));
  const block = { payload: payload.toString('base64'), layout: layoutOf() };
  const seen: Uint8Array[] = [];
  const opened = openBlock(keys.privateKey, block, (card) => {
    seen.push(...Object.values(card));
    expect(Buffer.concat(seen).toString()).toBe(plaintextOf());
    return use();
  });
  await opened.catch(() => {});
  expect(Buffer.concat(seen)).toEqual(Buffer.alloc(plaintext.length));
});
