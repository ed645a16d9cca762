/** What a line of the log may say of an error, and of an id. */
import { expect, test } from 'vitest';
import {
  describe as described,
  InvalidOrderError,
  Problem,
  quoted,
  StoreContractError,
} from '../../src/checkout/log.ts';
import { within } from '../../src/checkout/within.ts';

test.each<[string, unknown, string]>([
  ['its own problems by their message', new Problem('the store is closed'), 'the store is closed'],
  ['what a store does wrong', new StoreContractError('give a number'), 'give a number'],
  ['what is no order', new InvalidOrderError('order.id must be text'), 'order.id must be text'],
  ['an error by its name', new RangeError('4242424242424242'), 'RangeError'],
  [
    'an error by its name and codes',
    Object.assign(new Error('x'), { recovery: 'retry', status: 503, code: 'ECONNRESET' }),
    'Error, retry, 503, ECONNRESET',
  ],
  ['a code of 60 characters', { code: 'a'.repeat(60) }, 'a'.repeat(60)],
  ['no code of 61 characters', { code: 'a'.repeat(61) }, 'it threw no Error'],
  ['no code with another character', { code: 'a card', name: 'a\nline' }, 'it threw no Error'],
  ['no empty code', { code: '' }, 'it threw no Error'],
  ['a text as nothing', 'a secret', 'it threw no Error'],
  ['undefined', undefined, 'it threw no Error'],
])('the log names %s', (_, error, expected) => {
  expect(described(error)).toBe(expected);
});

test('an error that cannot be read has a line, too', () => {
  const error = Object.defineProperty({}, 'name', {
    get() {
      throw new Error('a secret');
    },
  });
  expect(described(error)).toBe('it threw something that cannot be read');
});

test('its errors have names of their own', async () => {
  expect([new Problem('x').name, new StoreContractError('x').name]).toEqual([
    'Problem',
    'StoreContractError',
  ]);
  await expect(within(1, new Promise(() => {}))).rejects.toMatchObject({
    name: 'TimeLimitError',
    message: 'No answer in 1 ms',
  });
});

test('an id in a line is quoted, and has at most 200 characters, all whole', () => {
  expect(quoted('order\n1')).toBe('"order\\n1"');
  expect(quoted('x'.repeat(201))).toBe(`"${'x'.repeat(200)}"`);
  expect(quoted(`${'x'.repeat(199)}\u{1f4b3}y`)).toBe(`"${'x'.repeat(199)}\\ud83d\\udcb3"`);
});

// A line separator, a next line, a control sequence of terminals, a delete, a reversed direction.
test.each(['\u2028', '\u0085', '\u009b', '\u007f', '\u202e'])(
  'an id in a line is ASCII, as in PHP and Python: %j',
  (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    expect(quoted(`~${character}Order 2`)).toBe(`"~\\u${code}Order 2"`);
  },
);

test('what came in time leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length;
  const before = timers();
  expect(await within(60_000, Promise.resolve('done'))).toBe('done');
  expect(timers()).toBe(before);
});
