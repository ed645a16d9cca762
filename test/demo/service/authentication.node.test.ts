import { afterAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { errorOf, seal, startService } from '../../tools/support/card-payment-service.ts';

// The chapter "Authentication" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, requestKey, authorize } = service;
afterAll(() => service.app.close());

describe('Authentication', () => {
  const operations = [
    ['POST', '/payments/card/encryption-keys'],
    ['POST', '/payments/card'],
    ['GET', '/payments/card'],
    ['GET', '/payments/card/pi_card_0'],
    ...['authorize', 'commit', 'cancel', 'refund'].map(
      (operation) => ['POST', `/payments/card/pi_card_0/${operation}`] as const,
    ),
    ['GET', '/nowhere'],
  ] as const;

  test.each(operations)(
    '1. Every request sends the secret key as a bearer token: %s %s',
    async (method, url) => {
      expect(errorOf(await call(method, url, { secretKey: null }))).toEqual([
        401,
        'authentication_required',
      ]);
      expect(errorOf(await call(method, url, { secretKey: 'sk_test_of_nobody' }))).toEqual([
        401,
        'invalid_api_key',
      ]);
    },
  );

  test.each([
    '',
    'Bearer',
    'Bearer ',
    `Basic ${ACCOUNTS[0].secretKey}`,
    ACCOUNTS[0].secretKey,
    `Bearer ${ACCOUNTS[0].secretKey} x`,
  ])('1. `Authorization: Bearer <API_KEY>`: "%s" is not that', async (authorization) => {
    const reply = await call('POST', '/payments/card/encryption-keys', {
      headers: { authorization },
    });
    expect(errorOf(reply)).toEqual([401, 'authentication_required']);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  test('2. Secret keys begin with `sk_`, test-mode keys with `sk_test_`: two accounts come set up', async () => {
    expect(ACCOUNTS.map(({ secretKey }) => secretKey.startsWith('sk_test_'))).toEqual([true, true]);
    for (const { secretKey } of ACCOUNTS)
      expect((await create({}, { secretKey })).livemode).toBe(false);
  });

  test('2. live-mode keys begin with `sk_live_`: the sandbox has none', async () => {
    const secretKey = ACCOUNTS[0].secretKey.replace('sk_test_', 'sk_live_');
    expect(
      errorOf(
        await call('POST', '/payments/card', { secretKey, body: { amount: 1, currency: 'USD' } }),
      ),
    ).toEqual([401, 'invalid_api_key']);
  });

  test('4. An encryption key that does not belong to the calling account is rejected', async () => {
    const key = await requestKey({ secretKey: ACCOUNTS[1].secretKey });
    const { id } = await create();
    expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'unknown_encryption_key']);
    const own = await create({}, { secretKey: ACCOUNTS[1].secretKey });
    expect(
      (await authorize(own.id, seal(key), { secretKey: ACCOUNTS[1].secretKey })).body.status,
    ).toBe('committed');
  });
});
