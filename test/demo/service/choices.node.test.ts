import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { ERRORS } from '../../../demo/service/errors.ts';
import { DECLINED_NUMBERS } from '../../../demo/service/processor/decision.ts';
import {
  type CardPaymentIntent,
  type EncryptedCardBlock,
  STATUSES,
} from '../../../demo/service/schemas.ts';
import {
  CARD,
  errorOf,
  layoutOf,
  NOON,
  plaintextOf,
  seal,
  sealText,
  startService,
} from '../../tools/support/card-payment-service.ts';

// What the specification calls "not shown": each test is a row of the table in demo/README.md.

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

  test('authorize in a wrong state leaves the encryption key unused', async () => {
    const key = await requestKey();
    await authorize((await pay()).id, seal(key));
    expect((await authorize((await create()).id, seal(key))).body.status).toBe('committed');
  });

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

  test('cancel takes a reason out of a list and keeps it', async () => {
    const { id } = await create();
    expect(errorOf(await post(id, 'cancel', { cancellation_reason: 'weather' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect((await post(id, 'cancel', { cancellation_reason: 'duplicate' })).body).toMatchObject({
      ...{
        status: 'cancelled',
        cancellation_reason: 'duplicate',
        status_at: NOON,
        amount_captured: 0,
      },
    });
  });

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
  test.each(['AUD', 'CAD', 'CHF', 'EUR', 'GBP', 'JPY', 'USD'] as const)(
    'currency %s',
    async (currency) => {
      expect((await create({ currency })).currency).toBe(currency);
    },
  );

  const full = { k: 'v'.repeat(500) };
  test.each([
    ['amount', 1, 99_999_999],
    ['description', '', 'd'.repeat(500)],
    ['statement_descriptor', 'S', 'S'.repeat(22)],
    [
      'metadata',
      {},
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`.padStart(40, 'k'), full.k])),
    ],
  ])('%s: the least and the most', async (field, least, most) => {
    for (const value of [least, most])
      expect(await create({ [field]: value })).toMatchObject({ [field]: value });
  });

  test.each(['description', 'statement_descriptor'])('%s: null is its default', async (field) => {
    expect(await create({ [field]: null })).toMatchObject({ [field]: null });
  });

  test.each([
    ['amount', 0],
    ['amount', 100_000_000],
    ['currency', 'usd'],
    ['currency', 'XXX'],
    ['currency', 'US'],
    ['description', 'd'.repeat(501)],
    ['statement_descriptor', ''],
    ['statement_descriptor', 'S'.repeat(23)],
    ['metadata', []],
    ['metadata', { order: 7 }],
    ['metadata', { '': 'x' }],
    ['metadata', { ['k'.repeat(41)]: 'x' }],
    ['metadata', { k: 'v'.repeat(501) }],
    ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']))],
  ])('%s: %j is refused and named', async (field, value) => {
    const reply = await call('POST', '/payments/card', {
      body: { amount: 1000, currency: 'USD', [field]: value },
    });
    expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
  });

  test('livemode is no field of the body: it follows from the key', async () => {
    const reply = await call('POST', '/payments/card', {
      body: { amount: 1000, currency: 'USD', livemode: true },
    });
    expect(errorOf(reply)).toEqual([400, 'invalid_request']);
  });
});

describe('reading', () => {
  test('an intent is read as it was last answered', async () => {
    const intent = await pay({}, { description: 'Tea', metadata: { order: '7' } });
    expect((await call('GET', `/payments/card/${intent.id}`)).body).toEqual(intent);
  });

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

  test.each(['limit=0', 'limit=101', 'limit=ten', 'page=2'])(
    'a list with ?%s is refused',
    async (query) => {
      expect(errorOf(await call('GET', `/payments/card?${query}`))).toEqual([
        400,
        'invalid_request',
      ]);
    },
  );

  test('a list after an intent of another account is as one after none', async () => {
    const { id } = await create({}, { secretKey: ACCOUNTS[1].secretKey });
    for (const after of [id, 'pi_card_0']) {
      expect(errorOf(await call('GET', `/payments/card?starting_after=${after}`))).toEqual([
        404,
        'intent_not_found',
      ]);
    }
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

  test.each(['commit', 'cancel'])('%s takes one, too', async (operation) => {
    const { id } = await pay({}, { capture_method: 'manual' });
    const headers = fresh();
    const first = await post(id, operation, undefined, headers);
    expect(first.status).toBe(200);
    expect((await post(id, operation, undefined, headers)).text).toBe(first.text);
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

  test('another body, another path: 422 idempotency_key_reused', async () => {
    const headers = fresh();
    const first = await create({}, { headers });
    const reused = [422, 'idempotency_key_reused'];
    expect(
      errorOf(
        await call('POST', '/payments/card', { body: { amount: 1001, currency: 'USD' }, headers }),
      ),
    ).toEqual(reused);
    expect(errorOf(await post(first.id, 'cancel', undefined, headers))).toEqual(reused);
    expect(await create({}, { headers })).toEqual(first);
  });

  test('each account has its own', async () => {
    const headers = fresh();
    const first = await create({}, { headers });
    expect((await create({}, { headers, secretKey: ACCOUNTS[1].secretKey })).id).not.toBe(first.id);
  });

  test('a request that fails authentication or validation leaves the key free', async () => {
    const headers = fresh();
    await call('POST', '/payments/card', {
      body: { amount: 1, currency: 'USD' },
      headers,
      secretKey: null,
    });
    await call('POST', '/payments/card', { body: { amount: 0, currency: 'USD' }, headers });
    expect((await create({ amount: 2 }, { headers })).amount).toBe(2);
  });

  test('a conflict leaves the key free: the same request is processed again', async () => {
    const { id } = await create({ capture_method: 'manual' });
    const headers = fresh();
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

  test.each(['', 'k'.repeat(256)])('has 1 to 255 characters: "%s" is refused', async (key) => {
    const reply = await call('POST', '/payments/card', {
      body: { amount: 1, currency: 'USD' },
      headers: { 'idempotency-key': key },
    });
    expect([...errorOf(reply), reply.body.error.param]).toEqual([
      400,
      'invalid_request',
      'idempotency-key',
    ]);
  });

  test('has no effect on encryption keys: every request gets a fresh one', async () => {
    const headers = fresh();
    expect((await requestKey({ headers })).id).not.toBe((await requestKey({ headers })).id);
  });
});

describe('encryption keys', () => {
  test('the id of an expired key is forgotten a day after its expiry', async () => {
    const key = await requestKey();
    const { id } = await create();
    service.time.now = key.expires_at + 24 * 60 * 60 * 1000 + 1;
    expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'unknown_encryption_key']);
    service.time.now = NOON;
  });

  test('a used key that has expired is expired', async () => {
    const key = await requestKey();
    await authorize((await create()).id, seal(key));
    const { id } = await create();
    service.time.now = key.expires_at + 1;
    expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'encryption_key_expired']);
    service.time.now = NOON;
  });

  test('a key is expired by its own instant, also when the clock was set back while keys were issued', async () => {
    await requestKey();
    service.time.now = NOON - 60_000;
    const key = await requestKey();
    service.time.now = key.expires_at + 1;
    const reply = await authorize((await create()).id, seal(key));
    service.time.now = NOON;
    expect(errorOf(reply)).toEqual([422, 'encryption_key_expired']);
  });
});

describe('test cards', () => {
  test.each(Object.entries(DECLINED_NUMBERS))(
    '%s is declined: %s',
    async (number, failure_reason) => {
      expect(await pay({ number })).toMatchObject({
        status: 'failed',
        failure_reason,
        processor_ref: expect.any(String),
      });
    },
  );

  test.each([
    [
      '2026-06, to the last millisecond of the month at UTC-12',
      '06',
      '2026',
      Date.UTC(2026, 6, 1, 12) - 1,
      'committed',
    ],
    ['2026-06, from the next on', '06', '2026', Date.UTC(2026, 6, 1, 12), 'failed'],
    ['2025-12 in 2026-01', '12', '2025', Date.UTC(2026, 0, 15), 'failed'],
    ['2027-01 in 2026-12', '01', '2027', Date.UTC(2026, 11, 15), 'committed'],
  ])('a past date is declined as expired_card: %s', async (_, exp_month, exp_year, now, status) => {
    const { app, time, pay } = startService();
    time.now = now;
    const intent = await pay({ ...CARD, exp_month, exp_year });
    await app.close();
    expect([intent.status, intent.failure_reason]).toEqual([
      status,
      status === 'failed' ? 'expired_card' : null,
    ]);
  });
});

describe('a card that cannot be, in a block that decrypts and fits its layout, is declined', () => {
  const cut = (pan: number) => {
    const layout = layoutOf();
    layout[0]!.len += pan;
    layout[1]!.len -= pan;
    return layout;
  };

  test.each<[string, Partial<typeof CARD>, EncryptedCardBlock['layout'] | undefined, string]>([
    ['a wrong check digit', { number: '4242424242424241' }, undefined, 'incorrect_number'],
    ['digits of the number moved to the name', {}, cut(-3), 'incorrect_number'],
    ['month 13', { exp_month: '13' }, undefined, 'invalid_expiry_month'],
    ['month 00', { exp_month: '00' }, undefined, 'invalid_expiry_month'],
    [
      'month 13 of a past year',
      { exp_month: '13', exp_year: '1999' },
      undefined,
      'invalid_expiry_month',
    ],
  ])('%s', async (_, fields, layout, failure_reason) => {
    const card = { ...CARD, ...fields };
    const { id } = await create();
    const block = sealText(await requestKey(), plaintextOf(card), layout ?? layoutOf(card));
    expect((await authorize(id, block)).body).toMatchObject({
      status: 'failed',
      failure_reason,
      processor_ref: expect.any(String),
      payment_method: null,
      amount_captured: 0,
    });
  });
});

describe('JSON with a property twice', () => {
  const send = async (payload: string) => {
    const { statusCode, payload: text } = await service.app.inject({
      method: 'POST',
      url: '/payments/card',
      payload,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ACCOUNTS[0].secretKey}`,
      },
    });
    return { statusCode, text };
  };

  test.each([
    ['at the top', '{"amount":1000,"currency":"USD","amount":9}'],
    ['written in another way', '{"amount":1000,"currency":"USD","\\u0061mount":9}'],
    ['with the same value', '{"amount":1000,"currency":"USD","amount":1000}'],
    ['further inside', '{"amount":1000,"currency":"USD","metadata":{"a":"1","a":"2"}}'],
  ])('%s: 400 invalid_json', async (_, payload) => {
    const { statusCode, text } = await send(payload);
    expect([statusCode, JSON.parse(text).error.code]).toEqual([400, 'invalid_json']);
  });

  test('the same name in two objects, and colons, quotes and backslashes in strings, are none', async () => {
    const metadata = { description: ':', a: '":{"b":', c: '\\', 'd:': '\\":' };
    const body = JSON.stringify({ amount: 1000, currency: 'USD', description: ':"a":', metadata });
    const { statusCode, text } = await send(body);
    expect([statusCode, JSON.parse(text).metadata]).toEqual([201, metadata]);
  });

  test('what is nested deeper than the stack is a refused body like any other', async () => {
    const { statusCode } = await send(`{"amount":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    expect(statusCode).toBe(400);
  });
});

describe('errors', () => {
  test('have one envelope: { error: { code, message, param? } } and the message of the code', async () => {
    const { body } = await call('GET', '/payments/card/pi_card_0');
    expect(body).toEqual({
      error: { code: 'intent_not_found', message: ERRORS.intent_not_found[1] },
    });
  });

  test('are in the description of the API, every code', async () => {
    const description = await service.app.inject('/openapi.json');
    expect(description.statusCode).toBe(200);
    const { code } = description.json().components.schemas.Error.properties.error.properties;
    expect(code.enum).toEqual(Object.keys(ERRORS));
  });

  test('a failure of the service is 500 internal_error without a word of its cause, and the next request is answered', async () => {
    const generateKeyPair = vi.fn(() => Promise.reject(new Error('secret cause')));
    const { app, call, requestKey } = startService({ generateKeyPair });
    const reply = await call('POST', '/payments/card/encryption-keys');
    expect(errorOf(reply)).toEqual([500, 'internal_error']);
    expect(reply.text).not.toContain('secret cause');
    const { recycledKeyPair } = await import('../../tools/support/card-payment-service.ts');
    generateKeyPair.mockImplementation(recycledKeyPair as never);
    for (let i = 0; i < 5; i++) await call('POST', '/payments/card/encryption-keys'); // those that were being made when it failed
    expect((await requestKey()).id).toMatch(/^cek_/);
    await app.close();
  });

  test('a path that cannot be decoded is 400, but not before the credential; an id that is too long is unknown', async () => {
    expect(errorOf(await call('GET', '/%zz'))).toEqual([400, 'invalid_request']);
    expect(errorOf(await call('GET', '/%zz', { secretKey: null }))).toEqual([
      401,
      'authentication_required',
    ]);
    expect(errorOf(await call('GET', `/payments/card/pi_card_${'0'.repeat(200)}`))).toEqual([
      404,
      'intent_not_found',
    ]);
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

describe('demo/README.md', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../demo/README.md'), 'utf8');

  test.each(Object.entries(ERRORS))('has the error %s with its status', (code, [status]) => {
    const rows = readme.split('\n').filter((line) => line.includes(`\`${code}\``));
    expect(rows.some((line) => line.includes(String(status)))).toBe(true);
  });

  test.each(Object.entries(DECLINED_NUMBERS))('has the test card %s: %s', (number, reason) => {
    expect(readme).toContain(
      `| ${(number.match(/..../g) ?? []).join(' ')} | declined, \`${reason}\` |`,
    );
  });

  test.each(ACCOUNTS)('has the account $id', ({ id, secretKey }) => {
    expect(readme).toContain(`| \`${id}\` | \`${secretKey}\` |`);
  });
});
