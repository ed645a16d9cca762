import { format, inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { CardEncryptionError } from '../../src/core/index.ts';
import { FAILURES } from '../tools/support/failures.ts';
import { findCard } from '../tools/support/find-card.ts';

const CARD = {
  number: '4929119283746505',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2749',
  cvv: '5839',
};
const printed = (error: Error) => [
  inspect(error, { depth: null, showHidden: true, getters: true }),
  format('%s %o %j', error, error, error),
];

test('what Node prints of an error of any code holds nothing of the card', async () => {
  for (const fail of Object.values(FAILURES)) {
    const [result] = await Promise.allSettled([fail({ ...CARD })]);
    vi.restoreAllMocks();
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(CardEncryptionError) });
    expect(findCard(printed((result as PromiseRejectedResult).reason), CARD)).toEqual([]);
  }
});

test('control: an error that holds something is printed with it', () => {
  expect(
    findCard(
      printed(
        Object.assign(new CardEncryptionError('invalid_card', 'bad'), { cause: CARD.number }),
      ),
      CARD,
    ),
  ).not.toEqual([]);
});
