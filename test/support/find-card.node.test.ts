import { describe, expect, test } from 'vitest';
import { findCard, withoutAddresses } from './find-card.ts';

const CARD = {
  number: '4929119283746505',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2749',
  cvv: '5839',
};
const [NUMBER, NAME] = [CARD.number, CARD.name];
const bytes = (text: string, encoding: BufferEncoding = 'utf8') =>
  new Uint8Array(Buffer.from(text, encoding));

class Hidden {
  #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  get shown() {
    return this.#value;
  }
}

describe('finds a planted card', () => {
  test.each<[string, unknown]>([
    ['in a sentence', `for ${NAME}!`],
    ['in groups', '4929 1192 8374 6505'],
    ['with dashes', '4929-1192-8374-6505'],
    ['as a number', 4929119283746505],
    ['in a URL', new URL(`http://localhost/?name=${NAME}`)],
    ['in JSON that is all ASCII', String.raw`{"name":"Zo\u00eb Quillow"}`],
    ['percent-encoded', '%34%39%32%39%31%31%39%32%38%33%37%34%36%35%30%35'],
    ['in JSON escapes', JSON.stringify(NUMBER).replace(/\d/g, '\\u003$&')],
    ['in printed bytes', JSON.stringify({ x: [1, ...bytes(NUMBER), 2] })],
    ['backwards', [...NUMBER].reverse().join('')],
    ['in Base64, by itself', Buffer.from(NUMBER).toString('base64')],
    ['in Base64, after one byte', Buffer.from(`x${NUMBER}x`).toString('base64')],
    ['in Base64, after two bytes', Buffer.from(`xx${NUMBER}x`).toString('base64')],
    ['in base64url', Buffer.from(`?>${NAME}?>`).toString('base64url')],
    ['in hexadecimal', Buffer.from(`x${NAME}`).toString('hex')],
    ['in Base64 of UTF-16', Buffer.from(`x${NUMBER}`, 'utf16le').toString('base64')],
    ['in bytes', bytes(`x${NAME}`)],
    [
      'in bytes of UTF-16, most significant first',
      bytes(`x${NAME}`, 'utf16le').map((_, i, all) => all[i ^ 1]!),
    ],
    ['in the memory behind a view', bytes(`${NUMBER}xyz`).subarray(-3)],
    ['in a buffer', bytes(NUMBER).buffer],
    ['in a property name', { [NUMBER]: 1 }],
    ['in a hidden property', Object.defineProperty({}, 'x', { value: NUMBER })],
    ['behind a getter of a class', new Hidden(NAME)],
    ['in a set', new Set([NUMBER])],
    ['in the source of a function', new Function(`return '${NUMBER}'`)],
    ["in an error's cause", new Error('x', { cause: { NAME } })],
    ["in an error's stack", Object.assign(new Error('x'), { stack: `at ${NUMBER}` })],
  ])('%s', (_, value) => {
    expect(findCard(value, CARD)).not.toEqual([]);
  });
});

test('the search for a card says where it found it', () => {
  expect(findCard({ error: new TypeError(`bad ${NUMBER}`) }, { number: NUMBER })).toContain(
    'number, plain in it.error.message',
  );
});

test.each([
  [
    `Error: ${NUMBER}\n    at pay (file:///tmp/5839/x.ts:1:2)\n    at /tmp/5839.ts:1:2`,
    `Error: ${NUMBER}\n    at pay (\n    at `,
  ],
  [`pay@http://localhost:5839/x.ts?t=5839:1:2\n${NUMBER}@x`, `pay@\n${NUMBER}@x`],
])('of a stack, only the addresses are left out', (stack, rest) => {
  expect(withoutAddresses(stack)).toBe(rest);
  const error = Object.assign(new Error('x'), { stack });
  expect(findCard(error, { code: '5839' })).toEqual([]);
  expect(findCard(error, CARD)).toContain('number, plain in it.stack');
});

test('finds nothing in another card', () => {
  const other = { number: '4929119283746504', name: 'Zoe Quillow', exp_month: '11', cvv: '583' };
  expect(findCard(other, CARD)).toEqual([]);
});
