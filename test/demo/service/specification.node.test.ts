import { createPublicKey, webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { encryptCard } from '../../../src/core/index.ts';
import {
  CARD,
  errorOf,
  layoutOf,
  NOON,
  plaintextOf,
  recycledKeyPair,
  seal,
  sealText,
  startService,
} from '../../tools/support/card-payment-service.ts';

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

  test('4. Decryption happens inside the processor’s boundary: not even there can the private key be exported', async () => {
    const { privateKey } = await recycledKeyPair();
    await expect(webcrypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow(
      'key is not extractable',
    );
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
    expect(key.scheme).toBe('RSA_OAEP_SHA256_V1');
  });

  test.each([
    ['pi_card_', create],
    ['cek_', requestKey],
  ])('id: prefixed `%s`, each its own', async (prefix, make) => {
    const made = await Promise.all(Array.from({ length: 50 }, () => make()));
    for (const { id } of made) expect(id).toMatch(new RegExp(`^${prefix}.`));
    expect(new Set(made.map(({ id }) => id)).size).toBe(50);
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
    const { app, requestKey } = startService({ generateKeyPair: undefined as never });
    const keys = [await requestKey(), await requestKey()];
    await app.close();
    const der = Buffer.from(keys[0]!.public_key, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(key.export({ format: 'der', type: 'spki' })).toEqual(der);
    const details = { modulusLength: 2048, publicExponent: 65537n };
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails]).toEqual(['rsa', details]);
    expect(keys[1]!.public_key).not.toBe(keys[0]!.public_key);
  });

  test('expires_at: a Unix timestamp in milliseconds; after this instant the key is no longer accepted, and at this instant it still is', async () => {
    const keys = [await requestKey(), await requestKey()];
    expect(keys[0]!.expires_at).toBe(NOON + 15 * 60 * 1000);
    const intents = [await create(), await create()];
    service.time.now = keys[0]!.expires_at;
    const atTheInstant = await authorize(intents[0]!.id, seal(keys[0]!));
    service.time.now += 1;
    const afterIt = await authorize(intents[1]!.id, seal(keys[1]!));
    service.time.now = NOON;
    expect([atTheInstant.status, afterIt.status]).toEqual([200, 422]);
    const brief = startService({ keyLifetimeMs: 1000 });
    expect((await brief.requestKey()).expires_at).toBe(NOON + 1000);
    await brief.app.close();
  });

  test.each<[field: string, values: unknown[]]>([
    ['payload', [undefined, 5]],
    ['key_id', [undefined, null]],
    [
      'layout',
      [
        undefined,
        { Pan: 16 },
        ['Pan'],
        [{ field: 'Pan' }],
        [{ field: 'Pan', len: 16.5 }],
        [{ field: 'Pan', len: '16' }],
        [{ field: 1, len: 16 }],
      ],
    ],
  ])('Encrypted card block: %s is required, and has its type', async (field, values) => {
    const block = seal(await requestKey());
    const { id } = await create();
    for (const value of values) {
      const reply = await authorize(id, { ...block, [field]: value });
      expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
    }
  });
});

describe('Encryption procedure for scheme `RSA_OAEP_SHA256_V1`', () => {
  const digits = (min: number, max: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max });
  const cards = fc.record({
    number: digits(11, 18).map((head) => head.join('') + luhnDigit(head)),
    name: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    exp_month: fc.integer({ min: 1, max: 12 }).map((month) => String(month).padStart(2, '0')),
    exp_year: fc.integer({ min: 2027, max: 9999 }).map(String),
    cvv: digits(3, 4).map((cvv) => cvv.join('')),
  });
  const changes = fc.record({
    order: fc.shuffledSubarray([0, 1, 2, 3, 4]),
    place: fc.nat(4),
    more: fc.integer({ min: -500, max: 500 }),
  });

  test('The plaintext is made by concatenating the fields, and the layout has their order and UTF-8 byte lengths: every card so sealed is accepted, and with no other layout', async () => {
    await fc.assert(
      fc.asyncProperty(cards, changes, async (card, { order, place, more }) => {
        const layout = order.map((from) => {
          const { field, len } = layoutOf(card)[from]!;
          return { field, len: from === place ? len + more : len };
        });
        fc.pre(JSON.stringify(layout) !== JSON.stringify(layoutOf(card)));
        const { id } = await create();
        const wrong = sealText(await requestKey(), plaintextOf(card), layout);
        expect(errorOf(await authorize(id, wrong))).toEqual([422, 'invalid_encryption_block']);
        const { status, payment_method } = (await authorize(id, seal(await requestKey(), card)))
          .body;
        expect([status, payment_method?.last4]).toEqual(['committed', card.number.slice(-4)]);
      }),
      { numRuns: 60 },
    );
  });

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
  const nothing = {
    amount: 1000,
    amount_captured: 0,
    amount_refunded: 0,
    currency: 'USD',
    status_at: null as number | null,
    processor_ref: null as unknown,
    failure_reason: null,
    cancellation_reason: null,
    payment_method: null,
    livemode: false,
  };
  const created = {
    ...nothing,
    status: 'created',
    capture_method: 'automatic',
    description: null,
    statement_descriptor: null,
    metadata: {},
  };
  const done = {
    ...nothing,
    status_at: NOON,
    processor_ref: expect.stringMatching(/^ref_\w{24}$/),
  };
  const payment_method = { brand: 'visa', last4: '4242' };

  test('(none) → created', async () => {
    expect(await create()).toMatchObject(created);
  });

  test('created → committed: capture_method is `automatic` and the card is approved', async () => {
    const paid = { status: 'committed', amount_captured: 1000, payment_method };
    expect(await pay()).toMatchObject({ ...done, ...paid });
  });

  test('created → authorized: capture_method is `manual` and the card is approved', async () => {
    const intent = await pay({}, { capture_method: 'manual' });
    expect(intent).toMatchObject({ ...done, status: 'authorized', payment_method });
    expect((await call('GET', `/payments/card/${intent.id}`)).body).toEqual(intent);
  });

  test.each(['automatic', 'manual'] as const)(
    'created → failed: the card is declined, which is no error, capture_method %s',
    async (capture_method) => {
      const { id } = await create({ capture_method });
      const card = { ...CARD, number: '4000000000009995' };
      const { status, body } = await authorize(id, seal(await requestKey(), card));
      expect(status).toBe(200);
      const failed = { status: 'failed', failure_reason: 'insufficient_funds' };
      expect(body).toMatchObject({ ...done, ...failed });
    },
  );

  test('cancellation exists, and the intent carries a cancellation_reason', async () => {
    const { id } = await create();
    const cancelled = { status: 'cancelled', cancellation_reason: 'requested_by_customer' };
    expect((await call('POST', `/payments/card/${id}/cancel`)).body).toMatchObject({
      ...nothing,
      ...cancelled,
      status_at: NOON,
    });
  });
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

  test('2. test-mode keys begin with `sk_test_` and live-mode keys with `sk_live_`: the sandbox has none of these', async () => {
    for (const { secretKey } of ACCOUNTS) {
      expect(secretKey).toMatch(/^sk_test_/);
      expect((await create({}, { secretKey })).livemode).toBe(false);
    }
    const secretKey = ACCOUNTS[0].secretKey.replace('sk_test_', 'sk_live_');
    const reply = await call('GET', '/payments/card', { secretKey });
    expect(errorOf(reply)).toEqual([401, 'invalid_api_key']);
  });
});

describe('Errors', () => {
  test('encryption_key_expired: `key_id` refers to a key past its `expires_at`, a day later, too', async () => {
    const key = await requestKey();
    const { id } = await create();
    for (const later of [1, 24 * 60 * 60 * 1000]) {
      service.time.now = key.expires_at + later;
      expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'encryption_key_expired']);
    }
    service.time.now = NOON;
  });

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

test('Versioning: the paths carry no version segment', async () => {
  await service.app.ready();
  const paths = Object.keys(service.app.swagger().paths ?? {});
  expect(paths).toContain('/payments/card/{id}/authorize');
  expect(paths.filter((path) => !path.startsWith('/payments/card'))).toEqual([]);
});

function luhnDigit(head: number[]): number {
  const sum = head
    .reverse()
    .reduce((sum, digit, i) => sum + (i % 2 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return (10 - (sum % 10)) % 10;
}
