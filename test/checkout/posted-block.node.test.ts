/** What a browser posts: a block, or something in its place, a card in clear above all. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCheckout, memoryStore } from '../../src/checkout/index.ts';
import { readPostedBlock } from '../../src/checkout/posted-block.ts';
import { BLOCK, postedBlock } from './world.ts';

const NUMBER = '4242424242424242';
const FORM = 'application/x-www-form-urlencoded';

test.each([
  [undefined, postedBlock('cek_1')],
  ['Application/JSON; charset=utf-8', postedBlock('cek_1')],
  [FORM, `a=b&encrypted_card=${encodeURIComponent(postedBlock('cek_1'))}`],
])('a block is read as %s', async (contentType, body) => {
  const expected = { ...BLOCK, key_id: 'cek_1' };
  expect(await readPostedBlock(contentType, body)).toMatchObject(expected);
});

test.each([
  ['a card', `{"number":"${NUMBER}"}`, 'application/json'],
  ['a number', NUMBER, undefined],
  ['broken JSON', `{"number":"${NUMBER}",`, undefined],
  ['a form without a block', `number=${NUMBER}`, FORM],
  ['a card in the field of the block', `encrypted_card=${NUMBER},`, FORM],
  ['parts that are none', NUMBER, 'multipart/form-data; boundary=b'],
  ['a type that nobody knows', NUMBER, `text/${NUMBER}`],
])('is refused, and printed nowhere: %s', async (_, body, contentType) => {
  const methods = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
  const printers = methods.map((method) => vi.spyOn(console, method));
  onTestFinished(() => void vi.restoreAllMocks());
  const lines: string[] = [];
  const { pay } = createCheckout({
    payments: { baseUrl: 'https://payments.example', secretKey: 'sk_test' }, // never asked
    store: memoryStore(),
    log: (line) => lines.push(line),
  });
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  expect(await pay(order, contentType, body)).toEqual({ status: 'invalid_encrypted_card' });
  expect(lines).toEqual(['Refused: invalid_encrypted_card']);
  expect(printers.flatMap(({ mock }) => mock.calls)).toEqual([]);
});
