import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CardEncryptionError } from '../../src/index.ts';
import { findCard } from '../support/find-card.ts';
import { provoke } from '../support/provoked-errors.ts';

const CARD = { number: '4929119283746505', name: 'Zoë Quillow', exp_month: '11', exp_year: '2749', cvv: '5839' };
const printed = (error: Error) => [
  inspect(error, { depth: null, showHidden: true, getters: true }),
  format('%s %o %j', error, error, error),
];

test('what Node prints of an error of any code holds nothing of the card', async () => {
  for (const error of await provoke(CARD)) expect(findCard(printed(error), CARD)).toEqual([]);
});

test('control: an error that holds something is printed with it', () => {
  expect(findCard(printed(Object.assign(new CardEncryptionError('invalid_card', 'bad'), { cause: CARD.number })), CARD)).not.toEqual([]);
});
