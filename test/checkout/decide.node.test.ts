/** Rules that make no second charge possible if they are taken out: they are for comfort. */
import { describe, expect, test } from 'vitest';
import {
  type Decider,
  isDue,
  onAnswer,
  onBlock,
  onDeliver,
  onDelivered,
  onKeyArrived,
  onKeyRequested,
  onLookUp,
  onNoBlock,
  onRefusal,
  onResolve,
  onWithdraw,
  outcomeOf,
  outcomeOfBlock,
  type StoredOrder,
} from '../../src/checkout/decide.ts';

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
/** Staff or a process, at a time; an attempt may take 100 ms. */
const at = (now: number, delivers = false): Decider => ({
  token: 'd',
  now,
  limitMs: 100,
  delivers,
});
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
    const { store, outcome } = onAnswer(PAYING, attempt, intent('failed'), at(1000));
    expect(outcome).toEqual({ status: 'failed', reason: 'card_declined' });
    const again = onBlock(store, { ...attempt, token: 'u', draftId: 'pi_card_2' });
    expect(again).toEqual({ next: 'answer', outcome });
  });

  test('that was declined gets no decline any more once another one may have been charged', () => {
    const keys = [{ ...key, block: 'declined' as const }];
    const { outcome } = onRefusal({ ...OPEN, sent: true, keyErrors: 1, keys }, 'cek_1');
    expect(outcome).toEqual({ status: 'retry_is_safe' });
  });

  test('that waits for its draft ends what was told of the card before', () => {
    const last = { status: 'failed', reason: 'card_declined', keyId: 'cek_0' } as const;
    const decision = onBlock({ ...OPEN, intentId: null, last }, attempt);
    expect(decision).toMatchObject({ next: 'create_intent', store: { last: null } });
    expect(outcomeOf(decision.store)).toEqual({ status: 'open' });
    expect(onBlock(decision.store, attempt)).toEqual({ next: 'create_intent' });
  });

  test.each([
    ['failed', { status: 'open', last: 'failed', reason: null, key_id: 'cek_1' }],
    ['cancelled', { status: 'open', last: 'not_paid' }],
  ])('that got no answer is %s, as a look-up says', (found, outcome) => {
    const asked = { intentId: 'pi_card_1', token: 't' };
    expect(onLookUp(PAYING, asked, found, at(1101)).outcome).toEqual(outcome);
  });

  test('of a key that the order has not says nothing about a payment', () => {
    for (const stored of [OPEN, undefined])
      expect(onBlock(stored, { ...attempt, keyId: 'cek_other' })).toEqual({
        next: 'answer',
        outcome: { status: 'no_order', key_id: 'cek_other' },
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

describe('an order that is withdrawn', () => {
  const WITHDRAWN = onWithdraw(OPEN, 'order-1', price, at(1000)).store!;

  test.each<[string, StoredOrder | undefined]>([
    ['without a key', undefined],
    ['with a key', OPEN],
    ['whose card was declined', { ...OPEN, last: { status: 'failed', reason: null } }],
    // 0.3.0 first refused this: a tester of cards changes the cart after nine, and staff had no word.
    ['with ten declines', { ...OPEN, declines: 10 }],
  ])('is one of which nothing can have been charged: %s', (_, stored) => {
    const { store } = onWithdraw(stored, 'order-1', price, at(1000));
    expect(store).toMatchObject({ ...stored, state: 'withdrawn' });
    expect(outcomeOf(store)).toEqual({ status: 'no_order' });
    expect(isDue(store!)).toBe(false);
  });

  test('is stored under its id, also if it has got no key', () => {
    const { store } = onWithdraw(
      undefined,
      'order-1',
      { ...price, capture_method: 'manual' },
      at(1000),
    );
    expect(store).toMatchObject({ id: 'order-1', ...price, capture_method: 'manual', keys: [] });
  });

  test.each<[string, StoredOrder]>([
    ['is paid', { ...OPEN, state: 'paid', paid: 'committed' }],
    ['was being paid, and has got no answer in time', PAYING],
    ['is not certain', { ...PAYING, state: 'uncertain' }],
    ['was sent, and is open', { ...OPEN, sent: true, keyErrors: 1 }],
  ])('is none that %s', (_, stored) => {
    expect(onWithdraw(stored, 'order-1', price, at(1101))).toEqual({ next: 'answer' });
  });

  test('waits for the answer of an attempt: the card may be declined', () => {
    expect(onWithdraw(PAYING, 'order-1', price, at(1100))).toEqual({ next: 'wait' });
  });

  test('stays so, and gets no key and no block', () => {
    expect(onWithdraw(WITHDRAWN, 'order-1', price, at(1000))).toEqual({ next: 'answer' });
    expect(onKeyRequested(WITHDRAWN, price)).toEqual({ outcome: { status: 'no_order' } });
    const dearer = { ...price, amount: 2000 };
    expect(onKeyRequested(WITHDRAWN, dearer)).toEqual({ outcome: { status: 'no_order' } });
    const key = { id: 'cek_2', expiresAt: 1 };
    expect(onKeyArrived(WITHDRAWN, 'order-1', price, key)).toEqual({
      outcome: { status: 'no_order' },
    });
    for (const draftId of [undefined, 'pi_card_2'])
      expect(onBlock(WITHDRAWN, { ...attempt, draftId })).toEqual({
        next: 'answer',
        outcome: { status: 'not_paid' },
      });
    expect(onNoBlock(WITHDRAWN, 1000, 100)).toEqual({ status: 'no_order' });
  });

  test('tells of the block under each key that it has had', () => {
    const declined = { ...key, block: 'declined' as const, reason: 'card_declined' };
    const order = { ...WITHDRAWN, keys: [declined] };
    expect(outcomeOfBlock(order, 'cek_1')).toEqual({ status: 'failed', reason: 'card_declined' });
    expect(outcomeOfBlock(order, 'cek_2')).toEqual({ status: 'no_order', key_id: 'cek_2' });
  });
});

test('a second key error of an intent is uncertain, so that nobody retries endlessly', () => {
  const first = onAnswer(PAYING, attempt, { kind: 'key_error' }, at(1000));
  expect(first.outcome).toEqual({ status: 'retry_is_safe' });
  const second = onAnswer({ ...PAYING, keyErrors: 1 }, attempt, { kind: 'key_error' }, at(1000));
  expect(second.store?.state).toBe('uncertain');
});

test.each(['committed', 'authorized'])(
  'the valid answer of an uncertain attempt comes late, and counts: %s',
  (status) => {
    const { store } = onAnswer(PAYING, attempt, { kind: 'unclear' }, at(1000));
    expect(outcomeOf(store)).toEqual({ status: 'not_certain' });
    const { outcome } = onAnswer(store, attempt, intent(status), at(1000));
    expect(outcome).toEqual({ status, reference: 'pi_card_1' });
  },
);

test('an order keeps its newest 50 keys, used or not', () => {
  const keys = Array.from({ length: 50 }, (_, index) => ({ ...key, id: `cek_${index}` }));
  const order = onRefusal({ ...OPEN, keys }, 'cek_0').store!;
  const { store } = onKeyArrived(order, 'order-1', price, { id: 'cek_new', expiresAt: 1 });
  expect(store!.keys.map(({ id }) => id)).toEqual([
    ...keys.slice(1).map(({ id }) => id),
    'cek_new',
  ]);
  // A block under a key that was dropped is never sent.
  expect(onBlock(store, { ...attempt, keyId: 'cek_0' })).toMatchObject({ next: 'answer' });
});

// Claim true-outcome
test('nothing replaces an outcome, and staff do not resolve what is under way or was never sent', () => {
  const paid = onAnswer(PAYING, attempt, intent('committed'), at(1000)).store;
  expect(onResolve(paid, 'pi_card_1', 'not_paid', at(10 ** 9)).store).toBeUndefined();
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', at(1100)).store).toBeUndefined();
  expect(onResolve(OPEN, 'pi_card_1', 'not_paid', at(10 ** 9)).store).toBeUndefined();
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', at(1101)).store?.state).toBe('open');
  expect(onResolve(PAYING, 'pi_card_1', 'committed', at(1101)).store?.state).toBe('paid');
  // The attempt began on a clock that was ahead, which ended with its process.
  expect(onResolve(PAYING, 'pi_card_1', 'not_paid', at(899)).store?.state).toBe('open');
});

test('what became of the last try is stored, so that a reload tells it', () => {
  const key_id = 'cek_1';
  const { store } = onAnswer(PAYING, attempt, intent('failed'), at(1000));
  const declined = { status: 'open', last: 'failed', reason: 'card_declined', key_id };
  expect(outcomeOf(store)).toEqual(declined);
  const refused = { status: 'open', last: 'not_paid', key_id };
  expect(outcomeOf(onRefusal(OPEN, key_id).store)).toEqual(refused);
  const error = onAnswer(PAYING, attempt, { kind: 'key_error' }, at(1000)).store;
  expect(outcomeOf(error)).toEqual({ status: 'open', last: 'retry_is_safe' });
});

test('after ten declines nobody tries another card', () => {
  let order: StoredOrder = OPEN;
  for (let card = 1; card <= 10; card++) {
    expect(onKeyRequested(order, price)).toHaveProperty('order');
    const keys = [{ ...key, block: 'none' as const }];
    const sent = onBlock({ ...order, keys }, { ...attempt, draftId: 'pi_card_1' }).store;
    order = onAnswer(sent, attempt, intent('failed'), at(1000)).store!;
    expect(order.declines).toBe(card);
  }
  const outcome = { status: 'failed', reason: 'card_declined' };
  expect(onKeyRequested(order, price)).toEqual({ outcome });
  expect(outcomeOf(order)).toEqual(outcome);
  const waiting = { ...order, keys: [key] }; // a page has asked for a key before
  const refused = onBlock(waiting, { ...attempt, draftId: 'pi_card_2' });
  expect(refused).toMatchObject({ next: 'answer', outcome });
  expect(refused.store!.keys[0]!.block).toBe('error');
});

test('capture_method is part of what is to be paid', () => {
  const manual = { ...price, capture_method: 'manual' as const };
  const order: StoredOrder = { ...OPEN, capture_method: 'automatic' };
  expect(onBlock(order, { ...attempt, price: manual })).toEqual({ next: 'create_intent' });
  expect(onKeyRequested({ ...order, sent: true }, manual)).toEqual({
    outcome: { status: 'not_certain' },
  });
  // What builds before 0.3.0 have written is for either.
  expect(onBlock(OPEN, { ...attempt, price: manual }).next).toBe('authorize');
});

test('where there is no block, a paid or uncertain order is told all the same', () => {
  const paid = onAnswer(PAYING, attempt, intent('committed'), at(1000)).store;
  expect(onNoBlock(paid, 1000, 100).status).toBe('committed');
  expect(onNoBlock(PAYING, 2000, 100).status).toBe('not_certain');
  for (const stored of [undefined, OPEN, PAYING])
    expect(onNoBlock(stored, 1000, 100)).toEqual({ status: 'invalid_encrypted_card' });
});

describe('a look-up', () => {
  const uncertain = onAnswer(PAYING, attempt, { kind: 'unclear' }, at(1000)).store!;
  const asked = { intentId: 'pi_card_1', token: 't' };

  test.each([
    ['committed', 'committed'],
    ['authorized', 'authorized'],
    ['failed', 'open'],
    ['cancelled', 'open'],
    ['created', 'open'],
    ['unknown', 'not_certain'],
    ['canceled', 'not_certain'],
  ])('that says %s: %s', (found, status) => {
    expect(onLookUp(uncertain, asked, found, at(2000)).outcome.status).toBe(status);
  });

  test('that says created gives up no intent', () => {
    const { store, outcome } = onLookUp(uncertain, asked, 'created', at(2000));
    expect(store).toMatchObject({ state: 'open', intentId: 'pi_card_1', sent: true });
    expect(outcome).toEqual({ status: 'open', last: 'retry_is_safe' });
    const another = { ...asked, token: 'an earlier attempt' };
    expect(onLookUp(uncertain, another, 'created', at(2000)).store).toBeUndefined();
  });

  test('that says a charge counts also while an attempt is under way, another one does not', () => {
    expect(onLookUp(PAYING, asked, 'committed', at(1000)).store?.state).toBe('paid');
    expect(onLookUp(PAYING, asked, 'failed', at(1000)).store).toBeUndefined();
    const other = { intentId: 'pi_card_2', token: 't' };
    expect(onLookUp(uncertain, other, 'failed', at(2000)).store).toBeUndefined();
  });
});

describe('a delivery', () => {
  const paid = onAnswer(PAYING, attempt, intent('committed'), at(1000, true)).store!;

  test('is claimed with the payment, for 30 s, and twice as long at each try', () => {
    expect(paid.delivery).toEqual({ token: 'd', until: 31_000, tries: 1 });
    expect(onDeliver(paid, at(31_000)).claim).toEqual(paid.delivery);
    const other = { ...at(31_000), token: 'e' };
    expect(onDeliver(paid, other)).toEqual({});
    const second = onDeliver(paid, { ...other, now: 31_001 });
    expect(second.claim).toEqual({ token: 'e', until: 91_001, tries: 2 });
    let order = paid;
    for (let tries = 2; tries < 12; tries++) {
      const { until } = order.delivery as { until: number };
      order = onDeliver(order, at(until + 1)).store!;
    }
    const { until, tries } = order.delivery as { until: number; tries: number };
    expect(tries).toBe(11);
    expect(onDeliver(order, at(until)).store).toBeUndefined();
    const next = onDeliver(order, at(until + 1)).claim!;
    expect(next.until - (until + 1)).toBe(3_600_000);
  });

  test('is claimed anew under a claim that ends later than any can: a clock was wrong', () => {
    const under = (until: number) => ({ ...paid, delivery: { token: 'e', until, tries: 1 } });
    expect(onDeliver(under(3_601_000), at(1000))).toEqual({});
    const { claim } = onDeliver(under(3_601_001), at(1000));
    expect(claim).toEqual({ token: 'd', until: 61_000, tries: 2 });
  });

  test('that is done is done, no matter who holds the claim', () => {
    const { store } = onDelivered(paid);
    expect(store!.delivery).toBe('done');
    expect(onDelivered(store)).toEqual({});
    expect(onDeliver(store, at(10 ** 9))).toEqual({});
  });

  test('is none of an order that was paid without onPaid', () => {
    const { store } = onAnswer(PAYING, attempt, intent('committed'), at(1000));
    expect(store).not.toHaveProperty('delivery');
    expect(onDeliver(store, at(10 ** 9))).toEqual({});
  });
});

const PAID: StoredOrder = { ...OPEN, state: 'paid', paid: 'committed', sent: true };

describe('an answer that is late', () => {
  const other = { ...PAYING, attempt: { ...PAYING.attempt!, token: 'another' } };

  test('pays, although another process has the order by now (O8)', () => {
    const { store } = onAnswer(other, attempt, intent('committed'), at(1000));
    expect(store).toMatchObject({ state: 'paid', paid: 'committed' });
  });

  test('changes nothing of an order that is paid, or of which nothing was sent', () => {
    for (const stored of [{ ...PAID, delivery: 'done' } as const, OPEN])
      expect(onAnswer(stored, attempt, intent('failed'), at(1000))).not.toHaveProperty('store');
  });
});

test('a look-up changes nothing where it tells nothing new', () => {
  const asked = { intentId: 'pi_card_1', token: null };
  const sent = { ...OPEN, sent: true };
  expect(onLookUp(sent, asked, 'created', at(2000))).not.toHaveProperty('store');
  const delivered = { ...PAID, delivery: 'done' } as const;
  expect(onLookUp(delivered, asked, 'committed', at(2000, true))).not.toHaveProperty('store');
});

test('a paid order is due until it is delivered', () => {
  const claim = { token: 't', until: 1000, tries: 1 };
  const orders: StoredOrder[] = [PAID, { ...PAID, delivery: claim }, { ...PAID, delivery: 'done' }];
  expect(orders.map(isDue)).toEqual([false, true, false]);
});

test('a paid order is paid also for a block whose key it has dropped', () => {
  expect(outcomeOfBlock({ ...PAID, keys: [] }, 'cek_1')).toEqual({
    status: 'committed',
    reference: 'pi_card_1',
  });
});
