/** The controls of the sandbox: faults, clock, reset, what has happened, and who may use them. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import type { SandboxState } from '../../../demo/service/schemas.ts';
import { CARD, errorOf, NOON, seal, startService } from '../../support/card-payment-service.ts';

const HOUR = 60 * 60 * 1000;
const service = startService();
const { app, call, create, requestKey, authorize, pay } = service;
beforeEach(() => app.sandbox.reset());
afterAll(() => app.close());

/** Without a secret key. */
const control = async (path: string, body?: object) => {
  const reply = await call(body ? 'POST' : 'GET', path, { secretKey: null, body });
  return { ...reply, state: reply.body as unknown as SandboxState };
};
const state = async () => (await control('/sandbox')).state;
const reset = () => call('POST', '/sandbox/reset', { secretKey: null });

describe('what has happened', () => {
  test('payments of all accounts, newest first, with their steps', async () => {
    service.time.now = NOON;
    const { id } = await create({ amount: 1000, capture_method: 'manual' });
    service.time.now += 1000;
    await authorize(id, seal(await requestKey()));
    service.time.now += 1000;
    await call('POST', `/payments/card/${id}/commit`);
    await call('POST', `/payments/card/${id}/refund`, { body: { amount: 300 } });
    service.time.now += 1000;
    const other = await create({}, { secretKey: ACCOUNTS[1].liveSecretKey });
    const { payments } = await state();
    expect(payments).toEqual([
      {
        account: 'acct_teahouse (live)',
        intent: other,
        steps: [{ what: 'created', at: NOON + 3000 }],
      },
      {
        account: 'acct_bookshop',
        intent: (await call('GET', `/payments/card/${id}`)).body,
        steps: [
          { what: 'created', at: NOON },
          { what: 'authorized', at: NOON + 1000 },
          { what: 'committed', at: NOON + 2000 },
          { what: 'refunded', at: NOON + 2000 },
        ],
      },
    ]);
    service.time.now = NOON;
  });

  test('requests, newest first, with code and reason, and nothing of a card', async () => {
    const { id } = await create();
    await authorize(id, { ...seal(await requestKey()), layout: [] });
    await call('POST', '/payments/card', { body: { amount: 0, currency: CARD.number } });
    await call('GET', '/nowhere');
    const { requests } = await state();
    expect(
      requests.map(({ method, route, status, code }) => [method, route, status, code]),
    ).toEqual([
      ['GET', 'unknown', 404, 'not_found'],
      ['POST', '/payments/card', 400, 'invalid_request'],
      ['POST', '/payments/card/:id/authorize', 422, 'invalid_encryption_block'],
      ['POST', '/payments/card/encryption-keys', 201, null],
      ['POST', '/payments/card', 201, null],
    ]);
    expect(requests[2]!.reason).toContain('The layout has 0 entries');
    expect(requests[1]!.reason).toContain('amount: must be');
    expect(JSON.stringify(requests)).not.toContain(CARD.number);
  });

  test('keeps the last 200 requests and 50 payments', async () => {
    for (let i = 0; i < 210; i++) await create();
    const { requests, payments } = await state();
    expect([requests.length, payments.length]).toEqual([200, 50]);
  });
});

describe('faults', () => {
  const once = { operation: 'authorize', fault: 'after-404', times: 1 };

  test('are switched on and off; the state says what is on', async () => {
    expect((await control('/sandbox/faults', once)).state.faults).toEqual({
      keys: null,
      create: null,
      authorize: { fault: 'after-404', times: 1, slow_ms: 60_000 },
    });
    const keys = { operation: 'keys', fault: 'after-slow', slow_ms: 5 };
    expect((await control('/sandbox/faults', keys)).state.faults.keys).toEqual({
      fault: 'after-slow',
      times: null,
      slow_ms: 5,
    });
    const off = { operation: 'authorize', fault: null };
    expect((await control('/sandbox/faults', off)).state.faults.authorize).toBeNull();
  });

  test('are used up, and each is in the list of requests', async () => {
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    await control('/sandbox/faults', once);
    const path = `/payments/card/${(await create()).id}/authorize`;
    const authorizeOverHttp = async () => {
      const headers = {
        authorization: `Bearer ${ACCOUNTS[0].secretKey}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify(seal(await requestKey()));
      return (await fetch(address + path, { method: 'POST', headers, body })).status;
    };
    expect([await authorizeOverHttp(), await authorizeOverHttp()]).toEqual([404, 409]);
    const { faults, requests } = await state();
    expect(faults.authorize).toBeNull();
    expect(requests.filter(({ fault }) => fault)).toMatchObject([
      { route: '/payments/card/:id/authorize', fault: 'after-404' },
    ]);
  });

  test.each([
    { operation: 'authorize', fault: 'after-4O4' },
    { operation: 'authorize', fault: 'after-other-scheme' },
    { operation: 'keys', fault: 'after-key-expired' },
    { operation: 'refund', fault: 'after-404' },
    { operation: 'authorize', fault: 'after-404', times: 0 },
    { operation: 'authorize' },
    {},
  ])('%j is refused, and nothing changes', async (body) => {
    expect(errorOf(await control('/sandbox/faults', body))).toEqual([400, 'invalid_request']);
    expect((await state()).faults).toEqual({ keys: null, create: null, authorize: null });
  });
});

describe('the clock', () => {
  test('moves on: a key expires, and its id is forgotten a day later', async () => {
    const key = await requestKey();
    const { id } = await create();
    const moved = await control('/sandbox/clock', { advance_ms: HOUR });
    expect(moved.state).toMatchObject({ now: NOON + HOUR, ahead_ms: HOUR });
    expect(errorOf(await authorize(id, seal(key)))[1]).toBe('encryption_key_expired');
    await control('/sandbox/clock', { advance_ms: 24 * HOUR });
    expect(errorOf(await authorize(id, seal(key)))[1]).toBe('unknown_encryption_key');
    expect((await create()).created).toBe(NOON + 25 * HOUR);
  });

  test('ends the 24 hours of an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'a day' };
    const { id } = await create({}, { headers });
    await control('/sandbox/clock', { advance_ms: 24 * HOUR });
    expect((await create({}, { headers })).id).toBe(id);
    await control('/sandbox/clock', { advance_ms: 1 });
    expect((await create({}, { headers })).id).not.toBe(id);
  });

  test('is put right again; what has expired stays so', async () => {
    const key = await requestKey();
    await control('/sandbox/clock', { advance_ms: HOUR });
    await requestKey();
    expect((await control('/sandbox/clock', { ahead_ms: 0 })).state.now).toBe(NOON);
    const { id } = await create();
    expect(errorOf(await authorize(id, seal(key)))[1]).toBe('encryption_key_expired');
    expect((await pay()).status).toBe('committed');
  });

  test('is set back: an Idempotency-Key of the future does not keep an old one alive', async () => {
    await control('/sandbox/clock', { ahead_ms: 480 * HOUR });
    await create({}, { headers: { 'idempotency-key': 'of a later day' } });
    await control('/sandbox/clock', { ahead_ms: 0 });
    const headers = { 'idempotency-key': 'of this day' };
    const { id } = await create({}, { headers });
    await control('/sandbox/clock', { ahead_ms: 25 * HOUR });
    expect((await create({}, { headers })).id).not.toBe(id);
  });

  test('is set back: an Idempotency-Key of the future is still one', async () => {
    const headers = { 'idempotency-key': 'of the future' };
    await control('/sandbox/clock', { ahead_ms: 48 * HOUR });
    const { id } = await create({}, { headers });
    await control('/sandbox/clock', { ahead_ms: 0 });
    await create({}, { headers: { 'idempotency-key': 'of today' } });
    expect((await create({}, { headers })).id).toBe(id);
  });

  test.each([
    {},
    { advance_ms: -1 },
    { advance_ms: 1.5 },
    { advance_ms: 1, ahead_ms: 0 },
    { advance_ms: 1e15 },
    { now: 0 },
  ])('%j is refused', async (body) => {
    expect(errorOf(await control('/sandbox/clock', body))).toEqual([400, 'invalid_request']);
    expect((await state()).now).toBe(NOON);
  });
});

describe('reset', () => {
  test('forgets everything', async () => {
    const headers = { 'idempotency-key': 'before the reset' };
    const { id } = await create({}, { headers });
    const key = await requestKey();
    await control('/sandbox/clock', { advance_ms: HOUR });
    await control('/sandbox/faults', { operation: 'keys', fault: 'before-503' });
    expect((await reset()).status).toBe(200);
    expect(await state()).toMatchObject({
      now: NOON,
      payments: [],
      requests: [],
      faults: { keys: null, create: null, authorize: null },
    });
    expect(errorOf(await call('GET', `/payments/card/${id}`))[1]).toBe('intent_not_found');
    const next = await create({}, { headers });
    expect(next.id).not.toBe(id);
    expect(errorOf(await authorize(next.id, seal(key)))[1]).toBe('unknown_encryption_key');
  });

  test('an authorization that is under way ends in intent_not_found', async () => {
    const { id } = await create();
    const reply = authorize(id, seal(await requestKey()));
    await app.sandbox.reset();
    expect(errorOf(await reply)).toEqual([404, 'intent_not_found']);
    expect((await state()).payments).toEqual([]);
  });

  test('has no body', async () => {
    expect(errorOf(await control('/sandbox/reset', {}))).toEqual([400, 'invalid_request']);
  });
});

describe('other sites', () => {
  const ask = async (
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    target = app,
  ) => {
    const reply = await target.inject({ method, url, headers });
    const isJson = String(reply.headers['content-type']).startsWith('application/json');
    return [reply.statusCode, isJson ? reply.json().error?.code : undefined];
  };
  const ways = [
    ['GET', '/'],
    ['GET', '/sandbox'],
    ['GET', '/sandbox/events'],
    ['GET', '/sandbox/page.js'],
    ['POST', '/sandbox/reset'],
    ['POST', '/sandbox/faults'],
    ['POST', '/sandbox/clock'],
  ] as const;

  test.each(ways)('%s %s: another host is refused, as after DNS rebinding', async (method, url) => {
    for (const host of [
      'shop.example',
      'shop.example:3001',
      'localhost.example',
      '127.0.0.1.example',
      '192.0.2.7',
      '0.0.0.0',
      'a b',
    ])
      expect(await ask(method, url, { host })).toEqual([403, 'forbidden_host']);
  });

  test.each(ways)('%s %s: a request of another site is refused', async (method, url) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      { origin: 'https://shop.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000', host: 'localhost:3001' },
    ])
      expect(await ask(method, url, headers)).toEqual([403, 'cross_site_request']);
  });

  test('the names of this machine are allowed, and a link to the page', async () => {
    for (const host of [
      'localhost:3001',
      '127.0.0.1',
      '[::1]:3001',
      'sandbox.localhost',
      'LOCALHOST',
    ])
      expect(await ask('GET', '/sandbox', { host })).toEqual([200, undefined]);
    const site = { 'sec-fetch-site': 'cross-site' };
    const link = { ...site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await ask('GET', '/', link)).toEqual([200, undefined]);
    expect(await ask('GET', '/sandbox', link)).toEqual([403, 'cross_site_request']);
    const frame = { ...link, 'sec-fetch-dest': 'iframe' };
    expect(await ask('GET', '/', frame)).toEqual([403, 'cross_site_request']);
    const own = { host: 'localhost:3001', origin: 'http://localhost:3001' };
    expect(await ask('POST', '/sandbox/reset', own)).toEqual([200, undefined]);
  });

  test('another name or address only if the sandbox was told so', async () => {
    const open = startService({ allowedHosts: ['sandbox'], allowAddresses: true }).app;
    for (const host of ['sandbox:3001', '192.0.2.7:3001', '[2001:db8::1]'])
      expect(await ask('GET', '/sandbox', { host }, open)).toEqual([200, undefined]);
    expect(await ask('GET', '/sandbox', { host: 'shop.example' }, open)).toEqual([
      403,
      'forbidden_host',
    ]);
    await open.close();
  });

  test('no answer allows another origin or a frame', async () => {
    const { headers } = await app.inject('/');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(Object.keys(headers).join()).not.toContain('access-control');
  });
});
