/** Rules that make no second charge possible if they are taken out: they are for comfort. */
import { describe, expect, test } from 'vitest';
import {
  onAnswer,
  onBlock,
  onKeyArrived,
  onRefusal,
  onResolve,
  outcomeOf,
  type StoredOrder,
} from '../../src/checkout/decide.ts';
import { keyLimits } from '../../src/checkout/key-limits.ts';

const price = { amount: 1000, currency: 'USD' };
const key = { id: 'cek_1', ...price, expiresAt: 1000, block: 'none' as const, reason: null };
const OPEN: StoredOrder = {
  state: 'open',
  ...price,
  paid: null,
  intentId: 'pi_card_1',
  sent: false,
  attempt: null,
  keyErrors: 0,
  keys: [key],
};
const attempt = { token: 't', keyId: 'cek_1', price, now: 1000 };
const started = onBlock(OPEN, attempt);
const PAYING = started.store!;
const intent = (status: string) =>
  ({ kind: 'intent', id: 'pi_card_1', status, reason: 'card_declined', price }) as const;

describe('a block', () => {
  test('is sent until its key expires, and not later', () => {
    expect(started.next).toBe('authorize');
    const late = onBlock(OPEN, { ...attempt, now: 1001 });
    expect(late).toMatchObject({ next: 'answer', outcome: { status: 'not_paid' } });
    // What was refused is never sent, also if the clock is set back.
    expect(onBlock(late.store, attempt)).toEqual({
      next: 'answer',
      outcome: { status: 'not_paid' },
    });
  });

  test('is sent once: after a decline it gets the decline again', () => {
    const { store, outcome } = onAnswer(PAYING, attempt, intent('failed'));
    expect(outcome).toEqual({ status: 'failed', reason: 'card_declined' });
    const again = onBlock(store, { ...attempt, token: 'u', draftId: 'pi_card_2' });
    expect(again).toEqual({ next: 'answer', outcome });
  });

  test('that was declined gets no decline any more once another one may have been charged', () => {
    const keys = [{ ...key, block: 'declined' as const }];
    const { outcome } = onRefusal({ ...OPEN, sent: true, keyErrors: 1, keys }, 'cek_1');
    expect(outcome).toEqual({ status: 'retry_is_safe' });
  });

  test('of a key that the order has not is not certain', () => {
    for (const stored of [OPEN, undefined])
      expect(onBlock(stored, { ...attempt, keyId: 'cek_other' })).toEqual({
        next: 'answer',
        outcome: { status: 'not_certain' },
      });
  });

  test('is sent for the price that its page has shown, if it is that of the order again', () => {
    const other = { ...OPEN, amount: 2000 }; // another page has a key for another price
    const sent = onBlock(other, { ...attempt, draftId: 'pi_card_2' });
    expect(sent).toMatchObject({ next: 'authorize', intentId: 'pi_card_2' });
    const inEuro = onBlock(OPEN, { ...attempt, price: { ...price, currency: 'EUR' } });
    expect(inEuro).toMatchObject({ next: 'answer', outcome: { status: 'not_paid' } });
  });

  test('whose attempt is stored already is authorized: only the answer of the write was lost', () => {
    expect(onBlock(PAYING, attempt)).toEqual({ next: 'authorize', intentId: 'pi_card_1' });
  });
});

test('a second key error of an intent is uncertain, so that nobody retries endlessly', () => {
  const first = onAnswer(PAYING, attempt, { kind: 'key_error' });
  expect(first.outcome).toEqual({ status: 'retry_is_safe' });
  const second = onAnswer({ ...PAYING, keyErrors: 1 }, attempt, { kind: 'key_error' });
  expect(second.store?.state).toBe('uncertain');
});

test.each(['committed', 'authorized'])(
  'the valid answer of an uncertain attempt comes late, and counts: %s',
  (status) => {
    const { store } = onAnswer(PAYING, attempt, { kind: 'unclear' });
    expect(outcomeOf(store)).toEqual({ status: 'not_certain' });
    const { outcome } = onAnswer(store, attempt, intent(status));
    expect(outcome).toEqual({ status, reference: 'pi_card_1' });
  },
);

test('an order keeps the keys that took a card, and the newest 50 of the others', () => {
  const keys = Array.from({ length: 52 }, (_, at) => ({ ...key, id: `cek_${at}` }));
  const [used, oldest, ...others] = keys.map(({ id }) => id);
  const order = onRefusal({ ...OPEN, keys }, used!).store!;
  const { store } = onKeyArrived(order, price, { id: 'cek_new', expiresAt: 1 }, undefined);
  expect(store!.keys.map(({ id }) => id)).toEqual([used, ...others, 'cek_new']);
  expect(oldest).toBe('cek_1');
});

test('nothing replaces an outcome, and staff do not resolve what is under way or was never sent', () => {
  const paid = onAnswer(PAYING, attempt, intent('committed')).store;
  expect(onResolve(paid, 'pi_card_1', 'not_paid', 10 ** 9, 100).store).toBeUndefined();
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', 1100, 100).store).toBeUndefined();
  expect(onResolve(OPEN, 'pi_card_1', 'not_paid', 10 ** 9, 100).store).toBeUndefined();
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', 1101, 100).store?.state).toBe('open');
  expect(onResolve(PAYING, 'pi_card_1', 'committed', 1101, 100).store?.state).toBe('paid');
  // The attempt began on a clock that was ahead, which ended with its process.
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', 899, 100).store?.state).toBe('open');
});

test('key requests are limited by rate: per order, in all, and never for the life of an order', () => {
  const limits = keyLimits();
  const taken = Array.from({ length: 7 }, () => limits.take('a', 0));
  expect(taken).toEqual([0, 0, 0, 0, 0, 0, 5]);
  expect(limits.take('a', 4999)).toBe(1);
  expect(limits.take('a', 5000)).toBe(0);
  const others = Array.from({ length: 50 }, (_, order) => limits.take(`b${order}`, 5000));
  expect(others.filter((wait) => wait === 0)).toHaveLength(39);
  expect(limits.take('c', 6000)).toBe(0);
  for (let at = 0; at < 6; at++) limits.take('d', 10 ** 9);
  expect(limits.take('d', 10 ** 6)).toBe(0); // the clock was set back
});
