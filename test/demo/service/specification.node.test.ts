import { createPublicKey, webcrypto } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { encryptCard } from '../../../src/core/index.ts';
import { CARD, errorOf, NOON, seal, startService } from '../../support/card-payment-service.ts';

// Each test is a sentence of the specification, by chapter; vectors.node.test.ts has the encryption
// procedure, and choices.node.test.ts what the specification does not show.

const service = startService();
const { call, create, requestKey, authorize, pay } = service;
afterAll(() => service.app.close());

const OTHER_ACCOUNT = { secretKey: ACCOUNTS[1].secretKey };

describe('What the service does', () => {
  test('2. A browser uses the key to encrypt the card fields. 3. The server authorizes by sending the block', async () => {
    const { id } = await create();
    const { expires_at: _, ...forwarded } = await requestKey();
    const reply = await authorize(id, await encryptCard(forwarded, { ...CARD }));
    expect([reply.status, reply.body.status]).toEqual([200, 'committed']);
  });

  test('4. The service accepts card data only in this encrypted form: a card instead of the block, beside it or in its layout is refused', async () => {
    const { id } = await create();
    const layout = [{ field: 'Pan', len: 16, value: CARD.number }];
    const block = { payload: 'AAAA', key_id: 'cek_', layout: [] };
    for (const body of [CARD, { ...block, ...CARD }, { ...block, layout }])
      expect(errorOf(await authorize(id, body))).toEqual([400, 'invalid_request']);
  });

  test('7. The amount is fixed when the intent is created: no operation takes another one', async () => {
    const { id } = await create({ amount: 1000, capture_method: 'manual' });
    const block = seal(await requestKey());
    const refused = [400, 'invalid_request'];
    expect(errorOf(await authorize(id, { ...block, amount: 1 }))).toEqual(refused);
    expect((await authorize(id, block)).body.amount).toBe(1000);
    const commit = `/payments/card/${id}/commit`;
    expect(errorOf(await call('POST', commit, { body: { amount: 1 } }))).toEqual(refused);
    expect((await call('POST', commit)).body).toMatchObject({
      status: 'committed',
      amount: 1000,
      amount_captured: 1000,
    });
  });

  test('9. The browser never calls the API directly: no answer allows another origin', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const url = '/payments/card/encryption-keys';
    const preflight = await service.app.inject({ method: 'OPTIONS', url, headers });
    expect(preflight.statusCode).toBeGreaterThanOrEqual(400);
    const reply = await call('POST', url, { headers });
    for (const answer of [preflight.headers, reply.headers]) {
      expect(Object.keys(answer).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('Resources and their fields', () => {
  test('have the fields of the tables, in their order, and no others', async () => {
    expect(Object.keys(await create()).join()).toBe(
      'id,amount,amount_captured,amount_refunded,currency,status,status_at,processor_ref,' +
        'failure_reason,cancellation_reason,capture_method,payment_method,description,' +
        'statement_descriptor,metadata,created,updated,livemode',
    );
    const key = await requestKey();
    expect(Object.keys(key)).toEqual(['id', 'scheme', 'public_key', 'expires_at']);
    expect(key.id).toMatch(/^cek_./);
    expect((await create()).id).toMatch(/^pi_card_./);
    expect(key.scheme).toBe('RSA_OAEP_SHA256_V1');
  });

  test('payment_method: an object with `brand` and `last4`, built from the processor’s response', async () => {
    const BRANDS = {
      visa: ['4242424242424242', '4222222222222'],
      mastercard: ['5555555555554444', '2223003122003222'],
      amex: ['378282246310005'],
      discover: ['6011111111111117'],
      diners: ['3056930009020004', '36227206271667'],
      jcb: ['3566002020360505'],
      unionpay: ['6200000000000005'],
      maestro: ['6759649826438453'],
      unknown: ['9000000000000001'],
    };
    for (const [brand, numbers] of Object.entries(BRANDS)) {
      for (const number of numbers)
        expect((await pay({ number })).payment_method).toEqual({ brand, last4: number.slice(-4) });
    }
  });

  test('status_at, created, updated: Unix timestamps in milliseconds; the first changes with the status, the last whenever the intent does, also within one millisecond', async () => {
    const { id, ...first } = await create({ capture_method: 'manual' });
    expect(first).toMatchObject({ status_at: null, created: NOON, updated: NOON });
    const block = seal(await requestKey());
    await authorize(id, { ...block, key_id: 'cek_other' });
    expect((await call('GET', `/payments/card/${id}`)).body.updated).toBe(NOON); // nothing did
    const authorized = (await authorize(id, block)).body;
    service.time.now = NOON + 9;
    const committed = (await call('POST', `/payments/card/${id}/commit`)).body;
    const refunded = (await call('POST', `/payments/card/${id}/refund`)).body;
    service.time.now = NOON;
    expect(authorized).toMatchObject({ status_at: NOON, updated: NOON + 1 });
    expect(committed).toMatchObject({ status_at: NOON + 9, updated: NOON + 9 });
    expect(refunded).toMatchObject({ status_at: NOON + 9, updated: NOON + 10, created: NOON });
  });

  test('public_key: Base64 of a DER (SPKI) RSA public key, of 2048 bits, and each has a pair of its own', async () => {
    const { app, requestKey } = startService({
      freshKeys: true,
      generateKeyPair: undefined as never,
    });
    const keys = [await requestKey(), await requestKey()];
    await app.close();
    const der = Buffer.from(keys[0]!.public_key, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(key.export({ format: 'der', type: 'spki' })).toEqual(der);
    const details = { modulusLength: 2048, publicExponent: 65537n };
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails]).toEqual(['rsa', details]);
    expect(keys[1]!.public_key).not.toBe(keys[0]!.public_key);
  });

  test('expires_at: a Unix timestamp in milliseconds; after this instant the key is no longer accepted: encryption_key_expired, and unknown_encryption_key a day later', async () => {
    const at = async (afterExpiry: number) => {
      service.time.now = NOON;
      const key = await requestKey();
      expect(key.expires_at).toBe(NOON + 15 * 60 * 1000);
      const { id } = await create();
      service.time.now = key.expires_at + afterExpiry;
      return errorOf(await authorize(id, seal(key)));
    };
    const day = 24 * 60 * 60 * 1000;
    expect(await at(0)).toEqual([200, undefined]);
    for (const late of [1, day]) expect(await at(late)).toEqual([422, 'encryption_key_expired']);
    expect(await at(day + 1)).toEqual([422, 'unknown_encryption_key']);
    service.time.now = NOON;
  });
});

describe('Encryption procedure for scheme `RSA_OAEP_SHA256_V1`', () => {
  test.each<[string, Partial<typeof CARD>]>([
    ['number', { number: '424242424242424O' }],
    ['number', { number: '42424242426' }],
    ['number', { number: '42424242424242424242' }],
    ['name', { name: '' }],
    ['exp_month', { exp_month: '1a' }],
    ['exp_year', { exp_year: '20x0' }],
    ['cvv', { cvv: '12x' }],
  ])('a card whose %s breaks the limits does not match its layout: %j', async (_, change) => {
    const block = seal(await requestKey(), { ...CARD, ...change });
    const reply = await authorize((await create()).id, block);
    expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
  });
});

describe('States and transitions', () => {
  const nothing = { amount: 1000, amount_captured: 0, amount_refunded: 0, failure_reason: null };
  const processor_ref = expect.stringMatching(/^ref_\w{24}$/);
  const done = { ...nothing, status_at: NOON, processor_ref, cancellation_reason: null };
  const payment_method = { brand: 'visa', last4: '4242' };

  test('(none) → created', async () => {
    const more = { description: null, statement_descriptor: null, metadata: {}, livemode: false };
    const created = { ...nothing, ...more, status: 'created', capture_method: 'automatic' };
    expect(await create()).toMatchObject({ ...created, processor_ref: null, payment_method: null });
  });

  test('created → committed: capture_method is `automatic` and the card is approved', async () => {
    const paid = { ...done, status: 'committed', amount_captured: 1000, payment_method };
    expect(await pay()).toMatchObject(paid);
  });

  test('created → authorized: capture_method is `manual` and the card is approved', async () => {
    const intent = await pay({}, { capture_method: 'manual' });
    expect(intent).toMatchObject({ ...done, status: 'authorized', payment_method });
    expect((await call('GET', `/payments/card/${intent.id}`)).body).toEqual(intent);
  });

  test('created → failed: the card is declined, which is no error', async () => {
    const { id } = await create({ capture_method: 'manual' });
    const card = { ...CARD, number: '4000000000009995' };
    const { status, body } = await authorize(id, seal(await requestKey(), card));
    expect(status).toBe(200);
    const failure_reason = 'insufficient_funds';
    expect(body).toMatchObject({ ...done, status: 'failed', failure_reason, payment_method: null });
  });

  test.each([
    [undefined, 'requested_by_customer'],
    [{ cancellation_reason: 'duplicate' }, 'duplicate'],
  ])(
    'created → cancelled, and the intent carries a cancellation_reason: %j',
    async (body, cancellation_reason) => {
      const { id } = await create();
      const cancelled = { ...nothing, status: 'cancelled', status_at: NOON, cancellation_reason };
      const reply = await call('POST', `/payments/card/${id}/cancel`, { body });
      expect(reply.body).toMatchObject(cancelled);
    },
  );
});

describe('Endpoints', () => {
  test('All requests and responses are JSON: no other body is read', async () => {
    const json = 'application/json; charset=utf-8';
    expect((await call('GET', '/payments/card')).headers['content-type']).toBe(json);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const body = { amount: 1, currency: 'USD' };
      const reply = await call('POST', '/payments/card', {
        body,
        headers: { 'content-type': type },
      });
      expect(errorOf(reply)).toEqual([415, 'unsupported_media_type']);
      expect(reply.headers['content-type']).toBe(json);
    }
  });

  test('POST /payments/card/encryption-keys: 201 Created; request body: none, one is refused', async () => {
    const url = '/payments/card/encryption-keys';
    const headers = { 'content-type': 'application/json' };
    expect((await call('POST', url, { headers })).status).toBe(201);
    expect(errorOf(await call('POST', url, { body: CARD }))).toEqual([400, 'invalid_request']);
  });

  test('POST /payments/card: 201 Created; amount and currency are required', async () => {
    const body = { amount: 1, currency: 'USD' };
    expect((await call('POST', '/payments/card', { body })).status).toBe(201);
    for (const field of ['amount', 'currency']) {
      const reply = await call('POST', '/payments/card', { body: { ...body, [field]: undefined } });
      expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
    }
  });
});

describe('Authentication', () => {
  test.each([
    ['GET', '/nowhere'],
    ['GET', '/payments/card'],
    ['GET', '/payments/card/pi_card_0'],
    ['POST', '/payments/card'],
    ['POST', '/payments/card/encryption-keys'],
    ...['authorize', 'commit', 'cancel', 'refund'].map(
      (operation) => ['POST', `/payments/card/pi_card_0/${operation}`] as const,
    ),
  ] as const)('1. Every request sends the secret key: %s %s', async (method, url) => {
    const anonymous = await call(method, url, { secretKey: null });
    expect(errorOf(anonymous)).toEqual([401, 'authentication_required']);
    const stranger = await call(method, url, { secretKey: 'sk_test_of_nobody' });
    expect(errorOf(stranger)).toEqual([401, 'invalid_api_key']);
  });

  test('1. `Authorization: Bearer <API_KEY>`: nothing else is that', async () => {
    const { secretKey } = ACCOUNTS[0];
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${secretKey}`,
      secretKey,
      `Bearer ${secretKey} x`,
    ]) {
      const reply = await call('GET', '/payments/card', { headers: { authorization } });
      expect(errorOf(reply)).toEqual([401, 'authentication_required']);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('2. test-mode keys begin with `sk_test_` and live-mode keys with `sk_live_`; the mode is that of what they create', async () => {
    for (const { secretKey, liveSecretKey } of ACCOUNTS) {
      expect([secretKey, liveSecretKey].join()).toMatch(/^sk_test_\w+,sk_live_\w+$/);
      expect((await create({}, { secretKey })).livemode).toBe(false);
      expect((await create({}, { secretKey: liveSecretKey })).livemode).toBe(true);
    }
  });

  test('2. the modes of an account share neither intents nor encryption keys', async () => {
    const live = { secretKey: ACCOUNTS[0].liveSecretKey };
    const { id } = await create({}, live);
    expect(errorOf(await call('GET', `/payments/card/${id}`))).toEqual([404, 'intent_not_found']);
    const block = seal(await requestKey());
    expect(errorOf(await authorize(id, block, live))).toEqual([422, 'unknown_encryption_key']);
    const liveBlock = seal(await requestKey(live));
    expect((await authorize(id, liveBlock, live)).body).toMatchObject({
      status: 'committed',
      livemode: true,
    });
  });

  test.each([
    ['192.0.2.7', 'localhost'],
    ['127.0.0.1', 'sandbox.example'],
    ['::ffff:192.0.2.7', '127.0.0.1:3001'],
  ])(
    '2. a live-mode key of %s by the name %s is refused: it works on the loopback interface only',
    async (remoteAddress, host) => {
      const statusOf = async (secretKey: string) => {
        const headers = { authorization: `Bearer ${secretKey}`, host };
        const request = { method: 'GET', url: '/payments/card', headers, remoteAddress } as const;
        return (await service.app.inject(request)).statusCode;
      };
      const { secretKey, liveSecretKey } = ACCOUNTS[0];
      expect([await statusOf(secretKey), await statusOf(liveSecretKey)]).toEqual([200, 401]);
    },
  );
});

describe('Errors', () => {
  test('unknown_encryption_key: `key_id` does not exist or does not belong to the calling account, with one and the same answer', async () => {
    const foreign = seal(await requestKey(OTHER_ACCOUNT));
    const { key_id } = seal(await requestKey());
    const { id } = await create();
    const reply = await authorize(id, foreign);
    expect(errorOf(reply)).toEqual([422, 'unknown_encryption_key']);
    for (const unknown of ['', 'cek_', `${key_id} `, key_id.toUpperCase(), '__proto__', id])
      expect((await authorize(id, { ...foreign, key_id: unknown })).text).toBe(reply.text);
    const own = await create({}, OTHER_ACCOUNT);
    expect((await authorize(own.id, foreign, OTHER_ACCOUNT)).body.status).toBe('committed');
  });

  test('ownership comes before expiry, and expiry before decryption and layout', async () => {
    const [foreign, own] = [await requestKey(OTHER_ACCOUNT), await requestKey()];
    const { id } = await create();
    service.time.now = own.expires_at + 1;
    const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
    const replies = [
      await authorize(id, { ...seal(foreign), layout: [] }),
      await authorize(id, { ...seal(own), payload: 'x', layout: [] }),
    ];
    service.time.now = NOON;
    expect(replies.map(errorOf)).toEqual([
      [422, 'unknown_encryption_key'],
      [422, 'encryption_key_expired'],
    ]);
    expect(decrypt).not.toHaveBeenCalled();
    decrypt.mockRestore();
  });
});
