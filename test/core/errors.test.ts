/** What each error of the core is, and that it knows nothing of the card. Runs in the browsers and in Node. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Card,
  CardEncryptionError,
  type CardEncryptionKey,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
import { card, freshKey, outcome, type StringCard } from '../support/core.ts';
import { FAILURES, planted } from '../support/failures.ts';
import { findCard } from '../support/find-card.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function errorOf(fail: (given: StringCard) => Promise<unknown>, given: StringCard) {
  const error: unknown = await fail(given).catch((reason) => reason);
  vi.restoreAllMocks();
  if (error instanceof CardEncryptionError) return error;
  throw new Error('did not fail with a CardEncryptionError', { cause: error });
}

test.each(Object.entries(FAILURES))(
  '%s: a CardEncryptionError with its code, and field and limit only where they apply',
  async (what, fail) => {
    const error = await errorOf(fail, card());
    const [code, field, limit] = what.split(':')[0]!.split(' ');
    const expected = {
      name: 'CardEncryptionError',
      code,
      ...(field && { field }),
      ...(limit && { limit: Number(limit) }),
    };
    expect(error).toBeInstanceOf(Error);
    expect(`${error}`).toBe(`CardEncryptionError: ${error.message}`);
    expect({ ...error }).toEqual(expected);
    expect(Object.keys(error).sort()).toEqual(Object.keys(expected).sort());
    expect('cause' in error).toBe(false);
    expect(error.message.length).toBeGreaterThan(20); // it says what to do
  },
);

test('a detail that is undefined is no property: for code that wraps this package', () => {
  const details = { field: undefined, limit: undefined };
  const error = new CardEncryptionError('invalid_key', 'The key is over', details);
  expect(Object.keys(error).sort()).toEqual(['code', 'name']);
});

test.each([
  ['number', '12 to 19 digits'],
  ['name', 'well-formed text without control characters'],
  ['exp_month', '01 to 12'],
  ['exp_year', 'four digits'],
  ['cvv', '3 or 4 digits'],
])('the message for a wrong %s tells its rule: %s', async (field, rule) => {
  await expect(encryptCard(freshKey(), card({ [field]: '' }))).rejects.toMatchObject({
    message: `${field} must be ${rule}, in a writable property of the card object`,
  });
});

// Claim core-errors
test('neither function ever throws: whatever it is given, it returns a promise', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const odd of [undefined, 0, 'x', () => {}, proxy, new Proxy({}, { get: planted })]) {
    for (const result of [
      encryptCard(odd as CardEncryptionKey, odd as Card),
      prepareKey(odd as CardEncryptionKey),
    ]) {
      expect(result).toBeInstanceOf(Promise);
      expect(await outcome(result)).toBe('invalid_key');
    }
    expect(await outcome(encryptCard(freshKey(), odd as Card))).toBe('invalid_card number');
  }
});

describe('what an error tells', () => {
  const CARD = card({ cvv: '5839' });
  /** It differs in every field, and in every length that can differ. */
  const OTHER: StringCard = {
    number: '510510510510',
    name: 'Ben',
    exp_month: '02',
    exp_year: '3116',
    cvv: '906',
  };

  async function provoke(given: StringCard): Promise<CardEncryptionError[]> {
    const errors: CardEncryptionError[] = [];
    for (const fail of Object.values(FAILURES)) errors.push(await errorOf(fail, given));
    return errors;
  }

  /** Everything that an error shows: to who prints it, serialises it, or looks at it. */
  const shown = (error: CardEncryptionError) => ({
    text: String(error),
    message: error.message,
    json: JSON.stringify(error),
    cause: error.cause,
  });

  // Claim core-errors. Why: Every message is a fixed text, and an error has no `cause`:
  // src/core/errors.ts. Errors of the engine, of getters and of proxies are dropped where they are
  // caught.
  test('no error of any code holds anything of the card', async () => {
    for (const error of await provoke(CARD)) {
      expect(findCard([error, shown(error), structuredClone(error)], CARD)).toEqual([]);
    }
  });

  // Claim core-errors
  test('an error is the same for every card', async () => {
    // So it tells nothing that findCard leaves out, either: first digits, the month, a length. Of
    // the stack, only the library's own frames are compared.
    const ownFrames = (error: CardEncryptionError) =>
      error.stack?.split('\n').filter((line) => line.includes('/src/'));
    const compared = (errors: CardEncryptionError[]) =>
      errors.map((error) => ({
        ...shown(error),
        json: JSON.stringify({ ...error, limit: undefined }),
        stack: ownFrames(error),
      }));
    const [one, other] = [await provoke(CARD), await provoke(OTHER)];
    expect(compared(one)).toEqual(compared(other));
    expect(compared(one).every(({ stack }) => stack?.length)).toBe(true);

    // Except the limit of the name, which tells how long the other fields are.
    const limits = (errors: CardEncryptionError[]) => errors.flatMap(({ limit }) => limit ?? []);
    expect(limits(one)).toEqual([190 - 26]);
    expect(limits(other)).toEqual([190 - 21]);
  });

  // Control core-errors
  test('control: an error that holds something, anywhere, is found', () => {
    const error = () => new CardEncryptionError('invalid_card', 'bad');
    const errors = [
      new CardEncryptionError('invalid_card', `bad ${CARD.number}`),
      Object.assign(error(), { cause: { CARD } }),
      Object.assign(error(), { value: new TextEncoder().encode(CARD.name) }),
      Object.assign(error(), { field: CARD.cvv }),
    ];
    for (const error of errors) expect(findCard([error, shown(error)], CARD)).not.toEqual([]);
  });
});
