/**
 * Scenarios of an order by chance, in the form of test/corpus/README.md, and what `src/checkout`
 * makes of them: the ports must do the same.
 */
import { CardPaymentsError } from '../../src/checkout/card-payments.ts';
import { checkoutOf, type PaymentsClient } from '../../src/checkout/checkout.ts';
import type { OrderStore } from '../../src/checkout/order-store.ts';
import { QUIET } from '../checkout/world.ts';

export interface Step {
  at: number;
  call: 'issueKey' | 'pay' | 'outcome' | 'withdraw' | 'resolve';
  order?: { amount: number; currency: string };
  keyId?: string;
  body?: string;
  intentId?: string;
  truth?: 'committed' | 'authorized' | 'not_paid';
  key?: Exchange;
  intent?: Exchange;
  authorize?: Exchange;
  store?: string[];
}

export interface Exchange {
  during?: Step[];
  answer?: object;
  error?: string;
}

/** What came of a step. */
export interface Found {
  answer: object;
  stored: StoredOrder | null;
  key?: FoundExchange;
  intent?: FoundExchange;
  authorize?: FoundExchange;
  /** Requests that the scenario does not have. */
  unexpected?: string[];
}

export interface FoundExchange {
  asked?: object;
  during?: Found[];
}

type StoredOrder = { attempt: { token: string } | null };

const LAYOUT = Object.entries({ Pan: 16, Name: 12, ExpMonth: 2, ExpYear: 4, Cvc: 3 });
export const BLOCK = {
  payload: Buffer.alloc(256, 7).toString('base64'),
  layout: LAYOUT.map(([field, len]) => ({ field, len })),
};

const BEGIN = 1_800_000_000_000;
/** More would be refused by the limit of key requests. */
const MOST_KEYS = 6;

/** The same scenarios for the same seed. */
export function randomScenarios(count: number, seed: number): Step[][] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => randomScenario(random));
}

function randomScenario(random: () => number): Step[] {
  let now = BEGIN;
  let expiresAt = BEGIN;
  let keysLeft = MOST_KEYS;
  const keys = ['cek_foreign'];
  const pick = <T>(...choices: T[]) => choices[Math.floor(random() * choices.length)]!;
  const chance = (probability: number) => random() < probability;

  const price = () => ({
    amount: chance(0.05) ? 2000 : 1000,
    currency: chance(0.02) ? 'EUR' : 'USD',
  });
  const intentId = () => (chance(0.1) ? 'pi_card_2' : 'pi_card_1');
  const intent = (status: string) => ({
    id: intentId(),
    ...price(),
    status,
    failure_reason: status === 'failed' ? 'card_declined' : null,
  });
  /** What others do meanwhile, perhaps after the limit of the attempt. */
  const others = (depth: number) =>
    depth < 2 && chance(0.4)
      ? { during: Array.from({ length: pick(1, 2, 4) }, () => step(depth + 1)) }
      : {};

  function step(depth: number): Step {
    now = chance(0.05) ? Math.max(now, expiresAt) : now + pick(0, 1, 1000, 36_000);
    const store = Array.from({ length: 3 }, () => pick('ok', 'ok', 'fails', 'answer_lost'));
    const faults = chance(0.2) ? { store } : {};
    if (chance(0.005)) return { at: now, call: 'withdraw', order: price(), ...faults };
    const call = pick('issueKey', 'issueKey', 'pay', 'pay', 'pay', 'resolve', 'outcome');
    if (call === 'issueKey' && keysLeft-- > 0) return { ...issueKey(depth), ...faults };
    if (call === 'pay' || call === 'issueKey') return { ...pay(depth), ...faults };
    if (call === 'outcome') return { at: now, call };
    const truth = pick('not_paid', 'not_paid', 'committed', 'authorized');
    return { at: now, call, intentId: intentId(), truth, ...faults };
  }

  function issueKey(depth: number): Step {
    const at = now;
    const id = chance(0.1) ? pick(...keys) : `cek_${keysLeft}`;
    keys.push(id);
    expiresAt = at + pick(900_000, 30_000);
    const key = chance(0.1)
      ? { error: pick('no_answer', 'refused') }
      : { answer: { id, expires_at: expiresAt } };
    return { at, call: 'issueKey', order: price(), key: { ...key, ...others(depth) } };
  }

  function pay(depth: number): Step {
    const step = { at: now, call: 'pay' as const, order: price() };
    if (chance(0.03)) return { ...step, body: pick('', '{}', 'number=4242') };
    const keyId = pick(...keys.slice(-3));
    const draft = chance(0.1) ? { error: 'no_answer' } : { answer: intent('created') };
    const statuses = ['failed', 'failed', 'committed', 'authorized', 'created', 'canceled'];
    const errors = [
      'encryption_key_expired',
      'unknown_encryption_key',
      'invalid_encryption_block',
      'refused',
      'no_answer',
    ];
    const authorize = chance(0.5)
      ? { answer: intent(pick(...statuses)) }
      : { error: pick(...errors) };
    return {
      ...step,
      keyId,
      intent: { ...draft, ...others(depth) },
      authorize: { ...authorize, ...others(depth) },
    };
  }

  return Array.from({ length: pick(5, 10, 15) }, () => step(0));
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Kind = 'key' | 'intent' | 'authorize';

interface Running {
  given: Step;
  faults: string[];
  found: Partial<Found>;
  /** The module asks for a key and a draft at the same time; the ports ask for one by one. */
  key?: Promise<unknown>;
}

/** What `src/checkout` makes of a scenario. */
export async function walkReference(steps: Step[]): Promise<Found[]> {
  let now = 0;
  let current: Running;
  let entry: { value: string; version: number } | undefined;

  const store: OrderStore = {
    read: async () => entry,
    write: async (_orderId, value, version) => {
      const fault = current.faults.shift() ?? 'ok';
      if (fault === 'fails') throw new Error('Nothing was written');
      const isNewest = version === (entry?.version ?? 0);
      if (isNewest) entry = { value, version: version + 1 };
      if (fault === 'answer_lost') throw new Error('The answer was lost');
      return isNewest;
    },
  };
  const client = {
    createEncryptionKey: () =>
      inTurn('key', {}).then((key) => ({
        scheme: 'RSA_OAEP_SHA256_V1',
        public_key: 'AAAA',
        ...key,
      })),
    createIntent: ({ amount, currency }: { amount: number; currency: string }) =>
      inTurn('intent', { asked: { amount, currency } }).then((draft) => ({
        capture_method: 'automatic',
        ...draft,
      })),
    authorize: (intentId: string, { key_id }: { key_id: string }) =>
      inTurn('authorize', { asked: { intentId, keyId: key_id } }),
  };
  let tokens = 0;
  const checkout = checkoutOf({
    ...QUIET,
    client: () => client as unknown as PaymentsClient,
    store,
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    randomId: () => String(tokens++),
  });

  function inTurn(kind: Kind, found: FoundExchange) {
    const asking = current;
    const before = asking.key ?? Promise.resolve();
    const answer = before.then(() => exchange(asking, kind, found));
    if (kind === 'key') asking.key = answer.catch(() => {});
    return answer;
  }

  async function exchange(step: Running, kind: Kind, found: FoundExchange): Promise<object> {
    const script = step.given[kind];
    if (!script || step.found[kind]) {
      step.found.unexpected = [...(step.found.unexpected ?? []), kind];
      throw new Error('Unexpected');
    }
    step.found[kind] = found;
    if (script.during) found.during = await walk(script.during);
    current = step;
    if (script.answer) return script.answer;
    const isCode = script.error !== 'refused' && script.error !== 'no_answer';
    throw new CardPaymentsError('No', {
      recovery: 'not_specified',
      status: undefined,
      code: isCode ? (script.error as 'encryption_key_expired') : undefined,
      intentId: undefined,
    });
  }

  async function walk(some: Step[]): Promise<Found[]> {
    const found: Found[] = [];
    for (const step of some) found.push(await run(step));
    return found;
  }

  async function run(given: Step): Promise<Found> {
    const [outer, outerNow] = [current, now];
    const step: Running = { given, faults: [...(given.store ?? [])], found: {} };
    [current, now] = [step, given.at];
    const answer = await callOf(given).catch(() => ({ thrown: '*' }));
    const stored = entry ? JSON.parse(entry.value) : null;
    [current, now] = [outer, outerNow];
    return { ...step.found, answer, stored };
  }

  async function callOf({ call, order, keyId, body, intentId, truth }: Step): Promise<object> {
    if (call === 'outcome') return checkout.outcome('order-1');
    if (call === 'resolve') return checkout.resolve('order-1', intentId!, truth!);
    const whole = { id: 'order-1', ...order! };
    if (call === 'withdraw') return checkout.withdraw(whole);
    if (call === 'pay') {
      const block = { payload: BLOCK.payload, key_id: keyId, layout: BLOCK.layout };
      return checkout.pay(whole, undefined, body ?? JSON.stringify(block));
    }
    const issued = await checkout.issueKey(whole);
    return issued.status === 200 ? { ...issued, body: { id: issued.body.id } } : issued;
  }

  return walk(steps);
}
