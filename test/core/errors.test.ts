import { afterEach, describe, expect, test, vi } from 'vitest';
import * as cardseal from '../../src/core/index.ts';
import {
  type Card,
  CardEncryptionError,
  type CardEncryptionKey,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
import { card, freshKey, outcome } from '../tools/support/core.ts';
import { FAILURES, planted } from '../tools/support/failures.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(FAILURES))('%s', (what, fail) => {
  const fails = async (): Promise<CardEncryptionError> => {
    const error: unknown = await fail(card()).catch((reason) => reason);
    vi.restoreAllMocks();
    if (error instanceof CardEncryptionError) return error;
    throw new Error('did not fail with a CardEncryptionError', { cause: error });
  };
  const [expected] = what.split(':') as [string];
  const [code, field, limit] = expected.split(' ') as [string, string?, string?];

  test('is a CardEncryptionError with its code, and field and limit only where they apply', async () => {
    const error = await fails();
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('CardEncryptionError');
    expect(`${error}`).toBe(`CardEncryptionError: ${error.message}`);
    const more = { ...(field && { field }), ...(limit && { limit: Number(limit) }) };
    expect({ ...error }).toEqual({ name: 'CardEncryptionError', code, ...more });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'CardEncryptionError',
      code,
      ...more,
    });
    expect('field' in error).toBe(field !== undefined);
    expect('limit' in error).toBe(limit !== undefined);
    expect('cause' in error).toBe(false);
    expect(error.message.length).toBeGreaterThan(20); // it says what to do
  });
});

test.each([
  ['number', '12 to 19 digits'],
  ['name', 'well-formed text without control characters'],
  ['exp_month', '01 to 12'],
  ['exp_year', 'four digits'],
  ['cvv', '3 or 4 digits'],
])('the message for a wrong %s tells its rule: %s', async (field, rule) => {
  await expect(encryptCard(freshKey(), card({ [field]: '' }))).rejects.toMatchObject({
    code: 'invalid_card',
    message: `${field} must be ${rule}, in a writable property of the card object`,
  });
});

test('neither function ever throws: whatever it is given, it returns a promise', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const odd = [
    undefined,
    0,
    'x',
    Symbol('x'),
    {},
    () => {},
    proxy,
    new Proxy({}, { get: planted }),
  ];
  for (const key of odd) {
    for (const one of odd) {
      const result = encryptCard(key as CardEncryptionKey, one as Card);
      expect(result).toBeInstanceOf(Promise);
      expect(await outcome(result)).toMatch(/^(invalid_key|unsupported_scheme)$/);
      const other = encryptCard(freshKey(), one as Card);
      expect(await outcome(other)).toBe('invalid_card number');
    }
    const preparing = prepareKey(key as CardEncryptionKey);
    expect(preparing).toBeInstanceOf(Promise);
    expect(await outcome(preparing)).toMatch(/^(invalid_key|unsupported_scheme)$/);
  }
});

test('the package exports two functions and the error', () => {
  expect(Object.keys(cardseal).sort()).toEqual([
    'CardEncryptionError',
    'encryptCard',
    'prepareKey',
  ]);
});
