/** The rates of the merchant's half are the same in three languages, and in docs/production.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

const SOURCES = [
  'src/checkout/limits.ts',
  'ports/php/src/RequestLimits.php',
  'ports/python/src/cardseal/limits.py',
];

const NAMES = [
  'KEYS_OF_ORDER',
  'KEYS_OF_SENDER',
  'KEYS_OF_ALL',
  'KEYS_OF_NEWCOMERS',
  'NEWCOMER',
  'DECLINES_OF_SENDER',
  'GIVEN_BACK_BY_SUCCESS',
];

/** The numbers that a constant has: a quotient is one number. */
function numbersOf(source: string, name: string): number[] {
  const line = new RegExp(`^.*\\b_?${name}\\b[^=\\n]*=(.*)$`, 'm').exec(read(source))?.[1] ?? '';
  return Array.from(
    line.matchAll(/([\d.]+)(?: \/ (\d+))?/g),
    ([, value, by = '1']) => Number(value) / Number(by),
  );
}

test.each(NAMES)('%s is the same in each language', (name) => {
  const [first, ...others] = SOURCES.map((source) => numbersOf(source, name));
  expect(first!.length).toBeGreaterThan(0);
  for (const [i, other] of others.entries()) expect(other, SOURCES[i + 1]).toEqual(first);
});

test.each([
  ['keys of an order', 'KEYS_OF_ORDER', '6 at once, then one in 5 s'],
  ['keys of a sender', 'KEYS_OF_SENDER', '60 at once, then one a second'],
  ['declined cards of a sender', 'DECLINES_OF_SENDER', '10, then 10 an hour'],
])('docs/production.md tells the rate of %s', (row, name, text) => {
  expect(read('docs/production.md')).toMatch(new RegExp(`^\\| ${row}.*\\| ${text}`, 'm'));
  const [burst, perSecond] = numbersOf(SOURCES[0]!, name);
  const [, first, count, seconds] = TEXT.exec(text)!;
  const inSeconds = { 'in 5 s': 5, 'a second': 1, 'an hour': 3600 }[seconds!]!;
  expect(burst).toBe(Number(first));
  expect(perSecond).toBeCloseTo((count === 'one' ? 1 : Number(count)) / inSeconds);
});

const TEXT = /^(\d+)(?: at once)?, then (one|\d+) (.*)$/;
