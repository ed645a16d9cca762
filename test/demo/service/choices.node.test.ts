import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { DECLINED_NUMBERS } from '../../../demo/service/processor/decision.ts';
import { type CardPaymentIntent, STATUSES } from '../../../demo/service/schemas.ts';
import {
  CARD,
  errorOf,
  NOON,
  recycledKeyPair,
  seal,
  startService,
} from '../../support/card-payment-service.ts';

// What the specification calls "not shown": demo/README.md has them in a table.

const service = startService();
const { call, create, requestKey, authorize, pay } = service;
afterAll(() => service.app.close());

const post = (id: string, operation: string, body?: unknown, headers?: Record<string, string>) =>
  call('POST', `/payments/card/${id}/${operation}`, { body, ...(headers && { headers }) });

describe('operations and states', () => {
  const reach: Record<(typeof STATUSES)[number], () => Promise<CardPaymentIntent>> = {
    created: () => create(),
    authorized: () => pay({}, { capture_method: 'manual' }),
    committed: () => pay(),
    failed: () => pay({ number: '4000000000000002' }),
    cancelled: async () => (await post((await create()).id, 'cancel')).body,
  };
  const allowed: Record<(typeof STATUSES)[number], string[]> = {
    created: ['authorize', 'cancel'],
    authorized: ['commit', 'cancel'],
    committed: ['refund'],
    failed: [],
    cancelled: [],
  };
  const every = STATUSES.flatMap((status) =>
    ['authorize', 'commit', 'cancel', 'refund'].map((operation) => [status, operation] as const),
  );

  test.each(every)(
    '%s: %s is allowed, or 409 invalid_intent_state and nothing changes',
    async (status, operation) => {
      const intent = await reach[status]();
      expect(intent.status).toBe(status);
      const reply = await post(
        intent.id,
        operation,
        operation === 'authorize' ? seal(await requestKey()) : undefined,
      );
      if (allowed[status].includes(operation)) return expect(reply.status).toBe(200);
      expect(errorOf(reply)).toEqual([409, 'invalid_intent_state']);
      expect((await call('GET', `/payments/card/${intent.id}`)).body).toEqual(intent);
    },
  );

  test.each(['authorize', 'commit', 'cancel', 'refund'])(
    '%s: the intent of another account is as unknown as none',
    async (operation) => {
      const { id } = await create({}, { secretKey: ACCOUNTS[1].secretKey });
      const body = operation === 'authorize' ? seal(await requestKey()) : undefined;
      const [foreign, missing] = [
        await post(id, operation, body),
        await post('pi_card_0', operation, body),
      ];
      expect(errorOf(foreign)).toEqual([404, 'intent_not_found']);
      expect(foreign.text).toBe(missing.text);
    },
  );

  test('refund: in parts, then the rest, never more than was captured; the intent stays committed', async () => {
    const { id } = await pay({}, { amount: 1000 });
    expect((await post(id, 'refund', { amount: 300 })).body).toMatchObject({
      status: 'committed',
      amount_captured: 1000,
      amount_refunded: 300,
    });
    expect(errorOf(await post(id, 'refund', { amount: 701 }))).toEqual([422, 'refund_too_large']);
    expect((await post(id, 'refund')).body.amount_refunded).toBe(1000);
    expect(errorOf(await post(id, 'refund'))).toEqual([422, 'refund_too_large']);
  });
});

describe('creating', () => {
  const most = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`${i}`.padStart(40, 'k'), 'v'.repeat(500)]),
  );
  test.each<[field: string, accepted: unknown[], refused: unknown[]]>([
    ['amount', [1, 99_999_999], [10.5, '1000', 0, -1, null, 100_000_000]],
    ['currency', ['AUD', 'CAD', 'CHF', 'EUR', 'GBP', 'JPY', 'USD'], ['usd', 'XXX', 'US', 840]],
    ['capture_method', ['automatic', 'manual'], ['later', true]],
    ['description', [null, '', 'd'.repeat(500), 'Zwölf Äpfel 🍏'], ['d'.repeat(501), 5]],
    ['statement_descriptor', [null, 'S', 'S'.repeat(22)], ['', 'S'.repeat(23)]],
    [
      'metadata',
      [{}, { order: '7' }, most],
      [
        [],
        { order: 7 },
        { '': 'x' },
        { ['k'.repeat(41)]: 'x' },
        { k: 'v'.repeat(501) },
        { ...most, k: 'v' },
      ],
    ],
  ])(
    '%s: the least and the most are accepted; what is beyond is refused and named',
    async (field, accepted, refused) => {
      for (const value of accepted)
        expect(await create({ [field]: value })).toMatchObject({ [field]: value });
      for (const value of refused) {
        const body = { amount: 1000, currency: 'USD', [field]: value };
        const reply = await call('POST', '/payments/card', { body });
        expect([...errorOf(reply), reply.body.error.param]).toEqual([
          400,
          'invalid_request',
          field,
        ]);
      }
    },
  );
});

describe('reading', () => {
  test('intents are listed newest first, in pages, each account its own', async () => {
    const { app, create, call } = startService();
    const ids = [];
    for (let i = 0; i < 12; i++) ids.unshift((await create()).id);
    await create({}, { secretKey: ACCOUNTS[1].secretKey });
    const pages = [];
    for (let after = ''; ; after = `&starting_after=${pages.at(-1)!.data.at(-1)!.id}`) {
      pages.push((await call('GET', `/payments/card?limit=5${after}`)).body);
      if (!pages.at(-1)!.has_more) break;
    }
    expect(pages.map(({ data }) => data.length)).toEqual([5, 5, 2]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect((await call('GET', '/payments/card')).body).toMatchObject({
      data: { length: 10 },
      has_more: true,
    });
    await app.close();
  });
});

describe('Idempotency-Key', () => {
  let keys = 0;
  const fresh = () => ({ 'idempotency-key': `key ${keys++}` });

  test('the same request again: the first response again, with `Idempotent-Replayed: true`, and nothing is done', async () => {
    const { id } = await pay();
    const headers = fresh();
    const first = await post(id, 'refund', { amount: 100 }, headers);
    await post(id, 'refund', { amount: 1 });
    const again = await post(id, 'refund', { amount: 100 }, headers);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect([again.status, again.text, again.headers['content-type']]).toEqual([
      200,
      first.text,
      first.headers['content-type'],
    ]);
    expect((await call('GET', `/payments/card/${id}`)).body.amount_refunded).toBe(101);
  });

  test('an error of the encrypted block is an outcome and is answered again, although the key is spent by then', async () => {
    const { id } = await create();
    const block = { ...seal(await requestKey()), layout: [] };
    const headers = fresh();
    for (let i = 0; i < 2; i++)
      expect(errorOf(await authorize(id, block, { headers }))).toEqual([
        422,
        'invalid_encryption_block',
      ]);
    expect(errorOf(await authorize(id, block))).toEqual([422, 'encryption_key_used']);
  });

  test('is of one request of one account', async () => {
    const headers = fresh();
    const first = await create({}, { headers });
    const others = [
      await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD' }, headers }),
      await post(first.id, 'cancel', undefined, headers),
    ];
    for (const other of others) expect(errorOf(other)).toEqual([422, 'idempotency_key_reused']);
    const { secretKey } = ACCOUNTS[1];
    expect((await create({}, { headers, secretKey })).id).not.toBe(first.id);
  });

  test('is free again after a request that is not valid, and after a conflict', async () => {
    const { id } = await create({ capture_method: 'manual' });
    const headers = fresh();
    await post(id, 'refund', { amount: 0 }, headers);
    expect((await post(id, 'commit', undefined, headers)).status).toBe(409);
    await authorize(id, seal(await requestKey()));
    expect((await post(id, 'commit', undefined, headers)).body.status).toBe('committed');
  });

  test('is kept for 24 hours', async () => {
    const headers = fresh();
    const first = await create({}, { headers });
    service.time.now = NOON + 24 * 60 * 60 * 1000;
    expect((await create({}, { headers })).id).toBe(first.id);
    service.time.now += 1;
    expect((await create({}, { headers })).id).not.toBe(first.id);
    service.time.now = NOON;
  });
});

describe('test cards', () => {
  test('each number of a declined card has its reason', async () => {
    for (const [number, failure_reason] of Object.entries(DECLINED_NUMBERS))
      expect(await pay({ number })).toMatchObject({ status: 'failed', failure_reason });
  });

  // A month ends when it ends at UTC-12.
  test.each([
    ['06', '2026', Date.UTC(2026, 6, 1, 12) - 1, null],
    ['06', '2026', Date.UTC(2026, 6, 1, 12), 'expired_card'],
    ['12', '2025', Date.UTC(2026, 0, 15), 'expired_card'],
    ['01', '2027', Date.UTC(2026, 11, 15), null],
  ])(
    'a past date is declined as expired_card: %s/%s at %d',
    async (exp_month, exp_year, now, reason) => {
      const { app, time, pay } = startService();
      time.now = now;
      const { failure_reason } = await pay({ ...CARD, exp_month, exp_year });
      await app.close();
      expect(failure_reason).toBe(reason);
    },
  );
});

test('JSON with a property twice is refused, anywhere; the same name in two objects, and what stands in strings, is none', async () => {
  const send = async (payload: string) => {
    const authorization = `Bearer ${ACCOUNTS[0].secretKey}`;
    const headers = { 'content-type': 'application/json', authorization };
    const url = '/payments/card';
    const response = await service.app.inject({ method: 'POST', url, payload, headers });
    return [response.statusCode, response.json()] as const;
  };
  for (const payload of [
    '{"amount":1000,"currency":"USD","amount":9}',
    '{"amount":1000,"currency":"USD","\\u0061mount":9}',
    '{"amount":1000,"currency":"USD","metadata":{"a":"1","a":"2"}}',
  ]) {
    const [status, { error }] = await send(payload);
    expect([status, error.code]).toEqual([400, 'invalid_json']);
  }
  const metadata = { description: ':', a: '":{"b":', c: '\\', 'd:': '\\":' };
  const body = { amount: 1000, currency: 'USD', description: ':"a":', metadata };
  expect(await send(JSON.stringify(body))).toMatchObject([201, { metadata }]);
  // Nested deeper than the stack
  const [status] = await send(`{"amount":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
  expect(status).toBe(400);
});

describe('errors', () => {
  test('a failure of the service is 500 internal_error without a word of its cause, and the next request is answered', async () => {
    const generateKeyPair = vi.fn(() => Promise.reject(new Error('secret cause')));
    const { app, call, requestKey } = startService({ generateKeyPair });
    const reply = await call('POST', '/payments/card/encryption-keys');
    expect(errorOf(reply)).toEqual([500, 'internal_error']);
    expect(reply.text).not.toContain('secret cause');
    generateKeyPair.mockImplementation(recycledKeyPair as never);
    for (let i = 0; i < 5; i++) await call('POST', '/payments/card/encryption-keys'); // those that were being made when it failed
    expect((await requestKey()).id).toMatch(/^cek_/);
    await app.close();
  });

  test.each<[method: 'GET' | 'POST', path: string, body: object | undefined, message: string]>([
    ['POST', '/payments/card', { amount: 1, currency: 'USD', card: 1 }, 'body: has an unknown'],
    ['POST', '/payments/card', { amount: 1 }, 'currency: is required.'],
    ['GET', '/payments/card?page=2', undefined, 'querystring: has an unknown property.'],
    ['POST', '/payments/card/encryption-keys', {}, 'This operation has no request body.'],
  ])('%s %s with %j: the message says what is wrong', async (method, path, body, message) => {
    const reply = await call(method, path, { body });
    expect(errorOf(reply)).toEqual([400, 'invalid_request']);
    expect(reply.body.error.message).toContain(message);
  });

  test('no answer may be cached or sniffed', async () => {
    for (const reply of [
      await call('GET', '/payments/card'),
      await call('GET', '/nowhere'),
      await call('GET', '/nowhere', { secretKey: null }),
      await call('GET', '/%zz'), // cannot be decoded
      await call('GET', '/%zz', { secretKey: null }),
    ]) {
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
  });
});
