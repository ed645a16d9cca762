/** What a browser may post in the place of a block: a card in clear, above all. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCheckout, memoryStore } from '../../src/checkout/index.ts';

const NUMBER = '4242424242424242';
const FORM = 'application/x-www-form-urlencoded';

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
