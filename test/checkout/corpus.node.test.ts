/** The scenarios of test/corpus/orders.json: the ports to PHP and Python pass the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CardPaymentsError } from '../../src/checkout/card-payments.ts';
import { checkoutOf } from '../../src/checkout/checkout.ts';
import type { Price } from '../../src/checkout/decide.ts';
import type { EncryptedCard } from '../../src/core/index.ts';
import type { Exchange, Scenario, ScenarioStep } from '../corpus/make-orders.ts';
import { intentResource, keyResource, LIMIT_MS, ORDER_ID, QUIET } from './world.ts';

const text = readFileSync(join(import.meta.dirname, '../corpus/orders.json'), 'utf8');
const corpus: { block: EncryptedCard; limitMs: number; scenarios: Scenario[] } = JSON.parse(text);

test('waits as long as the corpus says', () => {
  expect(corpus.limitMs).toBe(LIMIT_MS);
});

const KINDS = ['authorize', 'deliver', 'intent', 'key', 'lookUp'] as const;

describe('the scenarios', () => {
  test.each(corpus.scenarios)('$name', async ({ start, delivers, steps }) => {
    const first = typeof start === 'string' ? start : start && JSON.stringify(start);
    let entry = first ? { value: first, version: 1, due: true } : undefined;
    let now = 0;
    for (const step of steps) await run(step);

    async function run(step: ScenarioStep): Promise<void> {
      now = step.at;
      const writes = [...(step.store ?? [])];
      const asked: string[] = [];
      const exchange = async (kind: (typeof KINDS)[number], what?: object) => {
        asked.push(kind);
        const { asked: expected, during = [], answer, error } = step[kind] as Exchange;
        if (expected) expect(what).toEqual(expected);
        for (const one of during) await run(one);
        now = step.at;
        if (error) throw errorOf(error);
        return answer as never as Answer;
      };
      const checkout = checkoutOf({
        ...QUIET,
        client: () => ({
          async createEncryptionKey() {
            const { id, expires_at } = (await exchange('key')) as never;
            return keyResource(id, expires_at);
          },
          async createIntent({ amount, currency }) {
            const { id, ...made } = await exchange('intent', { amount, currency });
            return intentResource(id, made, 'created');
          },
          async authorize(intentId, { key_id: keyId }) {
            const { id, status, ...price } = await exchange('authorize', { intentId, keyId });
            return intentResource(id, price, status);
          },
        }),
        store: {
          read: async () => entry,
          async write(_, value, version, due = true) {
            const fault = writes.shift();
            const isWritten = fault !== 'fails' && (entry?.version ?? 0) === version;
            if (isWritten) entry = { value, version: version + 1, due };
            if (fault && fault !== 'ok') throw new Error('The store failed');
            return isWritten;
          },
          list: async () => (entry?.due ? [{ orderId: ORDER_ID, ...entry }] : []),
        },
        ...(delivers && {
          async onPaid(_, { reference, tries }) {
            await exchange('deliver', { reference, tries });
          },
        }),
        now: () => now,
        async sleep(ms) {
          now += ms;
          if (now > step.at + 2 * LIMIT_MS) throw new Error('It waits for ever');
        },
        randomId: () => Math.random().toString(36),
      });
      const lookUp = (intentId: string) => exchange('lookUp', { intentId }) as never;
      const answer = (await call(checkout, step, lookUp)) as {
        status: unknown;
        body?: { id: string };
      };
      if (answer.status === 200) answer.body = { id: answer.body!.id };
      expect(answer).toEqual(step.answer);
      expect(asked.sort()).toEqual(KINDS.filter((kind) => kind in step));
      expect(storedOf(step.stored)).toEqual(step.stored);

      function storedOf(expected: unknown) {
        if (!entry || typeof expected === 'string') return entry?.value ?? null;
        const stored = JSON.parse(entry.value);
        for (const part of [stored.attempt, stored.delivery]) if (part?.token) part.token = '*';
        return stored;
      }
    }
  });
});

interface Answer {
  id: string;
  amount: number;
  currency: string;
  status: string;
}

function call(
  checkout: ReturnType<typeof checkoutOf>,
  step: ScenarioStep,
  lookUp: (intentId: string) => Promise<string>,
): Promise<unknown> {
  const order = { id: ORDER_ID, ...step.order! };
  switch (step.call) {
    case 'issueKey':
      return checkout.issueKey(order);
    case 'pay': {
      const block = { ...corpus.block, key_id: step.keyId! };
      return checkout.pay(order, 'application/json', step.body ?? asPosted(block));
    }
    case 'outcome':
      return checkout.outcome(ORDER_ID);
    case 'withdraw':
      return checkout.withdraw(order);
    case 'resolve':
      return checkout.resolve(
        step.whole ? { id: ORDER_ID, ...(step.whole as never as Price) } : ORDER_ID,
        step.intentId!,
        step.truth as never,
      );
    case 'sweep':
      return checkout.sweep({ lookUp });
  }
}

const asPosted = ({ payload, key_id, layout }: EncryptedCard) =>
  JSON.stringify({ payload, key_id, layout });

function errorOf(error: string): Error {
  const code = error === 'refused' || error === 'no_answer' ? undefined : (error as never);
  return new CardPaymentsError('The service refused the request', {
    recovery: code ? 'check_layout' : 'resolve_intent',
    status: error === 'no_answer' ? undefined : code ? 422 : 404,
    code,
    intentId: undefined,
  });
}
