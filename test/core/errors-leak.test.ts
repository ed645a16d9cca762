/** No error knows the card, whatever went wrong. Runs in the browsers and in Node. */
import { expect, test, vi } from 'vitest';
import { CardEncryptionError } from '../../src/core/index.ts';
import type { StringCard } from '../tools/support/core.ts';
import { FAILURES } from '../tools/support/failures.ts';
import { findCard } from '../tools/support/find-card.ts';

const CARD: StringCard = {
  number: '4929119283746505',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2749',
  cvv: '5839',
};
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
  for (const fail of Object.values(FAILURES)) {
    const [result] = await Promise.allSettled([fail(given)]);
    vi.restoreAllMocks();
    if (result.status === 'fulfilled' || !(result.reason instanceof CardEncryptionError))
      throw new Error('did not fail as it should');
    errors.push(result.reason);
  }
  return errors;
}

/** Everything that an error shows: to who prints it, serialises it, sends it to another window, or looks at it. */
const shown = (error: CardEncryptionError) => ({
  text: String(error),
  message: error.message,
  stack: error.stack,
  json: JSON.stringify(error),
  cause: error.cause,
});

test('no error of any code holds anything of the card', async () => {
  for (const error of await provoke(CARD)) {
    expect(findCard([error, shown(error), structuredClone(error)], CARD)).toEqual([]);
    expect(
      Object.keys(error).filter((name) => !['name', 'code', 'field', 'limit'].includes(name)),
    ).toEqual([]);
    expect(error.cause).toBeUndefined();
  }
});

test('an error is the same for every card', async () => {
  // Except the limit of the name, which tells how long the other fields are.
  // So it tells nothing that findCard leaves out, either: first digits, last digits, the month, a length. Of the stack, only the
  // library's own frames are compared.
  const ownFrames = (error: CardEncryptionError) =>
    error.stack?.split('\n').filter((line) => line.includes('/src/'));
  const withoutLimit = (error: CardEncryptionError) =>
    JSON.stringify({ ...error, limit: undefined });
  const compared = (errors: CardEncryptionError[]) =>
    errors.map((error) => ({
      ...shown(error),
      json: withoutLimit(error),
      stack: ownFrames(error),
    }));
  const one = await provoke(CARD);
  const other = await provoke(OTHER);
  expect(compared(one)).toEqual(compared(other));
  expect(compared(one).every(({ stack }) => stack?.length)).toBe(true);

  const limits = (errors: CardEncryptionError[]) => errors.flatMap(({ limit }) => limit ?? []);
  const lengthOfOthers = ({ number, exp_month, exp_year, cvv }: StringCard) =>
    [number, exp_month, exp_year, cvv].join('').length;
  expect(limits(one)).toEqual([190 - lengthOfOthers(CARD)]);
  expect(limits(other)).toEqual([190 - lengthOfOthers(OTHER)]);
});

test('control: an error that holds something, anywhere, is found', () => {
  const errors = [
    new CardEncryptionError('invalid_card', `bad ${CARD.number}`),
    Object.assign(new CardEncryptionError('invalid_card', 'bad'), { cause: { CARD } }),
    Object.assign(new CardEncryptionError('invalid_card', 'bad'), {
      value: new TextEncoder().encode(CARD.name),
    }),
    Object.assign(new CardEncryptionError('invalid_card', 'bad'), { field: CARD.cvv }),
  ];
  for (const error of errors) expect(findCard([error, shown(error)], CARD)).not.toEqual([]);
});
