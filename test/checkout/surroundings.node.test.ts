/** What the checkout does with store, service, clock and log, each of which fails here on purpose. */
import { describe, expect, test, vi } from 'vitest';
import { checkoutOf, type Surroundings } from '../../src/checkout/checkout.ts';
import type { StoredOrder } from '../../src/checkout/decide.ts';
import { CardPaymentsError, createCheckout, type Order } from '../../src/checkout/index.ts';
import { within } from '../../src/checkout/within.ts';
import { deferred } from '../support/deferred.ts';
import { intentResource, keyResource, LIMIT_MS, postedBlock, QUIET } from './world.ts';

const ORDER: Order = { id: 'order-1', amount: 1000, currency: 'USD' };
const PRICE = { amount: 1000, currency: 'USD' };
const SENDER = { sender: '203.0.113.9' };
const KEY = { ...PRICE, expiresAt: 1000, block: 'none' as const, reason: null };
const OPEN: StoredOrder = {
  state: 'open',
  ...PRICE,
  paid: null,
  intentId: 'pi_card_1',
  sent: false,
  attempt: null,
  keyErrors: 0,
  keys: [{ ...KEY, id: 'cek_1' }],
};
const PAID: StoredOrder = { ...OPEN, state: 'paid', paid: 'committed', sent: true };
const ATTEMPT = { token: 't', keyId: 'cek_1', startedAt: -LIMIT_MS - 1 };
const PAYING: StoredOrder = {
  ...OPEN,
  state: 'paying',
  sent: true,
  attempt: { ...ATTEMPT, startedAt: 0 },
};
const UNCERTAIN: StoredOrder = { ...OPEN, state: 'uncertain', sent: true, attempt: ATTEMPT };
const fails = async () => {
  throw new Error('SECRET');
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

type Client = ReturnType<Surroundings['client']>;

/** A checkout with one stored order, a service that approves, and a clock that only sleep moves. */
function checkout({
  stored = OPEN as unknown,
  client = {} as Partial<Client> | null,
  store = {} as Partial<Surroundings['store']>,
  others = {} as Partial<Surroundings>,
} = {}) {
  const lines: string[] = [];
  let entry = stored ? { value: JSON.stringify(stored), version: 1 } : undefined;
  let now = 0;
  let ids = 0;
  const put = (order: StoredOrder) => {
    entry = { value: JSON.stringify(order), version: entry!.version + 1 };
  };
  const made = checkoutOf({
    ...QUIET,
    client: () => {
      if (!client) throw new TypeError('a wrong option');
      return {
        createEncryptionKey: async () => keyResource('cek_2', 1000),
        createIntent: async (draft) => intentResource('pi_card_2', draft, 'created'),
        authorize: async (id) => intentResource(id, PRICE, 'committed'),
        ...client,
      };
    },
    store: {
      read: async () => entry,
      async write(_, value, version) {
        if (version !== (entry?.version ?? 0)) return false;
        entry = { value, version: version + 1 };
        return true;
      },
      ...store,
    },
    log: (line) => lines.push(line),
    now: () => now,
    async sleep(ms) {
      await turn();
      now += ms;
      if (now > 10 * LIMIT_MS) throw new Error('It waits for ever');
    },
    randomId: () => `random ${++ids}`,
    ...others,
  });
  const pay = (keyId = 'cek_1', order = ORDER, sender = SENDER) =>
    made.pay(order, undefined, postedBlock(keyId), sender);
  const payNothing = () => made.pay(ORDER, undefined, '', SENDER);
  const calls = {
    issueKey: () => made.issueKey(ORDER, SENDER),
    pay: () => pay(),
    outcome: () => made.outcome(ORDER.id),
    withdraw: () => made.withdraw(ORDER),
  };
  const ask = (call: keyof typeof calls): Promise<unknown> => calls[call]();
  const value = () => JSON.parse(entry!.value) as StoredOrder;
  return { ...made, pay, payNothing, ask, lines, put, value, entry: () => entry, clock: () => now };
}

/** What a store lists if it has this one order. */
const listing = (stored: object) => async () => [
  { orderId: 'order-1', value: JSON.stringify(stored), version: 1 },
];

describe('an order that is none', () => {
  test.each([
    [{ id: '' }, 'id must be text'],
    [{ id: 7 }, 'id must be text'],
    [{ amount: -1 }, 'amount must be a whole number of minor units'],
    [{ amount: 0.5 }, 'amount must be a whole number of minor units'],
    [{ currency: '' }, 'currency must be text'],
    [{ currency: 7 }, 'currency must be text'],
    [{ capture_method: 'later' }, 'capture_method must be automatic or manual'],
  ])('is refused: %j', async (wrong, message) => {
    const order = { ...ORDER, ...wrong } as Order;
    const refusal = new TypeError(`order.${message}`);
    await expect(checkout().issueKey(order)).rejects.toThrow(refusal);
    await expect(checkout().withdraw(order)).rejects.toThrow(refusal);
  });

  test('but an amount of 0 is one', async () => {
    expect((await checkout().issueKey({ ...ORDER, amount: 0 })).status).toBe(200);
  });
});

test('staff say one of three words', async () => {
  const says = (truth: string) => checkout().resolve(ORDER.id, 'pi_card_1', truth as 'committed');
  for (const truth of ['committed', 'authorized', 'not_paid'])
    expect((await says(truth)).status).toBe('open');
  const refusal = new TypeError('resolution must be committed, authorized or not_paid');
  await expect(says('paid')).rejects.toThrow(refusal);
});

describe('a store', () => {
  const DAMAGED = {
    null: 'null',
    'a state that is none': JSON.stringify({ ...OPEN, state: 'lost' }),
    'an uncertain order without an attempt': JSON.stringify({ ...UNCERTAIN, attempt: null }),
    'a value that is cut': JSON.stringify(OPEN).slice(0, 100),
    'an empty value': '',
  };

  test.each(Object.entries(DAMAGED))(
    'that gives %s gives no order: staff settle it',
    async (_, value) => {
      let entry = { value, version: 1 };
      const store = {
        read: async () => entry,
        async write(_: string, next: string, version: number) {
          entry = { value: next, version: version + 1 };
          return true;
        },
      };
      const { resolve, ask, lines } = checkout({ store });
      expect(await ask('outcome')).toEqual({ status: 'not_certain', order: 'order-1' });
      expect(lines).toEqual([
        'The store failed: order "order-1": its stored value is damaged. Find out what became of the ' +
          'order, and call resolve({ id, amount, currency }, intent id, committed, authorized or ' +
          'not_paid)',
      ]);
      expect(await ask('pay')).toEqual({ status: 'not_certain', order: 'order-1' });
      expect(await ask('issueKey')).toMatchObject({ status: 502 });
      await expect(resolve('order-1', 'pi_card_1', 'committed')).rejects.toThrow('damaged');
      expect(entry.value).toBe(value); // nobody has written over it
      const paid = { status: 'committed', reference: 'pi_card_1' };
      expect(await resolve(ORDER, 'pi_card_1', 'committed')).toEqual(paid);
      expect(await ask('outcome')).toEqual(paid);
    },
  );

  test('that gives another order is told so, and nothing is overwritten', async () => {
    const write = vi.fn();
    const stored = { ...PAID, id: 'ORDER-1' };
    const { resolve, ask, lines } = checkout({ stored, store: { write } });
    expect(await ask('outcome')).toEqual({ status: 'not_certain', order: 'order-1' });
    expect(lines[0]).toBe(
      'The store failed: order "order-1": the store gave the value of order "ORDER-1". It must ' +
        'compare ids exactly: capital letters, accents and spaces at the end count',
    );
    expect(await ask('pay')).toEqual({ status: 'not_certain', order: 'order-1' });
    expect(await ask('issueKey')).toMatchObject({ status: 502 });
    await expect(resolve(ORDER, 'pi_card_1', 'committed')).rejects.toThrow('ORDER-1');
    expect(write).not.toHaveBeenCalled();
  });

  test.each([
    [
      'a value that is parsed',
      { value: OPEN, version: 1 },
      'value as text, and it gave object. Keep it in a column for text, not for JSON',
    ],
    ['no value', { value: null, version: 1 }, 'value as text, and it gave null'],
    ['a version as text', { value: JSON.stringify(OPEN), version: '1' }, 'version as a number'],
  ])('that gives %s is a TypeError', async (_, entry, message) => {
    const { issueKey, lines } = checkout({ store: { read: async () => entry as never } });
    const answer = issueKey(ORDER);
    await expect(answer).rejects.toThrow(TypeError);
    await expect(answer).rejects.toThrow(message);
    expect(lines.at(-1)).toContain(message);
  });

  test.each(['OK', 1, undefined, { rowCount: 0 }])(
    'that answers a write with %j is a TypeError, before any card is sent',
    async (answer) => {
      const authorize = vi.fn();
      const write = async () => answer as never;
      const { issueKey, pay } = checkout({ store: { write }, client: { authorize } });
      await expect(issueKey(ORDER)).rejects.toThrow(TypeError);
      await expect(issueKey(ORDER)).rejects.toThrow(
        `store.write must resolve to true or false, and it gave ${typeof answer}. true: the value ` +
          'was written; false: the stored version was another one',
      );
      expect(await pay()).toEqual({ status: 'not_certain', order: 'order-1' });
      expect(authorize).not.toHaveBeenCalled();
    },
  );

  test('is told whether an order is due', async () => {
    const due: unknown[] = [];
    const write = async (...[, , , isDue]: unknown[]) => {
      due.push(isDue);
      return true;
    };
    const states = [UNCERTAIN, OPEN, { ...OPEN, sent: true }];
    for (const stored of states) await checkout({ stored, store: { write } }).issueKey(ORDER);
    expect(due).toEqual([false, true]);
  });

  test.each(['issueKey', 'pay', 'outcome'] as const)(
    'that hangs ends after its time limit, with a line: %s',
    async (call) => {
      const { ask, lines } = checkout({
        store: { read: () => new Promise(() => {}) },
        others: { storeTimeoutMs: 20, within },
      });
      const begin = performance.now();
      const { status } = (await ask(call)) as { status: unknown };
      expect(performance.now() - begin).toBeLessThan(2000);
      expect(status).toBe(call === 'issueKey' ? 502 : 'not_certain');
      expect(lines.at(-1)).toContain('order "order-1": TimeLimitError');
    },
  );

  test('that hangs after the charge leaves an order that sweep finds', async () => {
    let hangs = false;
    const authorize: Client['authorize'] = async (id) => {
      hangs = true;
      return intentResource(id, PRICE, 'committed');
    };
    let entry = { value: JSON.stringify(OPEN), version: 1 };
    const store: Surroundings['store'] = {
      read: async () => (hangs ? new Promise(() => {}) : entry),
      async write(_, value, version) {
        entry = { value, version: version + 1 };
        return true;
      },
      list: async () => [{ orderId: 'order-1', ...entry }],
    };
    const one = checkout({ store, client: { authorize }, others: { storeTimeoutMs: 20, within } });
    expect(await one.pay()).toEqual({ status: 'not_certain', order: 'order-1' });
    hangs = false;
    const later = checkout({ store, others: { now: () => LIMIT_MS + 1 } });
    expect(await later.sweep()).toMatchObject([{ status: 'not_certain', left: 'look_up' }]);
    const swept = await later.sweep({ lookUp: async () => 'committed' });
    const intent = 'pi_card_1';
    expect(swept).toEqual([{ order: 'order-1', intent, status: 'committed', left: 'nothing' }]);
  });

  describe('that fails after the charge', () => {
    /** Each of these operations fails, beginning with the first one after the charge. */
    function afterCharge(fails: (operation: number, name: 'read' | 'write') => boolean) {
      let operation: number | undefined;
      let entry = { value: JSON.stringify(OPEN), version: 1 };
      const asked = (name: 'read' | 'write') => {
        if (operation !== undefined && fails(operation++, name)) throw new Error('ECONNREFUSED');
      };
      return checkout({
        client: {
          async authorize(id) {
            operation = 0;
            return intentResource(id, PRICE, 'committed');
          },
        },
        store: {
          async read() {
            asked('read');
            return entry;
          },
          async write(_, value, version) {
            asked('write');
            entry = { value, version: version + 1 };
            return true;
          },
        },
      });
    }

    test.each([
      ['as it is read', 0],
      ['as it is written', 1],
    ])('for a moment, %s, is asked again after a pause', async (_, at) => {
      const { pay, clock } = afterCharge((operation) => operation === at);
      expect(await pay()).toEqual({ status: 'committed', reference: 'pi_card_1' });
      expect(clock()).toBe(500);
    });

    test('again and again, as it is read and written, is asked for 10 s', async () => {
      const { pay, clock } = afterCharge((_, name) => name === 'write' || clock() < 9_500);
      expect((await pay()).status).toBe('not_certain');
      expect(clock()).toBe(10_000);
      const back = afterCharge(() => back.clock() < 9_500);
      expect((await back.pay()).status).toBe('committed');
    });

    test('for longer, is told of with what the service has answered', async () => {
      const { pay, lines } = afterCharge(() => true);
      expect(await pay()).toEqual({ status: 'not_certain', order: 'order-1' });
      expect(lines).toEqual([
        'Answer not stored: order "order-1", intent "pi_card_1", status "committed"',
        'Payment not certain, the store failed: order "order-1": Error. If a card was sent, ' +
          'checkout.sweep finds the order',
      ]);
    });
  });

  test('whose values are none is asked once', async () => {
    const read = vi.fn(async () => ({ value: {}, version: 1 }) as never);
    await checkout({ store: { read } }).pay();
    expect(read).toHaveBeenCalledTimes(1);
  });

  test.each(['issueKey', 'pay', 'outcome', 'payNothing'] as const)(
    'whose read fails once is read again: %s',
    async (call) => {
      const answers: unknown[] = [];
      for (const failures of [0, 1]) {
        let left = failures;
        const entry = { value: JSON.stringify(OPEN), version: 1 };
        const read = async () => (left-- > 0 ? fails() : entry);
        const made = checkout({ store: { read, write: async () => true } });
        answers.push(await (call === 'payNothing' ? made.payNothing() : made.ask(call)));
        expect(made.clock()).toBe(failures * 500);
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[0]).not.toMatchObject({ status: 'not_certain' });
    },
  );

  test('that refuses for 29 s after the charge loses no answer, if its limit is 15 s', async () => {
    let isDown = false;
    let until = 0;
    const made = checkout({
      client: {
        async authorize(id) {
          until = made.clock() + 29_000;
          isDown = true;
          return intentResource(id, PRICE, 'committed');
        },
      },
      others: { storeTimeoutMs: 15_000 },
      store: {
        async read() {
          if (isDown && made.clock() < until) return fails();
          return made.entry();
        },
      },
    });
    expect((await made.pay()).status).toBe('committed');
    expect(made.clock()).toBe(29_000);
  });

  test('that goes on failing is given up, also by a clock that is set back', async () => {
    let now = 0;
    const sleep = async () => {
      await turn();
      now -= 3_600_000;
    };
    const others = { sleep, now: () => now };
    const { ask } = checkout({ store: { read: fails }, others });
    expect(await ask('outcome')).toMatchObject({ status: 'not_certain' });
    expect(now).toBe(-3_600_000);
  });

  test('that gives null has no such order', async () => {
    const store = { read: async () => null as never, write: async () => true };
    expect(await checkout({ store }).issueKey(ORDER)).toMatchObject({ status: 200 });
  });

  test('is read once for all who wait for the same order', async () => {
    let looks = 0;
    const sleep = async () => {
      looks += 1;
      await turn();
    };
    const now = () => (looks < 10 ? 0 : LIMIT_MS + 1);
    const { ask } = checkout({ stored: PAYING, others: { sleep, now } });
    await Promise.all([ask('outcome'), ask('outcome'), ask('outcome')]);
    expect(looks).toBe(10);
  });

  test.each([
    ['fail after 5 s', 5000, 2],
    ['fail after 4 s, as a driver with a limit of its own ends them', 4000, 3],
    ['are refused after 4 s', 4000, 3],
  ])('whose writes %s is asked for at most 10 s', async (how, ms, times) => {
    let now = 0;
    const write = vi.fn(async () => {
      now += ms;
      if (how.startsWith('are refused')) return false;
      throw new Error('Query read timeout');
    });
    const { resolve } = checkout({
      stored: UNCERTAIN,
      store: { write },
      others: { storeTimeoutMs: 5000, now: () => now },
    });
    const answer = resolve(ORDER.id, 'pi_card_1', 'committed');
    await expect(answer).rejects.toThrow(new Error('The order could not be written'));
    expect(write).toHaveBeenCalledTimes(times);
  });

  test('whose writes get no answer is asked twice', async () => {
    let now = 0;
    const write = vi.fn(() => {
      now += 5;
      return new Promise<never>(() => {});
    });
    const { resolve } = checkout({
      stored: UNCERTAIN,
      store: { write },
      others: { storeTimeoutMs: 5, within, now: () => now },
    });
    const answer = resolve(ORDER.id, 'pi_card_1', 'committed');
    await expect(answer).rejects.toThrow('The order could not be written');
    expect(write).toHaveBeenCalledTimes(2);
  });

  test('that is slow is written to once, and what became of that write is read', async () => {
    let now = 0;
    let entry = { value: JSON.stringify(UNCERTAIN), version: 1 };
    const { resolve } = checkout({
      store: {
        async read() {
          now += 10_000;
          return entry;
        },
        async write(_, value, version) {
          entry = { value, version: version + 1 };
          throw new Error('Query read timeout');
        },
      },
      others: { now: () => now },
    });
    const paid = { status: 'committed', reference: 'pi_card_1' };
    expect(await resolve(ORDER.id, 'pi_card_1', 'committed')).toEqual(paid);
  });

  test('that never lets anybody write is asked 20 times', async () => {
    const write = vi.fn(async () => false);
    const { resolve } = checkout({
      stored: UNCERTAIN,
      store: { write },
    });
    const answer = resolve(ORDER.id, 'pi_card_1', 'committed');
    await expect(answer).rejects.toThrow(new Error('The order could not be written'));
    expect(write).toHaveBeenCalledTimes(20);
  });

  test.each([
    ['issueKey', { status: 502, body: { status: 'no_key' } }, 'No key for order "order-1": Error'],
    [
      'pay',
      { status: 'not_certain', order: 'order-1' },
      'Payment not certain, the store failed: order "order-1": Error. If a card was sent, ' +
        'checkout.sweep finds the order',
    ],
    [
      'outcome',
      { status: 'not_certain', order: 'order-1' },
      'The store failed: order "order-1": Error',
    ],
    [
      'withdraw',
      { status: 'not_certain', order: 'order-1' },
      'The store failed: order "order-1": Error',
    ],
  ] as const)('that fails: %s', async (call, answer, line) => {
    const { lines, ask } = checkout({ store: { read: fails } });
    expect(await ask(call)).toEqual(answer);
    expect(lines).toEqual([line]);
  });
});

test.each([
  ['began now', 0, LIMIT_MS + 250],
  ['has a clock that is ahead', 10_000, LIMIT_MS + 250],
  ['is nearly over', 1000 - LIMIT_MS, 1250],
])('waits for an attempt that %s', async (_, startedAt, until) => {
  const attempt = { token: 't', keyId: 'cek_1', startedAt };
  const { ask, pay, clock } = checkout({
    stored: { ...OPEN, state: 'paying', sent: true, attempt },
  });
  expect((await ask('outcome')) as object).toMatchObject({ status: 'not_certain' });
  expect(clock()).toBe(until);
  expect((await pay()).status).toBe('not_certain');
});

describe('withdraw', () => {
  test('stops a payment that waits for its draft', async () => {
    const begun = deferred<void>();
    const draft = deferred<ReturnType<typeof intentResource>>();
    const authorize = vi.fn();
    const { pay, ask, lines } = checkout({
      stored: { ...OPEN, intentId: null },
      client: {
        authorize,
        createIntent: () => {
          begun.resolve();
          return draft.promise;
        },
      },
    });
    const payment = pay();
    await begun.promise;
    expect(await ask('outcome')).toEqual({ status: 'open' }); // which is why it is no permission
    expect(await ask('withdraw')).toEqual({ status: 'no_order' });
    draft.resolve(intentResource('pi_card_2', PRICE, 'created'));
    expect(await payment).toEqual({ status: 'not_paid' });
    expect(authorize).not.toHaveBeenCalled();
    expect(await ask('issueKey')).toEqual({ status: 409, body: { status: 'no_order' } });
    expect(await ask('outcome')).toEqual({ status: 'no_order' });
    expect(lines).toEqual([expect.stringContaining('or the order was withdrawn')]);
  });

  test('waits for a payment that is under way, and gives the order up after a decline', async () => {
    const { ask, put, value, clock } = checkout({ stored: PAYING });
    const answer = ask('withdraw');
    while (clock() < 1000) await turn();
    put({ ...OPEN, last: { status: 'failed', reason: 'card_declined' } });
    expect(await answer).toEqual({ status: 'no_order' });
    expect(value().state).toBe('withdrawn');
  });

  test('waits also for a payment that begins after its first look', async () => {
    let isFirst = true;
    const made = checkout({
      store: {
        async read() {
          const found = made.entry();
          if (isFirst) made.put(PAYING);
          isFirst = false;
          return found;
        },
      },
    });
    const answer = made.ask('withdraw');
    while (made.clock() < 1000) await turn();
    made.put({ ...OPEN, last: { status: 'failed', reason: 'card_declined' } });
    expect(await answer).toEqual({ status: 'no_order' });
    expect(made.value().state).toBe('withdrawn');
  });

  test('gives up an order of which ten cards were declined: staff let its shopper go on', async () => {
    const { ask } = checkout({ stored: { ...OPEN, declines: 10 } });
    expect(await ask('outcome')).toEqual({ status: 'failed', reason: null });
    expect(await ask('withdraw')).toEqual({ status: 'no_order' });
  });

  test('changes nothing of a paid order, and delivers it', async () => {
    const onPaid = vi.fn();
    const delivery = { token: 't', until: -1, tries: 1 };
    const { ask, value } = checkout({ stored: { ...PAID, delivery }, others: { onPaid } });
    expect(await ask('withdraw')).toEqual({ status: 'committed', reference: 'pi_card_1' });
    expect(value()).toMatchObject({ state: 'paid', delivery: 'done' });
    expect(onPaid).toHaveBeenCalledTimes(1);
  });
});

test('waits anew for each attempt that it sees', async () => {
  const second = { ...ATTEMPT, token: 'u', startedAt: LIMIT_MS };
  const { ask, put, clock } = checkout({ stored: PAYING });
  const outcome = ask('outcome');
  while (clock() < LIMIT_MS) await turn();
  put({ ...PAYING, attempt: second });
  while (clock() < 2 * LIMIT_MS - 500) await turn();
  put({ ...OPEN, last: { status: 'failed', reason: 'card_declined' } });
  expect(await outcome).toMatchObject({ status: 'open', last: 'failed' });
});

test('requests that wait for one attempt share what is read meanwhile', async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    let reads = 0;
    const entry = { value: JSON.stringify(PAYING), version: 1 };
    const read = async () => {
      reads += 1;
      return entry;
    };
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const { outcome } = checkout({ store: { read }, others: { now: () => Date.now(), sleep } });
    const waiting = Array.from({ length: 10 }, () => outcome(ORDER.id));
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2);
    expect(reads).toBe(waiting.length + LIMIT_MS / 2 / 250);
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    await Promise.all(waiting);
  } finally {
    vi.useRealTimers();
  }
});

test('a block whose key expires while it waits for another attempt is not sent', async () => {
  const attempt = { token: 't', keyId: 'cek_0', startedAt: 0 };
  const { pay, put, clock } = checkout({
    stored: { ...OPEN, state: 'paying', sent: true, attempt },
  });
  const outcome = pay();
  while (clock() <= KEY.expiresAt) await turn();
  put(OPEN); // the other one was declined
  expect(await outcome).toEqual({ status: 'not_paid' });
});

test('the seventh key at once is too many', async () => {
  const { issueKey } = checkout();
  for (let key = 0; key < 6; key++) expect((await issueKey(ORDER)).status).toBe(200);
  const body = { status: 'too_many' };
  expect(await issueKey(ORDER)).toEqual({ status: 429, body, retryAfter: 5 });
});

const PAID_BODY = { status: 'committed', reference: 'pi_card_1' };

test.each([
  ['no key comes', fails],
  ['a key of an unknown scheme comes', async () => ({ ...keyResource('cek_2', 1000), scheme: '' })],
])('where %s, the order may have been paid meanwhile', async (_, answer) => {
  const createEncryptionKey = async () => {
    put(PAID);
    return answer();
  };
  const { issueKey, put } = checkout({ client: { createEncryptionKey } });
  expect(await issueKey(ORDER)).toEqual({ status: 409, body: PAID_BODY });
});

const LAST = { status: 'failed', reason: 'card_declined' } as const;
const ANOTHER_KEY = { order: 'order-1', last: 'failed', reason: 'card_declined' };

test.each([
  ['which is paid', true, PAID, { status: 409, body: PAID_BODY }],
  ['which is declined', true, { ...OPEN, last: LAST }, { status: 200, ...ANOTHER_KEY }],
  ['which is paid, and gets no key', false, PAID, { status: 409, body: PAID_BODY }],
  ['which is declined, and gets no key', false, { ...OPEN, last: LAST }, { status: 502 }],
])(
  'a page that asks for a key just before another begins to pay waits for that payment, %s',
  async (_, comes, became, answer) => {
    const createEncryptionKey = async () => {
      put(PAYING);
      return comes ? keyResource('cek_2', 1000) : fails();
    };
    const { issueKey, put, clock } = checkout({ client: { createEncryptionKey } });
    const key = issueKey(ORDER);
    while (clock() < 2000) await turn();
    put(became);
    expect(await key).toMatchObject(answer);
  },
);

test('an order that the shop changes while it is paid is paid as it was given', async () => {
  const order = { ...ORDER };
  const outcome = checkout().pay('cek_1', order);
  order.amount = 1;
  expect(await outcome).toEqual({ status: 'committed', reference: 'pi_card_1' });
});

test('a block that came twice has the decline of the first', async () => {
  const twice: Promise<unknown>[] = [];
  const authorize: Client['authorize'] = async (id) => {
    twice.push(pay());
    while (clock() === 0) await turn();
    return intentResource(id, PRICE, 'failed');
  };
  const { pay, clock } = checkout({ client: { authorize } });
  const declined = { status: 'failed', reason: 'card_declined' };
  expect(await pay()).toEqual(declined);
  expect(await twice[0]).toEqual(declined);
});

test.each<[string, StoredOrder, object]>([
  ['nothing was sent', OPEN, { status: 'not_paid' }],
  ['another process has paid', PAID, { status: 'committed', reference: 'pi_card_1' }],
])(
  'a server whose options are wrong sends no block, and says so: %s',
  async (_, stored, answer) => {
    const { pay, outcome, lines } = checkout({ stored, client: null });
    expect(await pay()).toEqual(answer);
    expect(lines[0]).toBe('No payment of order "order-1": TypeError');
    expect((await outcome(ORDER.id)).status).toBe(stored === OPEN ? 'open' : 'committed');
  },
);

const NO_DRAFT = { ...OPEN, intentId: null };

test.each([
  ['amount', { amount: 999 }, 'the service made it for another amount'],
  ['currency', { currency: 'usd' }, 'Write order.currency as the service does: USD, not usd'],
  ['capture_method', { capture_method: 'manual' as const }, 'with another capture_method'],
])(
  'a draft of another %s is not used: nothing is sent, and the log says so',
  async (_, wrong, line) => {
    const createIntent = vi.fn(async (draft: object) => ({
      ...intentResource('pi_card_2', { ...PRICE, ...draft }, 'created'),
      ...wrong,
    }));
    const authorize = vi.fn();
    const { pay, lines, value } = checkout({
      stored: NO_DRAFT,
      client: { createIntent, authorize },
    });
    expect(await pay()).toEqual({ status: 'not_paid' });
    expect(createIntent.mock.lastCall).toEqual([PRICE, { idempotencyKey: 'random 2' }]);
    expect(authorize).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(value().keys[0]!.block).toBe('error'); // never sent later
  },
);

test('a key makes no draft', async () => {
  const createIntent = vi.fn();
  const { issueKey } = checkout({ stored: null, client: { createIntent } });
  expect(await issueKey(ORDER, SENDER)).toMatchObject({ status: 200, order: 'order-1' });
  expect(createIntent).not.toHaveBeenCalled();
});

test('a draft that does not come in ten seconds is given up: nothing was sent', async () => {
  const limits: number[] = [];
  const soon: Surroundings['within'] = async (ms, promise) => {
    limits.push(ms);
    return within(20, promise);
  };
  const createIntent = () => new Promise<never>(() => {});
  const one = checkout({ stored: NO_DRAFT, client: { createIntent }, others: { within: soon } });
  expect(await one.pay()).toEqual({ status: 'not_paid' });
  expect(limits).toContain(10_000);
});

describe('what code of the merchant throws leaves no order half done', () => {
  const reject = (what: unknown) => () => Promise.reject(what);
  const getter = Object.defineProperty({}, 'code', {
    get() {
      throw new Error('SECRET');
    },
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', '4242424242424242'],
    ['an object that throws', getter],
  ])('a client that rejects with %s', async (_, what) => {
    const { pay, lines, value } = checkout({ client: { authorize: reject(what) } });
    expect(await pay()).toEqual({ status: 'not_certain', order: 'order-1' });
    expect(value().state).toBe('uncertain');
    expect(lines.join()).not.toMatch(/4242|SECRET/);
  });

  test('a client that throws at once, or answers nothing', async () => {
    const throws = () => {
      throw new Error('SECRET');
    };
    for (const authorize of [throws, async () => undefined as never]) {
      const { pay, value } = checkout({ client: { authorize } });
      expect(await pay()).toEqual({ status: 'not_certain', order: 'order-1' });
      expect(value().state).toBe('uncertain');
    }
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('the disk is full');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('the disk is full');
      },
    ],
  ])('a log that %s', async (_, log) => {
    const { pay } = createCheckout({
      payments: {
        createEncryptionKey: async () => keyResource('cek_1', Date.now() + 60_000),
        createIntent: async (draft) => intentResource('pi_card_1', draft, 'created'),
        authorize: () => Promise.reject(UNCLEAR),
      },
      store: { ...memory(), list: undefined as never },
      log,
    });
    expect(await pay(ORDER, undefined, postedBlock('cek_1'))).toEqual({
      status: 'not_certain',
      order: 'order-1',
    });
  });

  function memory(): Surroundings['store'] {
    const keys = [{ ...KEY, id: 'cek_1', expiresAt: Date.now() + 60_000 }];
    let entry = { value: JSON.stringify({ ...OPEN, keys }), version: 1 };
    return {
      read: async () => entry,
      async write(_, value, version) {
        entry = { value, version: version + 1 };
        return true;
      },
    };
  }
});

describe('onPaid', () => {
  const PAID_NOW = { status: 'committed', reference: 'pi_card_1' };

  // Claim delivery
  test('gets order and outcome once, and a second look calls nobody', async () => {
    const onPaid = vi.fn();
    const { pay, ask, value } = checkout({ others: { onPaid } });
    expect(await pay()).toEqual(PAID_NOW);
    expect(value().delivery).toBe('done');
    for (const call of ['outcome', 'pay', 'issueKey'] as const) await ask(call);
    expect(onPaid.mock.calls).toEqual([
      [
        { id: 'order-1', ...PRICE },
        { ...PAID_NOW, tries: 1 },
      ],
    ]);
  });

  test.each(['throws', 'rejects'])('that %s is called again after its claim', async (how) => {
    let now = 0;
    const onPaid = vi.fn((): Promise<void> | void => {
      if (onPaid.mock.calls.length > 1) return;
      if (how === 'throws') throw new Error('SECRET');
      return Promise.reject(new Error('SECRET'));
    });
    const { pay, ask, value, lines } = checkout({ others: { onPaid, now: () => now } });
    expect(await pay()).toEqual(PAID_NOW);
    expect(lines).toEqual([
      'Not delivered yet: order "order-1": Error. onPaid is called again when somebody asks for ' +
        'the order, or by checkout.sweep',
    ]);
    await ask('outcome');
    expect(onPaid).toHaveBeenCalledTimes(1); // the claim is the pause
    now = 30_001;
    expect(await ask('outcome')).toEqual(PAID_NOW);
    expect(onPaid.mock.calls.at(-1)).toMatchObject([{}, { tries: 2 }]);
    expect(value().delivery).toBe('done');
  });

  test('that hangs keeps the shopper waiting 20 s, and counts when it comes late', async () => {
    let deliver = () => {};
    const onPaid = () =>
      new Promise<void>((resolve) => {
        deliver = resolve;
      });
    const limits: number[] = [];
    const soon: Surroundings['within'] = async (ms, promise) => {
      limits.push(ms);
      return within(20, promise);
    };
    const { pay, value, lines } = checkout({ others: { onPaid, within: soon } });
    expect(await pay()).toEqual(PAID_NOW);
    expect(limits).toContain(20_000);
    expect(lines[0]).toContain('Not delivered yet: order "order-1": TimeLimitError');
    expect(value().delivery).toMatchObject({ tries: 1 });
    deliver();
    await vi.waitFor(() => expect(value().delivery).toBe('done'));
  });

  test('is called by a page that asks for a key', async () => {
    const onPaid = vi.fn();
    const stored = { ...PAID, delivery: { token: 't', until: -1, tries: 1 } };
    expect(await checkout({ stored, others: { onPaid } }).ask('issueKey')).toMatchObject({
      status: 409,
    });
    expect(onPaid.mock.calls).toEqual([
      [
        { id: 'order-1', ...PRICE },
        { ...PAID_NOW, tries: 2 },
      ],
    ]);
  });

  test('is not called under a claim that has ended while the store was slow (O12)', async () => {
    let now = 0;
    let entry = { value: JSON.stringify(PAID), version: 1 };
    const store: Surroundings['store'] = {
      read: async () => entry,
      async write(_, value, version) {
        if (entry.version === 1) now = 60_001;
        entry = { value, version: version + 1 };
        return true;
      },
    };
    const stored = { ...PAID, delivery: { token: 't', until: -1, tries: 1 } };
    entry.value = JSON.stringify(stored);
    const ends: number[] = [];
    const onPaid = () => void ends.push(JSON.parse(entry.value).delivery.until);
    const { ask } = checkout({ store, others: { onPaid, now: () => now } });
    await ask('outcome');
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBeGreaterThan(now);
  });

  test('is called by resolve, and by sweep', async () => {
    for (const call of ['resolve', 'sweep'] as const) {
      const onPaid = vi.fn();
      const list = listing(UNCERTAIN);
      const one = checkout({ stored: UNCERTAIN, store: { list }, others: { onPaid } });
      if (call === 'resolve') await one.resolve('order-1', 'pi_card_1', 'committed');
      else await one.sweep({ lookUp: async () => 'committed' });
      expect(onPaid).toHaveBeenCalledTimes(1);
    }
  });
});

describe('sweep', () => {
  const swept = (stored: object, lookUp?: () => Promise<string>, others = {}) => {
    const list = listing(stored);
    const one = checkout({ stored, store: { list }, others });
    return one.sweep(lookUp ? { lookUp } : {}).then(([report]) => ({ ...one, report }));
  };

  test.each<[string, object, (() => Promise<string>) | undefined, string, string]>([
    ['paid', UNCERTAIN, async () => 'authorized', 'authorized', 'nothing'],
    ['declined', UNCERTAIN, async () => 'failed', 'open', 'nothing'],
    ['created', UNCERTAIN, async () => 'created', 'open', 'cancel'],
    ['unknown', UNCERTAIN, async () => 'unknown', 'not_certain', 'look_up'],
    ['no text', UNCERTAIN, async () => undefined as never, 'not_certain', 'look_up'],
    ['an error', UNCERTAIN, fails, 'not_certain', 'look_up'],
    ['nothing, without a look-up', UNCERTAIN, undefined, 'not_certain', 'look_up'],
    [
      'nothing of a payment under way',
      { ...UNCERTAIN, state: 'paying', attempt: { ...ATTEMPT, startedAt: 0 } },
      async () => 'failed',
      'not_certain',
      'wait',
    ],
    [
      'paid, after a key error',
      { ...OPEN, sent: true },
      async () => 'committed',
      'committed',
      'nothing',
    ],
  ])('reports an order of which the look-up says %s', async (_, stored, lookUp, status, left) => {
    const { report, lines } = await swept(stored, lookUp);
    expect(report).toMatchObject({ order: 'order-1', status, left });
    expect(lines.some((line) => line === UNCERTAIN_LINE)).toBe(left === 'look_up');
    expect(lines.join()).not.toContain('SECRET');
  });

  test('says in the log which look-up has failed', async () => {
    const { lines } = await swept(UNCERTAIN, fails);
    expect(lines).toContain('The look-up of intent "pi_card_1" of order "order-1" failed: Error');
  });

  test('keeps asking for an open order of which a look-up knows nothing', async () => {
    const { report } = await swept({ ...OPEN, sent: true }, async () => 'unknown');
    expect(report).toMatchObject({ status: 'open', left: 'look_up' });
  });

  test('keeps asking if another attempt has begun since the list was read', async () => {
    const list = listing(UNCERTAIN);
    const stored = { ...UNCERTAIN, attempt: { ...ATTEMPT, token: 'another' } };
    const { sweep } = checkout({ stored, store: { list } });
    expect(await sweep({ lookUp: async () => 'created' })).toMatchObject([{ left: 'look_up' }]);
  });

  test('writes a row that is not due, because the store has listed it, and no other one', async () => {
    for (const [stored, calls] of [
      [OPEN, [['order-1', JSON.stringify(OPEN), 1, false]]],
      [UNCERTAIN, []],
    ] as const) {
      const write = vi.fn(async () => true);
      const list = listing(stored);
      await checkout({ stored, store: { list, write } }).sweep();
      expect(write.mock.calls).toEqual(calls);
    }
  });

  test('waits for a store that fails', async () => {
    const list = listing(OPEN);
    const { sweep, lines } = checkout({ store: { list, read: fails } });
    expect(await sweep()).toEqual([
      { order: 'order-1', intent: null, status: 'not_certain', left: 'wait' },
    ]);
    expect(lines).toEqual(['Sweep: order "order-1": Error']);
  });

  test('reports what cannot be read in its place', async () => {
    const list = async () => [
      { orderId: 'damaged', value: '{', version: 1 },
      { orderId: 'order-1', value: JSON.stringify(PAID), version: 1 },
    ];
    const reports = await checkout({ stored: PAID, store: { list } }).sweep();
    expect(reports.map(({ order }) => order)).toEqual(['damaged', 'order-1']);
  });

  test('reports a value that cannot be read, and goes on', async () => {
    const list = async () => [
      { orderId: 'damaged', value: '{"state":"pay', version: 1 },
      { orderId: 'order-1', value: JSON.stringify(UNCERTAIN), version: 1 },
    ];
    const { sweep, lines } = checkout({ stored: UNCERTAIN, store: { list } });
    expect(await sweep({ lookUp: async () => 'committed' })).toEqual([
      { order: 'damaged', intent: null, status: 'unreadable', left: 'repair' },
      { order: 'order-1', intent: 'pi_card_1', status: 'committed', left: 'nothing' },
    ]);
    expect(lines[0]).toContain('Sweep: order "damaged": its stored value is damaged');
  });

  /** Orders that are not certain, in a store that has one value for all. */
  const listOf = (ids: string[]) => async () =>
    ids.map((orderId) => ({ orderId, value: JSON.stringify(UNCERTAIN), version: 1 }));

  test('delivers what is known to be paid before it looks anything up', async () => {
    const entries = new Map(
      [
        { ...UNCERTAIN, id: 'order-1' },
        { ...PAID, id: 'order-2', delivery: { token: 't', until: -1, tries: 1 } },
      ].map((order) => [order.id, { value: JSON.stringify(order), version: 1 }]),
    );
    const events: string[] = [];
    const store: Partial<Surroundings['store']> = {
      read: async (orderId) => entries.get(orderId),
      async write(orderId, value, version) {
        entries.set(orderId, { value, version: version + 1 });
        return true;
      },
      list: async () => [...entries].map(([orderId, entry]) => ({ orderId, ...entry })),
    };
    const onPaid = ({ id }: { id: string }) => void events.push(`deliver ${id}`);
    const lookUp = async (_: string, orderId: string) => {
      events.push(`look up ${orderId}`);
      throw new Error('SECRET');
    };
    const { sweep } = checkout({ store, others: { onPaid } });
    expect(await sweep({ lookUp })).toEqual([
      { order: 'order-2', intent: 'pi_card_1', status: 'committed', left: 'nothing' },
      { order: 'order-1', intent: 'pi_card_1', status: 'not_certain', left: 'look_up' },
    ]);
    expect(events).toEqual(['deliver order-2', 'look up order-1']);
  });

  test('asks no more after three look-ups in a row without an answer', async () => {
    const list = listOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const asked: string[] = [];
    const lookUp = async (_: string, orderId: string) => {
      asked.push(orderId);
      if (orderId === 'c') return 'unknown';
      throw new Error('SECRET');
    };
    const { sweep } = checkout({ stored: UNCERTAIN, store: { list } });
    const swept = await sweep({ lookUp });
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'f']); // the answer of c counts
    expect(swept.map(({ order }) => order)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(new Set(swept.map(({ left }) => left))).toEqual(new Set(['look_up']));
  });

  test('begins to look up at another order each time', async () => {
    const list = listOf(['a', 'b', 'c', 'd']);
    const asked: string[] = [];
    const lookUp = async (_: string, orderId: string) => {
      asked.push(orderId);
      return 'unknown';
    };
    const one = { stored: UNCERTAIN, store: { list }, others: { now: () => 6 } };
    await checkout(one).sweep({ lookUp });
    expect(asked).toEqual(['c', 'd', 'a', 'b']);
  });

  test('reads a long list in parts, and refuses one that never ends', async () => {
    const ids = Array.from({ length: 250 }, (_, at) => `order-${String(at).padStart(3, '0')}`);
    const value = JSON.stringify(OPEN);
    const list: Surroundings['store']['list'] = async ({ limit, after = '' }) =>
      ids
        .filter((id) => id > after)
        .slice(0, limit)
        .map((orderId) => ({ orderId, value, version: 1 }));
    expect(await checkout({ store: { list } }).sweep()).toHaveLength(250);
    const endless = checkout({ store: { list: ({ limit }) => list({ limit }) } });
    await expect(endless.sweep()).rejects.toThrow(
      'store.list must give only orders that come after',
    );
    await expect(checkout().sweep()).rejects.toThrow('needs a store with the method list');
  });
});

test('an authorization has an Idempotency-Key that a header can hold, whatever the id of the key', async () => {
  const id = 'cek_é 1';
  const authorize = vi.fn(async () => intentResource('pi_card_1', PRICE, 'committed'));
  const { pay } = checkout({ stored: { ...OPEN, keys: [{ ...KEY, id }] }, client: { authorize } });
  await pay(id);
  const idempotencyKey = 'pi_card_1.cek_%C3%A9%201';
  expect(authorize).toHaveBeenCalledWith('pi_card_1', expect.anything(), { idempotencyKey });
});

const UNCLEAR = new CardPaymentsError('', {
  recovery: 'resolve_intent',
  status: 503,
  code: undefined,
  intentId: undefined,
});
const UNCERTAIN_LINE =
  'Payment not certain: order "order-1", intent "pi_card_1". Find out what became of the intent: ' +
  'checkout.sweep, or checkout.resolve';
const TEN_DECLINES =
  '10 cards of order "order-1" were declined: no more are taken. Look at it, and withdraw it if ' +
  'the shopper is honest: then another order can begin';
const OTHERS = { ...OPEN, keys: [] };
const USED = { ...OPEN, keys: [{ ...KEY, id: 'cek_1', block: 'declined' }] };

// Claim block-not-stored
describe('a sender', () => {
  /** A checkout whose order is as new for each press. */
  const shop = (status: { is: 'failed' | 'committed' }) => {
    const authorize: Client['authorize'] = async (id) => intentResource(id, PRICE, status.is);
    const one = checkout({ client: { authorize } });
    const press = async (sender = SENDER) => {
      one.put(OPEN);
      return (await one.pay('cek_1', ORDER, sender)).status;
    };
    const presses = async (times: number) => {
      const seen = new Set<string>();
      for (let i = 0; i < times; i++) seen.add(await press());
      return [...seen];
    };
    return { ...one, press, presses };
  };

  test('has ten declined cards at once, and then sends none', async () => {
    const { presses, lines } = shop({ is: 'failed' });
    expect(await presses(10)).toEqual(['failed']);
    expect(lines).toEqual([]);
    expect(await presses(1)).toEqual(['not_paid']);
    expect(lines).toEqual([
      'Block not sent: order "order-1": too many cards of the sender "203.0.113.9" were declined or refused',
    ]);
  });

  test('that pays has no limit, and gets declined cards back', async () => {
    const status: { is: 'failed' | 'committed' } = { is: 'committed' };
    const { presses } = shop(status);
    expect(await presses(12)).toEqual(['committed']);
    status.is = 'failed';
    expect(await presses(9)).toEqual(['failed']);
    status.is = 'committed';
    expect(await presses(1)).toEqual(['committed']);
    status.is = 'failed';
    expect(await presses(6)).toEqual(['failed']);
    expect(await presses(1)).toEqual(['not_paid']);
  });

  test('has ten blocks refused by the service, and then sends none: bots need no card for them', async () => {
    const status = {
      recovery: 'check_layout',
      status: 400,
      code: 'invalid_encryption_block',
    } as const;
    const authorize = async () => {
      throw new CardPaymentsError('', { ...status, intentId: undefined });
    };
    const { pay, put, lines } = checkout({ client: { authorize } });
    const press = async (keyErrors: number) => {
      put({ ...OPEN, keyErrors });
      return (await pay('cek_1', ORDER, SENDER)).status;
    };
    for (let i = 0; i < 5; i++) {
      expect(await press(0)).toBe('retry_is_safe');
      expect(await press(1)).toBe('not_certain'); // the second one of its order counts, too
    }
    expect(await press(0)).toBe('not_paid');
    expect(lines.at(-1)).toContain('too many cards of the sender "203.0.113.9"');
  });

  test('that gets no answer has no declined card', async () => {
    const { pay, put } = checkout({ client: { authorize: fails } });
    for (let i = 0; i < 12; i++) {
      put(OPEN);
      expect(await pay()).toMatchObject({ status: 'not_certain' });
    }
  });

  test('each with one declined card: the log says once that it looks odd', async () => {
    const { press, lines } = shop({ is: 'failed' });
    for (let i = 0; i < 22; i++) await press({ sender: `203.0.113.${i}` });
    expect(lines).toEqual([
      'More cards are declined than paid: somebody may be testing stolen cards',
    ]);
  });

  test.each([
    [
      undefined,
      'No limits by sender: Give the address of the client, as your outermost proxy saw it',
    ],
    [
      { sender: '10.0.0.1' },
      'No limits by sender: the sender is a private address, or none. Give the address of the ' +
        'client, as your outermost proxy saw it',
    ],
  ])('that is %j: the log says so once', async (sender, line) => {
    const { issueKey, lines } = checkout();
    for (let i = 0; i < 2; i++) await issueKey(ORDER, sender);
    expect(lines).toEqual([line]);
  });
});

test('a paid order says so to a post without a block, and logs nothing', async () => {
  const { payNothing, lines } = checkout({ stored: PAID });
  expect(await payNothing()).toEqual({ status: 'committed', reference: 'pi_card_1' });
  expect(lines).toEqual([]);
});

test('an authorization may take a second longer than its client', async () => {
  const limits: number[] = [];
  const recorded: Surroundings['within'] = (ms, promise) => {
    limits.push(ms);
    return promise;
  };
  await checkout({ others: { within: recorded } }).pay();
  expect(limits).toContain(QUIET.timeoutMs + 1000);
});

test('of a reason, 200 characters are kept', async () => {
  const authorize: Client['authorize'] = async (id) => ({
    ...intentResource(id, PRICE, 'failed'),
    failure_reason: `${'x'.repeat(199)}\u{1f4b3}y`, // two UTF-16 units: half of it is no text
  });
  const { pay } = checkout({ client: { authorize } });
  expect(await pay()).toEqual({ status: 'failed', reason: `${'x'.repeat(199)}\u{1f4b3}` });
});

test.each(['automatic', 'manual'] as const)(
  'an order may be captured: %s',
  async (capture_method) => {
    const { issueKey } = checkout({ stored: null });
    expect(await issueKey({ ...ORDER, capture_method })).toMatchObject({ status: 200 });
  },
);

describe('the log has codes and ids', () => {
  test.each<[string, Parameters<typeof checkout>[0], 'issueKey' | 'pay', string[]]>([
    ['nothing of a key', {}, 'issueKey', []],
    ['nothing of a payment', {}, 'pay', []],
    ['nothing of a decline that is read again', { stored: USED }, 'pay', []],
    [
      'a key that does not come',
      { client: { createEncryptionKey: () => Promise.reject(UNCLEAR) } },
      'issueKey',
      ['No key for order "order-1": CardPaymentsError, resolve_intent, 503'],
    ],
    [
      'an order whose amount has changed after something was sent',
      { stored: { ...OPEN, sent: true, amount: 999 } },
      'issueKey',
      [UNCERTAIN_LINE],
    ],
    [
      'an answer that does not come',
      { client: { authorize: () => Promise.reject(UNCLEAR) } },
      'pay',
      [
        'Authorization failed: intent "pi_card_1": CardPaymentsError, resolve_intent, 503',
        UNCERTAIN_LINE,
      ],
    ],
    [
      'an intent that does not come',
      { stored: { ...OPEN, intentId: null }, client: { createIntent: fails } },
      'pay',
      ['Block not sent: order "order-1": no draft: Error'],
    ],
    [
      'a block of no key of the order',
      { stored: OTHERS },
      'pay',
      [
        'Block not sent: order "order-1", key "cek_1": the order has no such key. The session has ' +
          'lost its order, or has begun another one. The order whose stored value has this key is ' +
          'the one that the shopper means',
      ],
    ],
    [
      'the tenth decline of an order',
      {
        stored: { ...OPEN, declines: 9 },
        client: { authorize: async (id) => intentResource(id, PRICE, 'failed') },
      },
      'pay',
      [TEN_DECLINES],
    ],
    [
      'a key for an order of which ten cards were declined, which is no news',
      { stored: { ...OPEN, declines: 10 } },
      'issueKey',
      [],
    ],
    [
      'a block for an order that nobody has settled',
      { stored: UNCERTAIN },
      'pay',
      [
        'Block not sent: order "order-1", key "cek_1": the order is not certain, and nobody has ' +
          'settled it',
      ],
    ],
    [
      'a block that was refused',
      { stored: { ...OPEN, keys: [{ ...KEY, id: 'cek_1', expiresAt: -1 }] } },
      'pay',
      [
        'Block not sent: order "order-1", key "cek_1": its key has expired, was used before, or is ' +
          'for another price, or the order was withdrawn',
      ],
    ],
  ])('%s', async (_, parts, call, expected) => {
    const { lines, ask } = checkout(parts);
    await ask(call);
    expect(lines).toEqual(expected);
  });

  test('a write that fails, each time', async () => {
    const { pay, lines } = checkout({ store: { write: fails } });
    expect(await pay()).toEqual({ status: 'not_certain', order: 'order-1' });
    expect(lines[0]).toBe('A write of the store failed: order "order-1": Error');
  });

  test('and is the console without another one', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const { pay } = createCheckout({ payments: { baseUrl: '', secretKey: '' } });
    await pay(ORDER, undefined, '', SENDER);
    expect(error.mock.calls).toEqual([
      [expect.stringContaining('Refused: invalid_encrypted_card: order "order-1": the body is')],
    ]);
    error.mockRestore();
  });
});
