import { webcrypto } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  CARD,
  errorOf,
  NOON,
  plaintextOf,
  seal,
  startService,
} from '../../tools/support/card-payment-service.ts';

// The chapter "Endpoints" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, requestKey, authorize } = service;
afterAll(() => service.app.close());

describe('Endpoints', () => {
  test('All requests and responses are JSON', async () => {
    const replies = [
      await call('GET', '/payments/card'),
      await call('GET', '/nowhere'),
      await call('GET', '/payments/card', { secretKey: null }),
    ];
    for (const { headers } of replies)
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('Requests with a body carry `Content-Type: application/json`: no other is read', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'nonsense',
    ]) {
      const headers = { 'content-type': type };
      expect(
        errorOf(
          await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD' }, headers }),
        ),
      ).toEqual([...[415, 'unsupported_media_type']]);
    }
  });

  describe('POST /payments/card/encryption-keys', () => {
    test('Request body: none. Success: 201 Created', async () => {
      expect((await call('POST', '/payments/card/encryption-keys')).status).toBe(201);
      expect(
        (
          await call('POST', '/payments/card/encryption-keys', {
            headers: { 'content-type': 'application/json' },
          })
        ).status,
      ).toBe(201);
    });

    test('Request body: none. One is refused', async () => {
      expect(errorOf(await call('POST', '/payments/card/encryption-keys', { body: CARD }))).toEqual(
        [400, 'invalid_request'],
      );
    });
  });

  describe('POST /payments/card', () => {
    test('Success: 201 Created', async () => {
      expect(
        (await call('POST', '/payments/card', { body: { amount: 1, currency: 'USD' } })).status,
      ).toBe(201);
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
      const reply = await call('POST', '/payments/card', {
        body: { amount: 1000, currency: 'USD', [field]: value },
      });
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
      const plaintexts = await Promise.all(
        decrypt.mock.results.map(({ value }) => value as Promise<ArrayBuffer>),
      );
      decrypt.mockRestore();
      const { length } = Buffer.from(plaintextOf());
      expect(plaintexts.map((plaintext) => Buffer.from(plaintext))).toEqual([
        Buffer.alloc(length),
        Buffer.alloc(length),
      ]);
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
