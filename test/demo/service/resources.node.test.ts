import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
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

// The chapter "Resources and their fields" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, requestKey, authorize, pay } = service;
afterAll(() => service.app.close());

describe('Card payment intent', () => {
  test('has the fields of the table, in its order, and no others', async () => {
    expect(Object.keys(await create())).toEqual([
      ...[
        'id',
        'amount',
        'amount_captured',
        'amount_refunded',
        'currency',
        'status',
        'status_at',
        'processor_ref',
        'failure_reason',
      ],
      ...[
        'cancellation_reason',
        'capture_method',
        'payment_method',
        'description',
        'statement_descriptor',
        'metadata',
        'created',
        'updated',
      ],
      'livemode',
    ]);
  });

  test('id: prefixed `pi_card_`, each its own', async () => {
    const ids = (await Promise.all(Array.from({ length: 50 }, () => create()))).map(({ id }) => id);
    expect(ids.every((id) => id.startsWith('pi_card_') && id.length > 'pi_card_'.length)).toBe(
      true,
    );
    expect(new Set(ids).size).toBe(50);
  });

  test('amount_captured: 0 until captured. Equals amount after an automatic successful authorization', async () => {
    expect((await create({ amount: 1234 })).amount_captured).toBe(0);
    expect((await pay({}, { amount: 1234, capture_method: 'manual' })).amount_captured).toBe(0);
    expect((await pay({}, { amount: 1234 })).amount_captured).toBe(1234);
  });

  test('amount_refunded: 0 in all shown responses', async () => {
    for (const intent of [await create(), await pay(), await pay({ number: '4000000000000002' })])
      expect(intent.amount_refunded).toBe(0);
  });

  test('status_at: null while the intent is in `created`. Set when the status changes, in milliseconds', async () => {
    const { id, status_at } = await create({ capture_method: 'manual' });
    expect(status_at).toBe(null);
    const block = seal(await requestKey());
    service.time.now = NOON + 5;
    expect((await authorize(id, block)).body.status_at).toBe(NOON + 5);
    service.time.now = NOON + 9;
    expect((await call('POST', `/payments/card/${id}/commit`)).body.status_at).toBe(NOON + 9);
    service.time.now = NOON;
  });

  test('processor_ref: null until the processor has handled the payment. Set on a committed intent', async () => {
    const { id, processor_ref } = await create();
    expect(processor_ref).toBe(null);
    await authorize(id, { ...seal(await requestKey()), key_id: 'cek_other' });
    expect((await call('GET', `/payments/card/${id}`)).body.processor_ref).toBe(null);
    expect((await authorize(id, seal(await requestKey()))).body.processor_ref).toMatch(
      /^ref_[0-9a-f]{24}$/,
    );
  });

  test('failure_reason: null unless the intent failed', async () => {
    for (const intent of [await create(), await pay(), await pay({}, { capture_method: 'manual' })])
      expect(intent.failure_reason).toBe(null);
    expect((await pay({ number: '4000000000000002' })).failure_reason).toBe('card_declined');
  });

  test('cancellation_reason: null unless the intent was cancelled', async () => {
    const intents = [await create(), await pay(), await pay({ number: '4000000000000002' })];
    for (const intent of intents) expect(intent.cancellation_reason).toBe(null);
    expect(
      (await call('POST', `/payments/card/${intents[0]!.id}/cancel`)).body.cancellation_reason,
    ).toBe('requested_by_customer');
  });

  test('capture_method: `automatic` (default) or `manual`', async () => {
    expect((await create()).capture_method).toBe('automatic');
    expect((await create({ capture_method: 'automatic' })).capture_method).toBe('automatic');
    expect((await create({ capture_method: 'manual' })).capture_method).toBe('manual');
    const reply = await call('POST', '/payments/card', {
      body: { amount: 1, currency: 'USD', capture_method: 'later' },
    });
    expect([...errorOf(reply), reply.body.error.param]).toEqual([
      400,
      'invalid_request',
      'capture_method',
    ]);
  });

  test('payment_method: null until authorization succeeds, and null on a failed intent', async () => {
    expect((await create()).payment_method).toBe(null);
    expect((await pay({ number: '4000000000000002' })).payment_method).toBe(null);
  });

  test.each([
    ['4242424242424242', 'visa', '4242'],
    ['4222222222222', 'visa', '2222'],
    ['5555555555554444', 'mastercard', '4444'],
    ['2223003122003222', 'mastercard', '3222'],
    ['378282246310005', 'amex', '0005'],
    ['6011111111111117', 'discover', '1117'],
    ['3056930009020004', 'diners', '0004'],
    ['36227206271667', 'diners', '1667'],
    ['3566002020360505', 'jcb', '0505'],
    ['6200000000000005', 'unionpay', '0005'],
    ['6759649826438453', 'maestro', '8453'],
    ['9000000000000001', 'unknown', '0001'],
  ])(
    'payment_method: an object with `brand` and `last4`, built from the processor’s response: %s',
    async (number, brand, last4) => {
      expect((await pay({ number })).payment_method).toEqual({ brand, last4 });
    },
  );

  test('description: free text supplied at creation. Default null', async () => {
    expect((await create()).description).toBe(null);
    expect((await create({ description: 'Zwölf Äpfel 🍏' })).description).toBe('Zwölf Äpfel 🍏');
  });

  test('statement_descriptor: default null. metadata: default `{}`', async () => {
    expect(await create()).toMatchObject({ statement_descriptor: null, metadata: {} });
  });

  test('created, updated: Unix timestamps in milliseconds. updated changes when the intent changes, also within one millisecond', async () => {
    const { id, created, updated } = await create({ capture_method: 'manual' });
    expect([created, updated]).toEqual([NOON, NOON]);
    const seen = [updated];
    seen.push((await authorize(id, seal(await requestKey()))).body.updated);
    seen.push((await call('POST', `/payments/card/${id}/commit`)).body.updated);
    service.time.now = NOON + 1000;
    const refunded = (await call('POST', `/payments/card/${id}/refund`)).body;
    service.time.now = NOON;
    expect(new Set([...seen, refunded.updated]).size).toBe(4);
    expect([refunded.created, refunded.updated]).toEqual([NOON, NOON + 1000]);
  });

  test('updated does not change when nothing does', async () => {
    const { id, updated } = await create();
    service.time.now = NOON + 1000;
    await authorize(id, { ...seal(await requestKey()), key_id: 'cek_other' });
    service.time.now = NOON;
    expect((await call('GET', `/payments/card/${id}`)).body.updated).toBe(updated);
  });

  test('livemode: false in every shown response', async () => {
    for (const intent of [await create(), await pay(), await pay({ number: '4000000000000002' })])
      expect(intent.livemode).toBe(false);
  });
});

describe('Card encryption key', () => {
  test('has the fields of the table, in its order, and no others', async () => {
    expect(Object.keys(await requestKey())).toEqual(['id', 'scheme', 'public_key', 'expires_at']);
  });

  test('id: prefixed `cek_`, each its own', async () => {
    const ids = (await Promise.all(Array.from({ length: 50 }, () => requestKey()))).map(
      ({ id }) => id,
    );
    expect(ids.every((id) => id.startsWith('cek_') && id.length > 'cek_'.length)).toBe(true);
    expect(new Set(ids).size).toBe(50);
  });

  test('scheme: the only value shown is `RSA_OAEP_SHA256_V1`', async () => {
    expect((await requestKey()).scheme).toBe('RSA_OAEP_SHA256_V1');
  });

  test.each([2048, 3072] as const)(
    'public_key: Base64 of a DER (SPKI) RSA public key, here of %i bits',
    async (keyBits) => {
      const { app, requestKey } = startService({ keyBits, generateKeyPair: undefined as never });
      const der = Buffer.from((await requestKey()).public_key, 'base64');
      await app.close();
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
      expect(key.export({ format: 'der', type: 'spki' })).toEqual(der);
      expect([key.asymmetricKeyType, key.asymmetricKeyDetails]).toEqual([
        'rsa',
        { modulusLength: keyBits, publicExponent: 65537n },
      ]);
    },
  );

  test('expires_at: a Unix timestamp in milliseconds; the lifetime is set on start, 15 minutes unless it is', async () => {
    expect((await requestKey()).expires_at).toBe(NOON + 15 * 60 * 1000);
    const brief = startService({ keyLifetimeMs: 1000 });
    expect((await brief.requestKey()).expires_at).toBe(NOON + 1000);
  });

  test('expires_at: after this instant the key is no longer accepted, and at this instant it still is', async () => {
    const keys = [await requestKey(), await requestKey()];
    const intents = [await create(), await create()];
    service.time.now = keys[0]!.expires_at;
    const atTheInstant = await authorize(intents[0]!.id, seal(keys[0]!));
    service.time.now += 1;
    const afterIt = await authorize(intents[1]!.id, seal(keys[1]!));
    service.time.now = NOON;
    expect([atTheInstant.status, afterIt.status]).toEqual([200, 422]);
  });
});

describe('Encrypted card block (request body of authorize)', () => {
  test.each(['payload', 'key_id', 'layout'] as const)('%s is required', async (field) => {
    const { [field]: _, ...incomplete } = seal(await requestKey());
    const reply = await authorize((await create()).id, incomplete);
    expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
  });

  test.each([
    ['payload is a string', 'payload', 5],
    ['key_id is a string', 'key_id', null],
    ['layout is an array', 'layout', { Pan: 16 }],
    ['layout is an array of objects', 'layout', ['Pan']],
    ['layout is an array of { field, len }', 'layout', [{ field: 'Pan' }]],
    ['len is an integer', 'layout', [{ field: 'Pan', len: 16.5 }]],
    ['len is an integer', 'layout', [{ field: 'Pan', len: '16' }]],
    ['field is a string', 'layout', [{ field: 1, len: 16 }]],
  ])('%s', async (_, field, value) => {
    const reply = await authorize((await create()).id, {
      ...seal(await requestKey()),
      [field]: value,
    });
    expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
  });

  test('`len` is the UTF-8 byte length of that field’s value, not its character count', async () => {
    const key = await requestKey();
    const layout = layoutOf();
    expect(layout[1]!.len).toBeGreaterThan(CARD.name.length);
    layout[1]!.len = CARD.name.length;
    const reply = await authorize((await create()).id, sealText(key, plaintextOf(), layout));
    expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
    expect((await pay()).status).toBe('committed');
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

  test('The plaintext is one UTF-8 string made by concatenating the fields: every card so sealed is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(cards, async (card) => {
        const { status, payment_method } = await pay(card);
        expect([status, payment_method?.last4]).toEqual(['committed', card.number.slice(-4)]);
      }),
      { numRuns: 60 },
    );
  });

  test('The entries appear in the same order as the fields in the plaintext: no other order and no other length is accepted', async () => {
    const places = fc.shuffledSubarray([0, 1, 2, 3, 4]);
    const change = fc.record({ place: fc.nat(4), more: fc.integer({ min: -500, max: 500 }) });
    await fc.assert(
      fc.asyncProperty(cards, places, change, async (card, places, { place, more }) => {
        const layout = places.map((from) => ({
          ...layoutOf(card)[from]!,
          len: layoutOf(card)[from]!.len + (from === place ? more : 0),
        }));
        fc.pre(JSON.stringify(layout) !== JSON.stringify(layoutOf(card)));
        const reply = await authorize(
          (await create()).id,
          sealText(await requestKey(), plaintextOf(card), layout),
        );
        expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
      }),
      { numRuns: 60 },
    );
  });

  test.each([2048, 3072, 4096] as const)(
    '1. RSA-OAEP is applied directly to the whole plaintext block: a full one with %i bits',
    async (keyBits) => {
      const { app, pay } = startService({ keyBits, generateKeyPair: undefined as never });
      const name = 'x'.repeat(keyBits / 8 - 66 - plaintextOf({ ...CARD, name: '' }).length);
      expect((await pay({ name })).status).toBe('committed');
      await app.close();
    },
  );

  test('5. The card is encrypted once: a second block under a key is refused, also after one that failed', async () => {
    const [good, bad] = [await requestKey(), await requestKey()];
    expect((await authorize((await create()).id, seal(good))).status).toBe(200);
    expect((await authorize((await create()).id, { ...seal(bad), layout: [] })).status).toBe(422);
    for (const key of [good, bad]) {
      expect(errorOf(await authorize((await create()).id, seal(key)))).toEqual([
        422,
        'encryption_key_used',
      ]);
    }
  });

  test('5. Each key belongs to a single checkout session: every key has a pair of its own', async () => {
    const { app, requestKey } = startService({ generateKeyPair: undefined as never });
    const keys = await Promise.all(Array.from({ length: 6 }, () => requestKey()));
    await app.close();
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(6);
  });
});

function luhnDigit(head: number[]): number {
  const sum = head
    .reverse()
    .reduce((sum, digit, i) => sum + (i % 2 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return (10 - (sum % 10)) % 10;
}
