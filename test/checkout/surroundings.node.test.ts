/** What the checkout does with store, service, clock and log, each of which fails here on purpose. */
import { describe, expect, test, vi } from 'vitest';
import { checkoutOf, type Surroundings } from '../../src/checkout/checkout.ts';
import type { StoredOrder } from '../../src/checkout/decide.ts';
import { CardPaymentsError, createCheckout, type Order } from '../../src/checkout/index.ts';
import { intentResource, keyResource, LIMIT_MS, postedBlock, TIMEOUT_MS } from './world.ts';

const ORDER: Order = { id: 'order-1', amount: 1000, currency: 'USD' };
const PRICE = { amount: 1000, currency: 'USD' };
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
} = {}) {
  const lines: string[] = [];
  let entry = stored ? { value: JSON.stringify(stored), version: 1 } : undefined;
  let now = 0;
  let ids = 0;
  const put = (order: StoredOrder) => {
    entry = { value: JSON.stringify(order), version: entry!.version + 1 };
  };
  const made = checkoutOf({
    timeoutMs: TIMEOUT_MS,
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
  });
  const pay = (keyId = 'cek_1', order = ORDER) => made.pay(order, undefined, postedBlock(keyId));
  const calls = {
    issueKey: () => made.issueKey(ORDER),
    pay: () => pay(),
    outcome: () => made.outcome(ORDER.id),
  };
  const ask = (call: keyof typeof calls): Promise<unknown> => calls[call]();
  return { ...made, pay, ask, lines, put, clock: () => now };
}

describe('an order that is none', () => {
  test.each([
    [{ id: '' }, 'id must be text'],
    [{ id: 7 }, 'id must be text'],
    [{ amount: -1 }, 'amount must be a whole number of minor units'],
    [{ amount: 0.5 }, 'amount must be a whole number of minor units'],
    [{ currency: '' }, 'currency must be text'],
    [{ currency: 7 }, 'currency must be text'],
  ])('is refused: %j', async (wrong, message) => {
    const order = { ...ORDER, ...wrong } as Order;
    const refusal = new TypeError(`order.${message}`);
    await expect(checkout().issueKey(order)).rejects.toThrow(refusal);
  });

  test('but an amount of 0 is one', async () => {
    expect((await checkout().issueKey({ ...ORDER, amount: 0 })).status).toBe(200);
  });
});

test('staff say one of three words', async () => {
  const says = (truth: string) => checkout().resolve(ORDER.id, 'pi_card_1', truth as 'committed');
  for (const truth of ['committed', 'authorized', 'not_paid'])
    expect(await says(truth)).toEqual({ status: 'open' });
  const refusal = new TypeError('resolution must be committed, authorized or not_paid');
  await expect(says('paid')).rejects.toThrow(refusal);
});

describe('a store', () => {
  test.each([null, { state: 'lost' }])('that gives %j gives no order', async (stored) => {
    const store = { read: async () => ({ value: JSON.stringify(stored), version: 1 }) };
    const { resolve } = checkout({ store });
    const answer = resolve(ORDER.id, 'pi_card_1', 'committed');
    await expect(answer).rejects.toThrow(new Error('The store gave something else'));
  });

  test('that never lets anybody write is asked 20 times', async () => {
    const write = vi.fn(async () => false);
    const { resolve } = checkout({
      stored: { ...OPEN, state: 'uncertain', sent: true },
      store: { write },
    });
    const answer = resolve(ORDER.id, 'pi_card_1', 'committed');
    await expect(answer).rejects.toThrow(new Error('The order could not be written'));
    expect(write).toHaveBeenCalledTimes(20);
  });

  test.each([
    ['issueKey', { status: 502, body: { status: 'no_key' } }, 'No key for order order-1, Error'],
    [
      'pay',
      { status: 'not_certain' },
      'Payment not certain, the store failed: order order-1, Error',
    ],
    ['outcome', { status: 'not_certain' }, 'The store failed: order order-1, Error'],
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
  expect(await ask('outcome')).toEqual({ status: 'not_certain' });
  expect(clock()).toBe(until);
  expect(await pay()).toEqual({ status: 'not_certain' });
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

test.each([
  ['no key comes', fails],
  ['a key of an unknown scheme comes', async () => ({ ...keyResource('cek_2', 1000), scheme: '' })],
])('where %s, the order may have been paid meanwhile', async (_, answer) => {
  const createEncryptionKey = async () => {
    put(PAID);
    return answer();
  };
  const { issueKey, put } = checkout({ client: { createEncryptionKey } });
  const body = { status: 'committed', reference: 'pi_card_1' };
  expect(await issueKey(ORDER)).toEqual({ status: 409, body });
});

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
    expect(lines[0]).toBe('No payment of order order-1, TypeError');
    expect((await outcome(ORDER.id)).status).toBe(stored === OPEN ? 'open' : 'committed');
  },
);

test('an intent has an Idempotency-Key, and the currency that was asked for', async () => {
  const createIntent = vi.fn(async (draft: object) =>
    intentResource('pi_card_2', { ...PRICE, ...draft, currency: 'EUR' }, 'created'),
  );
  const { issueKey } = checkout({ stored: null, client: { createIntent } });
  expect(await issueKey(ORDER)).toEqual({ status: 502, body: { status: 'no_key' } });
  expect(createIntent.mock.lastCall).toEqual([PRICE, { idempotencyKey: 'random 1' }]);
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
const OTHERS = { ...OPEN, keys: [] };
const USED = { ...OPEN, keys: [{ ...KEY, id: 'cek_1', block: 'declined' }] };

describe('the log has codes and ids', () => {
  test.each<[string, Parameters<typeof checkout>[0], 'issueKey' | 'pay', string[]]>([
    ['nothing of a key', {}, 'issueKey', []],
    ['nothing of a payment', {}, 'pay', []],
    ['nothing of a decline that is read again', { stored: USED }, 'pay', []],
    [
      'a key that does not come',
      { client: { createEncryptionKey: () => Promise.reject(UNCLEAR) } },
      'issueKey',
      ['No key for order order-1, CardPaymentsError, resolve_intent, 503'],
    ],
    [
      'an order whose amount has changed after something was sent',
      { stored: { ...OPEN, sent: true, amount: 999 } },
      'issueKey',
      ['Payment not certain: order order-1, intent pi_card_1'],
    ],
    [
      'an answer that does not come',
      { client: { authorize: () => Promise.reject(UNCLEAR) } },
      'pay',
      [
        'Authorization failed: pi_card_1, CardPaymentsError, resolve_intent, 503',
        'Payment not certain: order order-1, intent pi_card_1',
      ],
    ],
    [
      'an intent that does not come',
      { stored: { ...OPEN, intentId: null }, client: { createIntent: fails } },
      'pay',
      ['No intent for order order-1, Error'],
    ],
    [
      'a block of no key of the order',
      { stored: OTHERS },
      'pay',
      ['Block not sent: order order-1, not_certain'],
    ],
    [
      'a block that was refused',
      { stored: { ...OPEN, keys: [{ ...KEY, id: 'cek_1', expiresAt: -1 }] } },
      'pay',
      ['Block not sent: order order-1, not_paid'],
    ],
  ])('%s', async (_, parts, call, expected) => {
    const { lines, ask } = checkout(parts);
    await ask(call);
    expect(lines).toEqual(expected);
  });

  test('a write that fails, each time', async () => {
    const { pay, lines } = checkout({ store: { write: fails } });
    expect(await pay()).toEqual({ status: 'not_certain' });
    expect(lines[0]).toBe('A write failed: order order-1, Error');
  });

  test('and is the console without another one', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const { pay } = createCheckout({ payments: { baseUrl: '', secretKey: '' } });
    await pay(ORDER, undefined, '');
    expect(error.mock.calls).toEqual([['Refused: invalid_encrypted_card']]);
    error.mockRestore();
  });
});
