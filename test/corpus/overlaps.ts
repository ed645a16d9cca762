/**
 * Scenarios in which calls overlap: others pay, ask for a key or resolve while the service has not
 * answered yet. Here is only what happens; `src/checkout` says what comes of it.
 */
import type { Exchange, Step } from '../interop/random-scenarios.ts';

const BEGIN = 1_800_000_000_000;
/** An attempt that began at BEGIN is no longer waited for. */
const TOO_LATE = BEGIN + 36_000;

const order = { amount: 1000, currency: 'USD' };

const intent = (id: string, status: string) => ({
  answer: {
    ...{ id, ...order, status },
    failure_reason: status === 'failed' ? 'card_declined' : null,
  },
});

const issueKey = (id: string, during: Step[] = []): Step => ({
  ...{ at: BEGIN, call: 'issueKey', order },
  key: { ...meanwhile(during), answer: { id, expires_at: BEGIN + 900_000 } },
});

/** `draft`: what the service is asked before, if the order has no intent. */
const pay = (
  keyId: string,
  authorize: Exchange,
  during: Step[] = [],
  draft: Exchange = intent('pi_card_1', 'created'),
): Step => ({
  ...{ at: BEGIN, call: 'pay', order, keyId },
  intent: draft,
  authorize: { ...meanwhile(during), ...authorize },
});

const resolve = (truth: 'committed' | 'not_paid'): Step => ({
  ...{ at: TOO_LATE, call: 'resolve', intentId: 'pi_card_1', truth },
});

const withdraw: Step = { at: BEGIN, call: 'withdraw', order };

const later = (step: Step): Step => ({ ...step, at: TOO_LATE });
const meanwhile = (during: Step[]) => (during.length > 0 ? { during } : {});

const approved = intent('pi_card_1', 'committed');
const declined = intent('pi_card_1', 'failed');
const keyError = { error: 'encryption_key_expired' };
const unasked = intent('pi_card_9', 'committed');

/** Each begins with two pages that have a key. */
export const OVERLAPS: Record<string, Step[]> = {
  'two payments at once, the first is approved': [
    pay('cek_1', approved, [pay('cek_2', unasked)]),
    pay('cek_2', unasked),
  ],
  'two payments at once, the first is declined, and the second is tried again': [
    pay('cek_1', declined, [pay('cek_2', unasked)]),
    pay('cek_2', intent('pi_card_2', 'committed'), [], intent('pi_card_2', 'created')),
  ],
  'two payments at once with the same block': [pay('cek_1', approved, [pay('cek_1', unasked)])],
  'two payments at once, while the first waits for its draft': [
    issueKey('cek_3'),
    pay('cek_1', declined),
    pay('cek_2', unasked, [], {
      ...meanwhile([
        pay('cek_3', intent('pi_card_2', 'committed'), [], intent('pi_card_2', 'created')),
      ]),
      ...intent('pi_card_3', 'created'),
    }),
  ],
  'the page is reloaded while the second card waits for its draft': [
    pay('cek_1', declined),
    pay('cek_2', intent('pi_card_2', 'committed'), [], {
      ...meanwhile([{ at: BEGIN, call: 'outcome' }]),
      ...intent('pi_card_2', 'created'),
    }),
  ],
  'a key is asked for during a payment': [pay('cek_1', approved, [issueKey('cek_3')])],
  'a payment is approved before a key comes': [issueKey('cek_3', [pay('cek_1', approved)])],
  'a payment has a key error before a key comes': [issueKey('cek_3', [pay('cek_1', keyError)])],
  'a late answer after staff have resolved: not paid': [
    pay('cek_1', approved, [resolve('not_paid')]),
  ],
  'a late answer after staff have resolved: paid': [pay('cek_1', declined, [resolve('committed')])],
  'a late answer after staff have resolved and another payment': [
    pay('cek_1', approved, [
      resolve('not_paid'),
      later(pay('cek_2', { error: 'no_answer' }, [], intent('pi_card_2', 'created'))),
    ]),
  ],
  'the shop withdraws the order while a payment waits for its draft': [
    pay('cek_1', unasked, [], { ...meanwhile([withdraw]), ...intent('pi_card_1', 'created') }),
    pay('cek_2', unasked),
  ],
  'the shop withdraws the order while a key comes': [issueKey('cek_3', [withdraw])],
  'the shop cannot withdraw the order during a payment': [pay('cek_1', approved, [withdraw])],
  'a late answer that nobody has resolved': [
    pay('cek_1', approved, [later({ at: BEGIN, call: 'outcome' }), later(pay('cek_2', unasked))]),
    { at: TOO_LATE, call: 'outcome' },
  ],
};

export const scriptOf = (steps: Step[]): Step[] => [issueKey('cek_1'), issueKey('cek_2'), ...steps];
