import { webcrypto } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { encryptCard } from '../../../src/core/index.ts';
import {
  CARD,
  errorOf,
  NOON,
  recycledKeyPair,
  seal,
  startService,
} from '../../tools/support/card-payment-service.ts';

// The chapter "What the service does" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, requestKey, authorize, pay } = service;
afterAll(() => service.app.close());

describe('What the service does', () => {
  test('1. A server creates a draft intent that fixes an amount and a currency', async () => {
    expect(await create({ amount: 1000, currency: 'USD' })).toMatchObject({
      amount: 1000,
      currency: 'USD',
      status: 'created',
    });
  });

  test.each(['number', 'cvv', 'card', 'payment_method', 'payload'])(
    '1. No card data is sent at this step: %s is refused',
    async (field) => {
      const reply = await call('POST', '/payments/card', {
        body: { amount: 1000, currency: 'USD', [field]: CARD.number },
      });
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
    [
      'in the layout',
      { payload: 'AAAA', key_id: 'cek_', layout: [{ field: 'Pan', len: 16, value: CARD.number }] },
    ],
  ])(
    '4. The service accepts card data only in this encrypted form: a card %s is refused',
    async (_, body) => {
      const { id } = await create();
      const reply = await authorize(id, body);
      expect(errorOf(reply)).toEqual([400, 'invalid_request']);
      expect(reply.text).not.toContain(CARD.number);
    },
  );

  test('4. Decryption happens inside the processor’s boundary: not even there can the private key be exported', async () => {
    const { privateKey } = await recycledKeyPair();
    expect(privateKey.extractable).toBe(false);
    await expect(webcrypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow(
      'key is not extractable',
    );
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
    const reply = await authorize(
      id,
      seal(await requestKey(), { ...CARD, number: '4000000000009995' }),
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'failed', failure_reason: 'insufficient_funds' });
  });

  test('7. The amount is fixed when the intent is created: no operation takes another one', async () => {
    const { id } = await create({ amount: 1000, capture_method: 'manual' });
    const block = seal(await requestKey());
    expect(errorOf(await authorize(id, { ...block, amount: 1 }))).toEqual([400, 'invalid_request']);
    expect((await authorize(id, block)).body.amount).toBe(1000);
    expect(
      errorOf(await call('POST', `/payments/card/${id}/commit`, { body: { amount: 1 } })),
    ).toEqual([400, 'invalid_request']);
    expect((await call('POST', `/payments/card/${id}/commit`)).body).toMatchObject({
      amount: 1000,
      amount_captured: 1000,
    });
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
    const preflight = await service.app.inject({
      method: 'OPTIONS',
      url: '/payments/card/encryption-keys',
      headers,
    });
    expect(preflight.statusCode).toBeGreaterThanOrEqual(400);
    const reply = await call('POST', '/payments/card/encryption-keys', { headers });
    for (const answer of [preflight.headers, reply.headers]) {
      expect(Object.keys(answer).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});
