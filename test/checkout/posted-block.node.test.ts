/** What a browser posts: a block, or something in its place, a card in clear above all. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCheckout, memoryStore } from '../../src/checkout/index.ts';
import { readPostedBlock } from '../../src/checkout/posted-block.ts';
import { BLOCK, postedBlock } from './world.ts';

const NUMBER = '4242424242424242';
const FORM = 'application/x-www-form-urlencoded';

test.each([
  [undefined, postedBlock('cek_1')],
  ['text/plain;charset=UTF-8', postedBlock('cek_1')],
  ['Application/JSON; charset=utf-8', postedBlock('cek_1')],
  [' application/json', postedBlock('cek_1')],
  [FORM, `a=b&encrypted_card=${encodeURIComponent(postedBlock('cek_1'))}`],
])('a block is read as %s', async (contentType, body) => {
  const block = { ...BLOCK, key_id: 'cek_1' };
  expect(await readPostedBlock(contentType, body)).toMatchObject({ block });
});

const pretty = JSON.stringify(JSON.parse(postedBlock('cek_1')), null, 2);
const parsed = JSON.parse(postedBlock('cek_1')) as string; // what a parser leaves

test.each<[string, string, string | undefined, string]>([
  ['a card', `{"number":"${NUMBER}"}`, 'application/json', 'the JSON is no block'],
  ['a number', NUMBER, undefined, 'the JSON is no block'],
  ['null', 'null', undefined, 'the JSON is no block'],
  ['broken JSON', `{"number":"${NUMBER}",`, undefined, 'the body is no JSON'],
  [
    'a form without a block',
    `number=${NUMBER}`,
    FORM,
    'no text field "encrypted_card": bind it with bindCardForm or data-cardseal, and submit that form',
  ],
  ['a card in the field of the block', `encrypted_card=${NUMBER},`, FORM, 'no JSON'],
  [
    'parts that are none',
    NUMBER,
    'multipart/form-data; boundary=b',
    'the form data cannot be read',
  ],
  [
    'a type that nobody knows',
    NUMBER,
    `image/${NUMBER}`,
    'the content type is none of text/plain, application/json, application/x-www-form-urlencoded and multipart/form-data: give pay() the header of the request',
  ],
  [
    'what a parser has eaten',
    '',
    'application/json',
    'or a middleware has read it before: mount the route before it',
  ],
  [
    'what a parser has made of it',
    parsed,
    'application/json',
    'A body parser has read it before: give pay() the text of the body, and mount the route before express.json() and the like',
  ],
  ['that as a text', '[object Object]', undefined, 'A body parser has read it before'],
  ['a compressed body', '\u001f\ufffd\b', 'application/json', 'the body is compressed'],
  [
    'a block that a gateway has formatted',
    pretty,
    'application/json',
    'has rewritten the JSON, such as a gateway: the text must be what JSON.stringify writes',
  ],
  [
    'a block with spaces at the end',
    `${postedBlock('cek_1')}\n`,
    undefined,
    'has rewritten the JSON',
  ],
  ['a megabyte', NUMBER.repeat(65_536), undefined, 'more than 8,192 characters'],
])('is refused, with its own line, and printed nowhere: %s', async (_, body, contentType, line) => {
  const methods = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
  const printers = methods.map((method) => vi.spyOn(console, method));
  onTestFinished(() => void vi.restoreAllMocks());
  const lines: string[] = [];
  const { pay } = createCheckout({
    payments: { baseUrl: 'https://payments.example', secretKey: 'sk_test' }, // never asked
    store: memoryStore(),
    log: (line) => lines.push(line),
  });
  const order = { id: 'order\n1', amount: 1000, currency: 'USD' };
  const outcome = await pay(order, contentType, body, { sender: '203.0.113.9' });
  expect(outcome).toEqual({ status: 'invalid_encrypted_card' });
  expect(lines).toEqual([
    expect.stringContaining('Refused: invalid_encrypted_card: order "order\\n1": '),
  ]);
  expect(lines[0]).toContain(line);
  expect(lines[0]).not.toMatch(/\n|4242/); // no id forges a line
  expect(printers.flatMap(({ mock }) => mock.calls)).toEqual([]);
});

test('a body may have 8,192 characters', async () => {
  expect(await readPostedBlock(undefined, 'x'.repeat(8192))).toEqual({
    problem: 'the body is no JSON',
  });
  expect(await readPostedBlock(undefined, 'x'.repeat(8193))).toMatchObject({
    problem: expect.stringContaining('more than 8,192'),
  });
});

test('megabytes are refused before anything parses them', async () => {
  const body = `[${'[],'.repeat(20_000_000)}[]]`; // takes JSON.parse seconds
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await readPostedBlock(undefined, body)).toHaveProperty('problem');
  expect(parse).not.toHaveBeenCalled();
});
