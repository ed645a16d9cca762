import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { browserKey, parseEncryptedCard } from '../../src/server/index.ts';
import { asFile, FILES, type Input, keyCorpus, parseCorpus } from './make.ts';

const folder = import.meta.dirname;
const parse = parseCorpus().cases;
const keys = keyCorpus().cases;

afterEach(() => {
  vi.useRealTimers();
});

/** What a Node server hands to the function. */
function readInput(input: Input): unknown {
  if ('text' in input) return input.text;
  if ('parsed' in input) return JSON.parse(input.parsed);
  return Buffer.from(input.bytes, 'hex').toString(); // as body parsers decode: it never throws
}

/** In the form of a case's verdict: the output, or the code of the error. */
function verdictOf(run: () => unknown): object {
  try {
    return { accept: run() };
  } catch (error) {
    return { refuse: (error as { code?: string }).code };
  }
}

const verdict = (one: object) =>
  'accept' in one ? { accept: one.accept } : { refuse: (one as { refuse: string }).refuse };

test.each(Object.entries(FILES))('%s is what make.ts makes', (file, make) => {
  expect(readFileSync(join(folder, file), 'utf8')).toBe(asFile(make()));
});

test('says nothing that a language could not read: no lone surrogate stands in a file', () => {
  for (const file of Object.keys(FILES)) {
    expect(JSON.stringify(JSON.parse(readFileSync(join(folder, file), 'utf8')))).not.toMatch(
      /(?<!\\)(\\\\)*\\ud[89a-f]/,
    );
  }
});

describe('parseEncryptedCard', () => {
  test.each(parse)('$name', ({ input, expected, now, ...one }) => {
    vi.useFakeTimers({ now });
    const value = readInput(input);
    expect(verdictOf(() => parseEncryptedCard(value, expected as never))).toStrictEqual(
      verdict(one),
    );
  });
});

describe('browserKey', () => {
  test.each(keys)('$name', ({ input, accepted, ...one }) => {
    const value = readInput(input) as never;
    const forward = browserKey as (key: never, accepted?: string[]) => unknown;
    expect(verdictOf(() => forward(value, accepted))).toStrictEqual(verdict(one));
  });
});
