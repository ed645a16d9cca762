import { createPublicKey, webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../demo/service/app.ts';
import type { EncryptedCardBlock } from '../../demo/service/schemas.ts';
import { encryptCard } from '../../src/index.ts';
import {
  CARD,
  layoutOf,
  NOON,
  plaintextOf,
  type Reply,
  recycledKeyPair,
  seal,
  sealText,
  startService,
} from '../support/card-payment-service.ts';

// Every test is a sentence of the specification, under its heading there. Every response is also held against /openapi.json.

vi.setConfig({ testTimeout: 60_000 }); // RSA keys of 4096 bits can take seconds to find

const service = startService();
const { call, create, requestKey, authorize, pay } = service;
afterAll(() => service.app.close());

const errorOf = ({ status, body }: Reply) => [status, body.error?.code];

describe('What the service does', () => {
  test('1. A server creates a draft intent that fixes an amount and a currency', async () => {
    expect(await create({ amount: 1000, currency: 'USD' })).toMatchObject({ amount: 1000, currency: 'USD', status: 'created' });
  });

  test.each(['number', 'cvv', 'card', 'payment_method', 'payload'])(
    '1. No card data is sent at this step: %s is refused',
    async (field) => {
      const reply = await call('POST', '/payments/card', { body: { amount: 1000, currency: 'USD', [field]: CARD.number } });
      expect(errorOf(reply)).toEqual([400, 'invalid_request']);
    },
  );

  test('2. A browser uses the key to encrypt the card fields. 3. The server authorizes by sending the block', async () => {
    const { id } = await create();
    const { expires_at: _, ...forwarded } = await requestKey();
    const reply = await authorize(id, await encryptCard(forwarded, { ...CARD }));
    expect([reply.status, reply.body.status]).toEqual([200, 'committed']);
  });

  test.each([
    ['instead of the block', CARD],
    ['beside the block', { payload: 'AAAA', key_id: 'cek_', layout: [], ...CARD }],
    ['in the layout', { payload: 'AAAA', key_id: 'cek_', layout: [{ field: 'Pan', len: 16, value: CARD.number }] }],
  ])('4. The service accepts card data only in this encrypted form: a card %s is refused', async (_, body) => {
    const { id } = await create();
    const reply = await authorize(id, body);
    expect(errorOf(reply)).toEqual([400, 'invalid_request']);
    expect(reply.text).not.toContain(CARD.number);
  });

  test('4. Decryption happens inside the processor’s boundary: not even there can the private key be exported', async () => {
    const { privateKey } = await recycledKeyPair();
    expect(privateKey.extractable).toBe(false);
    await expect(webcrypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow('key is not extractable');
  });

  test.each([10.5, '1000', 0, -1, null, Number.MAX_SAFE_INTEGER])(
    '5. Amounts are integers in the currency’s minor units: %j is refused',
    async (amount) => {
      const reply = await call('POST', '/payments/card', { body: { amount, currency: 'USD' } });
      expect(errorOf(reply)).toEqual([400, 'invalid_request']);
      expect(reply.body.error.param).toBe('amount');
    },
  );

  test('6. A decline is an outcome, not an error: 200 and the intent is in state `failed` with a reason', async () => {
    const { id } = await create();
    const reply = await authorize(id, seal(await requestKey(), { ...CARD, number: '4000000000009995' }));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'failed', failure_reason: 'insufficient_funds' });
  });

  test('7. The amount is fixed when the intent is created: no operation takes another one', async () => {
    const { id } = await create({ amount: 1000, capture_method: 'manual' });
    const block = seal(await requestKey());
    expect(errorOf(await authorize(id, { ...block, amount: 1 }))).toEqual([400, 'invalid_request']);
    expect((await authorize(id, block)).body.amount).toBe(1000);
    expect(errorOf(await call('POST', `/payments/card/${id}/commit`, { body: { amount: 1 } }))).toEqual([400, 'invalid_request']);
    expect((await call('POST', `/payments/card/${id}/commit`)).body).toMatchObject({ amount: 1000, amount_captured: 1000 });
  });

  test('7. To charge a different amount, cancel the intent and create a new one', async () => {
    const { id } = await create({ amount: 1000 });
    expect((await call('POST', `/payments/card/${id}/cancel`)).body.status).toBe('cancelled');
    expect(await pay({}, { amount: 1200 })).toMatchObject({ amount: 1200, amount_captured: 1200 });
  });

  test('8. The created state is deliberately separate from authorization: creating charges nothing, however long it lasts', async () => {
    const created = await create();
    service.time.now += 60 * 60 * 1000;
    expect((await call('GET', `/payments/card/${created.id}`)).body).toEqual(created);
    service.time.now = NOON;
  });

  test('9. The browser never calls the API directly: no answer allows another origin', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const preflight = await service.app.inject({ method: 'OPTIONS', url: '/payments/card/encryption-keys', headers });
    expect(preflight.statusCode).toBeGreaterThanOrEqual(400);
    const reply = await call('POST', '/payments/card/encryption-keys', { headers });
    for (const answer of [preflight.headers, reply.headers]) {
      expect(Object.keys(answer).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('Card payment intent', () => {
  test('has the fields of the table, in its order, and no others', async () => {
    expect(Object.keys(await create())).toEqual([
      ...['id', 'amount', 'amount_captured', 'amount_refunded', 'currency', 'status', 'status_at', 'processor_ref', 'failure_reason'],
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
    expect(ids.every((id) => id.startsWith('pi_card_') && id.length > 'pi_card_'.length)).toBe(true);
    expect(new Set(ids).size).toBe(50);
  });

  test('amount_captured: 0 until captured. Equals amount after an automatic successful authorization', async () => {
    expect((await create({ amount: 1234 })).amount_captured).toBe(0);
    expect((await pay({}, { amount: 1234, capture_method: 'manual' })).amount_captured).toBe(0);
    expect((await pay({}, { amount: 1234 })).amount_captured).toBe(1234);
  });

  test('amount_refunded: 0 in all shown responses', async () => {
    for (const intent of [await create(), await pay(), await pay({ number: '4000000000000002' })]) expect(intent.amount_refunded).toBe(0);
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
    expect((await authorize(id, seal(await requestKey()))).body.processor_ref).toMatch(/^ref_[0-9a-f]{24}$/);
  });

  test('failure_reason: null unless the intent failed', async () => {
    for (const intent of [await create(), await pay(), await pay({}, { capture_method: 'manual' })])
      expect(intent.failure_reason).toBe(null);
    expect((await pay({ number: '4000000000000002' })).failure_reason).toBe('card_declined');
  });

  test('cancellation_reason: null unless the intent was cancelled', async () => {
    const intents = [await create(), await pay(), await pay({ number: '4000000000000002' })];
    for (const intent of intents) expect(intent.cancellation_reason).toBe(null);
    expect((await call('POST', `/payments/card/${intents[0]!.id}/cancel`)).body.cancellation_reason).toBe('requested_by_customer');
  });

  test('capture_method: `automatic` (default) or `manual`', async () => {
    expect((await create()).capture_method).toBe('automatic');
    expect((await create({ capture_method: 'automatic' })).capture_method).toBe('automatic');
    expect((await create({ capture_method: 'manual' })).capture_method).toBe('manual');
    const reply = await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD', capture_method: 'later' } });
    expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', 'capture_method']);
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
  ])('payment_method: an object with `brand` and `last4`, built from the processor’s response: %s', async (number, brand, last4) => {
    expect((await pay({ number })).payment_method).toEqual({ brand, last4 });
  });

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
    for (const intent of [await create(), await pay(), await pay({ number: '4000000000000002' })]) expect(intent.livemode).toBe(false);
  });
});

describe('Card encryption key', () => {
  test('has the fields of the table, in its order, and no others', async () => {
    expect(Object.keys(await requestKey())).toEqual(['id', 'scheme', 'public_key', 'expires_at']);
  });

  test('id: prefixed `cek_`, each its own', async () => {
    const ids = (await Promise.all(Array.from({ length: 50 }, () => requestKey()))).map(({ id }) => id);
    expect(ids.every((id) => id.startsWith('cek_') && id.length > 'cek_'.length)).toBe(true);
    expect(new Set(ids).size).toBe(50);
  });

  test('scheme: the only value shown is `RSA_OAEP_SHA256_V1`', async () => {
    expect((await requestKey()).scheme).toBe('RSA_OAEP_SHA256_V1');
  });

  test.each([2048, 3072] as const)('public_key: Base64 of a DER (SPKI) RSA public key, here of %i bits', async (keyBits) => {
    const { app, requestKey } = startService({ keyBits, generateKeyPair: undefined as never });
    const der = Buffer.from((await requestKey()).public_key, 'base64');
    await app.close();
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(key.export({ format: 'der', type: 'spki' })).toEqual(der);
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails]).toEqual(['rsa', { modulusLength: keyBits, publicExponent: 65537n }]);
  });

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
    const reply = await authorize((await create()).id, { ...seal(await requestKey()), [field]: value });
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

/** Blocks under a valid key that cannot be decrypted, or whose layout does not match what is in them. */
type Layout = EncryptedCardBlock['layout'];
type Forge = (key: Parameters<typeof seal>[0]) => Promise<EncryptedCardBlock> | EncryptedCardBlock;
const withLayout = (change: (layout: Layout) => Layout): Forge => {
  return (key) => sealText(key, plaintextOf(), change(layoutOf()));
};
/** A layout with another field or more or fewer bytes in one place. */
const withEntry = (place: number, { field, more = 0 }: { field?: string; more?: number }): Forge =>
  withLayout((layout) => layout.map((entry, i) => (i === place ? { field: field ?? entry.field, len: entry.len + more } : entry)));
const withCard = (card: Partial<typeof CARD>): Forge => {
  return (key) => seal(key, { ...CARD, ...card });
};
const withPayload = (change: (payload: string) => string): Forge => {
  return (key) => {
    const block = seal(key);
    return { ...block, payload: change(block.payload) };
  };
};
const UNDECRYPTABLE: Record<string, Forge> = {
  'empty payload': withPayload(() => ''),
  'payload that is not Base64': withPayload((payload) => `!${payload.slice(1)}`),
  'payload with white space': withPayload((payload) => `${payload}\n`),
  'payload in base64url': withPayload((payload) => `-_${payload.slice(2)}`),
  'payload without its padding': withPayload((payload) => payload.replace(/=+$/, '')),
  'payload that is too short': withPayload((payload) => payload.slice(0, -4)),
  'payload that is too long': withPayload((payload) => `AAAA${payload}`),
  'payload with one bit turned': withPayload((payload) => {
    const bytes = Buffer.from(payload, 'base64');
    bytes[100]! ^= 1;
    return bytes.toString('base64');
  }),
  'payload of zeros': withPayload(() => Buffer.alloc(256).toString('base64')),
  'payload larger than the modulus': withPayload(() => Buffer.alloc(256, 0xff).toString('base64')),
  'use of the wrong public key': async (key) => ({ ...seal({ ...key, public_key: await otherPublicKey(key.public_key) }), key_id: key.id }),
  'another OAEP hash': async (key) => {
    const der = Buffer.from(key.public_key, 'base64');
    const sha1 = await webcrypto.subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-1' }, false, ['encrypt']);
    const ciphertext = await webcrypto.subtle.encrypt({ name: 'RSA-OAEP' }, sha1, Buffer.from(plaintextOf()));
    return { payload: Buffer.from(ciphertext).toString('base64'), key_id: key.id, layout: layoutOf() };
  },
};
const MISMATCHING: Record<string, Forge> = {
  'no layout entries': withLayout(() => []),
  'a layout entry missing': withLayout((layout) => layout.slice(0, 4)),
  'a layout entry too many': withLayout((layout) => [...layout, { field: 'Cvc', len: 0 }]),
  'a field twice': withEntry(2, { field: 'ExpYear' }),
  'two fields in the wrong order in the layout': withLayout(([pan, name, ...rest]) => [name!, pan!, ...rest]),
  'two fields in the wrong order in layout and plaintext': (key) => {
    const [pan, name, ...rest] = layoutOf();
    return sealText(key, CARD.name + CARD.number + CARD.exp_month + CARD.exp_year + CARD.cvv, [name!, pan!, ...rest]);
  },
  'a field by the client’s name': withEntry(0, { field: 'number' }),
  'a field in the wrong case': withEntry(0, { field: 'PAN' }),
  'a field named like a property of every object': withEntry(0, { field: '__proto__' }),
  'a byte too few': withEntry(1, { more: -1 }),
  'a byte too many': withEntry(1, { more: 1 }),
  'a byte moved from the name to the number': withLayout(([pan, name, ...rest]) => [
    { field: 'Pan', len: pan!.len + 1 },
    { field: 'Name', len: name!.len - 1 },
    ...rest,
  ]),
  'bytes moved from the number to the name, so that Luhn fails': withLayout(([pan, name, ...rest]) => [
    { field: 'Pan', len: pan!.len - 3 },
    { field: 'Name', len: name!.len + 3 },
    ...rest,
  ]),
  'lengths that add up with a negative one': withLayout(([pan, name, month, year, cvc]) => [
    pan!,
    name!,
    { ...month!, len: -2 },
    { ...year!, len: 8 },
    cvc!,
  ]),
  'a length beyond all bounds': withEntry(1, { more: Number.MAX_VALUE }),
  'a plaintext that goes on after the last field': (key) => sealText(key, `${plaintextOf()}0`, layoutOf()),
  'an empty plaintext': (key) => sealText(key, '', layoutOf()),
  'a number that fails Luhn': withCard({ number: '4242424242424241' }),
  'a number with a letter': withCard({ number: '424242424242424O' }),
  'a number with spaces': withCard({ number: '4242 4242 4242 4242' }),
  'a number of 11 digits': withCard({ number: '42424242426' }),
  'a number of 20 digits': withCard({ number: '42424242424242424242' }),
  'a number in Arabic digits': withCard({ number: '٤٢٤٢٤٢٤٢' }),
  'an empty name': withCard({ name: '' }),
  'a name that is not UTF-8': (key) => {
    const plaintext = Buffer.from(plaintextOf({ ...CARD, name: '??' }));
    plaintext.set([0xc3, 0x28], CARD.number.length);
    return sealText(key, plaintext, layoutOf({ ...CARD, name: '??' }));
  },
  'a month of one digit': withCard({ exp_month: '6' }),
  'a month 00': withCard({ exp_month: '00' }),
  'a month 13': withCard({ exp_month: '13' }),
  'a month with a letter': withCard({ exp_month: '1a' }),
  'a year of two digits': withCard({ exp_year: '30' }),
  'a year with a letter': withCard({ exp_year: '20x0' }),
  'a security code of 2 digits': withCard({ cvv: '12' }),
  'a security code of 5 digits': withCard({ cvv: '12345' }),
  'a security code with a letter': withCard({ cvv: '12x' }),
};

async function otherPublicKey(publicKey: string): Promise<string> {
  const { public_key } = await requestKey();
  return public_key === publicKey ? otherPublicKey(publicKey) : public_key;
}

describe('Encryption procedure for scheme `RSA_OAEP_SHA256_V1`', () => {
  const digits = (min: number, max: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max });
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
        const layout = places.map((from) => ({ ...layoutOf(card)[from]!, len: layoutOf(card)[from]!.len + (from === place ? more : 0) }));
        fc.pre(JSON.stringify(layout) !== JSON.stringify(layoutOf(card)));
        const reply = await authorize((await create()).id, sealText(await requestKey(), plaintextOf(card), layout));
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
      expect(errorOf(await authorize((await create()).id, seal(key)))).toEqual([422, 'encryption_key_used']);
    }
  });

  test('5. Each key belongs to a single checkout session: every key has a pair of its own', async () => {
    const { app, requestKey } = startService({ generateKeyPair: undefined as never });
    const keys = await Promise.all(Array.from({ length: 6 }, () => requestKey()));
    await app.close();
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(6);
  });
});

describe('States and transitions', () => {
  test('(none) → created: payment_method, status_at, processor_ref and both reasons are null. amount_captured is 0', async () => {
    expect(await create()).toMatchObject({
      ...{ status: 'created', payment_method: null, status_at: null, processor_ref: null, failure_reason: null },
      ...{ cancellation_reason: null, amount_captured: 0 },
    });
  });

  test('created → committed: authorize, capture_method is `automatic` and the card is approved', async () => {
    expect(await pay()).toMatchObject({
      ...{ status: 'committed', amount_captured: 1000, status_at: NOON, processor_ref: expect.any(String) },
      payment_method: { brand: 'visa', last4: '4242' },
    });
  });

  test('created → authorized: authorize, capture_method is `manual` and the card is approved', async () => {
    expect(await pay({}, { capture_method: 'manual' })).toMatchObject({ status: 'authorized', amount_captured: 0 });
  });

  test('amount_captured stays 0 until a separate commit call', async () => {
    const { id } = await pay({}, { capture_method: 'manual' });
    expect((await call('GET', `/payments/card/${id}`)).body.amount_captured).toBe(0);
    expect((await call('POST', `/payments/card/${id}/commit`)).body).toMatchObject({ status: 'committed', amount_captured: 1000 });
  });

  test.each(['automatic', 'manual'] as const)(
    'created → failed: authorize, the card is declined, capture_method %s',
    async (capture_method) => {
      expect(await pay({ number: '4000000000009995' }, { capture_method })).toMatchObject({
        ...{ status: 'failed', failure_reason: 'insufficient_funds', amount_captured: 0, status_at: NOON },
      });
    },
  );
});

describe('Endpoints', () => {
  test('All requests and responses are JSON', async () => {
    const replies = [
      await call('GET', '/payments/card'),
      await call('GET', '/nowhere'),
      await call('GET', '/payments/card', { secretKey: null }),
    ];
    for (const { headers } of replies) expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('Requests with a body carry `Content-Type: application/json`: no other is read', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense']) {
      const headers = { 'content-type': type };
      expect(errorOf(await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD' }, headers }))).toEqual([
        ...[415, 'unsupported_media_type'],
      ]);
    }
  });

  describe('POST /payments/card/encryption-keys', () => {
    test('Request body: none. Success: 201 Created', async () => {
      expect((await call('POST', '/payments/card/encryption-keys')).status).toBe(201);
      expect((await call('POST', '/payments/card/encryption-keys', { headers: { 'content-type': 'application/json' } })).status).toBe(201);
    });

    test('Request body: none. One is refused', async () => {
      expect(errorOf(await call('POST', '/payments/card/encryption-keys', { body: CARD }))).toEqual([400, 'invalid_request']);
    });
  });

  describe('POST /payments/card', () => {
    test('Success: 201 Created', async () => {
      expect((await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD' } })).status).toBe(201);
    });

    test.each(['amount', 'currency'] as const)('%s is required', async (field) => {
      const { [field]: _, ...incomplete } = { amount: 1000, currency: 'USD' };
      const reply = await call('POST', '/payments/card', { body: incomplete });
      expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
    });

    test.each([
      ['currency', 840],
      ['capture_method', true],
      ['description', 5],
    ])('%s is a string', async (field, value) => {
      const reply = await call('POST', '/payments/card', { body: { amount: 1000, currency: 'USD', [field]: value } });
      expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', field]);
    });

    test('Optional header `Idempotency-Key` (string). The examples send a UUID-shaped value', async () => {
      const headers = { 'idempotency-key': 'f1b1c3b0-6f39-4c0e-9d0c-3b1a3c5f0a11' };
      const first = await create({}, { headers });
      expect(await create({}, { headers })).toEqual(first);
      expect((await create()).id).not.toBe(first.id);
    });
  });

  describe('POST /payments/card/{id}/authorize', () => {
    test('Optional header `Idempotency-Key` (string)', async () => {
      const { id } = await create();
      const block = seal(await requestKey());
      const headers = { 'idempotency-key': '3d9a5a4e-7f0e-4a27-9b67-3f1a1f1d8c52' };
      const first = await authorize(id, block, { headers });
      expect([first.status, first.body.status]).toEqual([200, 'committed']);
      expect((await authorize(id, block, { headers })).text).toBe(first.text);
    });

    test('The encrypted block is processed and then discarded: the decrypted card is overwritten, after success and after failure', async () => {
      const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
      await authorize((await create()).id, seal(await requestKey()));
      await authorize((await create()).id, { ...seal(await requestKey()), layout: [] });
      const plaintexts = await Promise.all(decrypt.mock.results.map(({ value }) => value as Promise<ArrayBuffer>));
      decrypt.mockRestore();
      const { length } = Buffer.from(plaintextOf());
      expect(plaintexts.map((plaintext) => Buffer.from(plaintext))).toEqual([Buffer.alloc(length), Buffer.alloc(length)]);
    });

    test('A block is accepted only while its key is valid: the clock moves over `expires_at` between request and authorize', async () => {
      const { id } = await create();
      const key = await requestKey();
      const block = seal(key);
      service.time.now = key.expires_at + 1;
      const late = await authorize(id, block);
      const inTime = await authorize(id, seal(await requestKey()));
      service.time.now = NOON;
      expect(errorOf(late)).toEqual([422, 'encryption_key_expired']);
      expect(inTime.body.status).toBe('committed');
    });
  });
});

describe('Authentication', () => {
  const operations = [
    ['POST', '/payments/card/encryption-keys'],
    ['POST', '/payments/card'],
    ['GET', '/payments/card'],
    ['GET', '/payments/card/pi_card_0'],
    ...['authorize', 'commit', 'cancel', 'refund'].map((operation) => ['POST', `/payments/card/pi_card_0/${operation}`] as const),
    ['GET', '/nowhere'],
  ] as const;

  test.each(operations)('1. Every request sends the secret key as a bearer token: %s %s', async (method, url) => {
    expect(errorOf(await call(method, url, { secretKey: null }))).toEqual([401, 'authentication_required']);
    expect(errorOf(await call(method, url, { secretKey: 'sk_test_of_nobody' }))).toEqual([401, 'invalid_api_key']);
  });

  test.each(['', 'Bearer', 'Bearer ', `Basic ${ACCOUNTS[0].secretKey}`, ACCOUNTS[0].secretKey, `Bearer ${ACCOUNTS[0].secretKey} x`])(
    '1. `Authorization: Bearer <API_KEY>`: "%s" is not that',
    async (authorization) => {
      const reply = await call('POST', '/payments/card/encryption-keys', { headers: { authorization } });
      expect(errorOf(reply)).toEqual([401, 'authentication_required']);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    },
  );

  test('2. Secret keys begin with `sk_`, test-mode keys with `sk_test_`: two accounts come set up', async () => {
    expect(ACCOUNTS.map(({ secretKey }) => secretKey.startsWith('sk_test_'))).toEqual([true, true]);
    for (const { secretKey } of ACCOUNTS) expect((await create({}, { secretKey })).livemode).toBe(false);
  });

  test('2. live-mode keys begin with `sk_live_`: the sandbox has none', async () => {
    const secretKey = ACCOUNTS[0].secretKey.replace('sk_test_', 'sk_live_');
    expect(errorOf(await call('POST', '/payments/card', { secretKey, body: { amount: 1, currency: 'USD' } }))).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  test('4. An encryption key that does not belong to the calling account is rejected', async () => {
    const key = await requestKey({ secretKey: ACCOUNTS[1].secretKey });
    const { id } = await create();
    expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'unknown_encryption_key']);
    const own = await create({}, { secretKey: ACCOUNTS[1].secretKey });
    expect((await authorize(own.id, seal(key), { secretKey: ACCOUNTS[1].secretKey })).body.status).toBe('committed');
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

  test('unknown_encryption_key: `key_id` does not exist', async () => {
    const block = seal(await requestKey());
    const { id } = await create();
    for (const key_id of ['', 'cek_', `${block.key_id} `, block.key_id.toUpperCase(), '__proto__', id]) {
      expect(errorOf(await authorize(id, { ...block, key_id }))).toEqual([422, 'unknown_encryption_key']);
    }
  });

  test('unknown_encryption_key: does not exist or does not belong to the calling account have one and the same answer', async () => {
    const { id } = await create();
    const other = await requestKey({ secretKey: ACCOUNTS[1].secretKey });
    const [foreign, missing] = [await authorize(id, seal(other)), await authorize(id, { ...seal(other), key_id: 'cek_0' })];
    expect({ ...foreign, headers: { ...foreign.headers, date: '' } }).toEqual({ ...missing, headers: { ...missing.headers, date: '' } });
  });

  test.each([...Object.entries(UNDECRYPTABLE), ...Object.entries(MISMATCHING)])(
    'invalid_encryption_block: one and the same status, body and headers, and the decryption is run: %s',
    async (_, forge) => {
      const { id } = await create();
      const [block, reference] = [await forge(await requestKey()), { ...seal(await requestKey()), layout: [] }];
      const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
      const reply = await authorize(id, block);
      expect(decrypt).toHaveBeenCalledTimes(1);
      decrypt.mockRestore();
      expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
      const expected = await authorize(id, reference);
      expect({ ...reply, headers: { ...reply.headers, date: '' } }).toEqual({ ...expected, headers: { ...expected.headers, date: '' } });
      expect((await call('GET', `/payments/card/${id}`)).body.status).toBe('created');
    },
  );

  test('ownership comes before expiry, and expiry before decryption and layout', async () => {
    const [foreign, own] = [await requestKey({ secretKey: ACCOUNTS[1].secretKey }), await requestKey()];
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

  test('The error leaves the intent as it was: with a new key the card is encrypted again and accepted', async () => {
    const { id } = await create();
    await authorize(id, { ...seal(await requestKey()), layout: [] });
    expect((await authorize(id, seal(await requestKey()))).body.status).toBe('committed');
  });
});

describe('Versioning', () => {
  test('The paths shown carry no version segment', async () => {
    await service.app.ready();
    const paths = Object.keys(service.app.swagger().paths ?? {});
    expect(paths).toContain('/payments/card/{id}/authorize');
    expect(paths.filter((path) => !path.startsWith('/payments/card'))).toEqual([]);
  });
});

function luhnDigit(head: number[]): number {
  const sum = head.reverse().reduce((sum, digit, i) => sum + (i % 2 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return (10 - (sum % 10)) % 10;
}
