import { webcrypto } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { errorOf, NOON, seal, startService } from '../../tools/support/card-payment-service.ts';
import { MISMATCHING, UNDECRYPTABLE } from '../../tools/support/forged-blocks.ts';

// The chapter "Errors" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, requestKey, authorize } = service;
afterAll(() => service.app.close());

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
    for (const key_id of [
      '',
      'cek_',
      `${block.key_id} `,
      block.key_id.toUpperCase(),
      '__proto__',
      id,
    ]) {
      expect(errorOf(await authorize(id, { ...block, key_id }))).toEqual([
        422,
        'unknown_encryption_key',
      ]);
    }
  });

  test('unknown_encryption_key: does not exist or does not belong to the calling account have one and the same answer', async () => {
    const { id } = await create();
    const other = await requestKey({ secretKey: ACCOUNTS[1].secretKey });
    const [foreign, missing] = [
      await authorize(id, seal(other)),
      await authorize(id, { ...seal(other), key_id: 'cek_0' }),
    ];
    expect({ ...foreign, headers: { ...foreign.headers, date: '' } }).toEqual({
      ...missing,
      headers: { ...missing.headers, date: '' },
    });
  });

  test.each([...Object.entries(UNDECRYPTABLE), ...Object.entries(MISMATCHING)])(
    'invalid_encryption_block: one and the same status, body and headers, and the decryption is run: %s',
    async (_, forge) => {
      const { id } = await create();
      const [block, reference] = [
        await forge(await requestKey()),
        { ...seal(await requestKey()), layout: [] },
      ];
      const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
      const reply = await authorize(id, block);
      expect(decrypt).toHaveBeenCalledTimes(1);
      decrypt.mockRestore();
      expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
      const expected = await authorize(id, reference);
      expect({ ...reply, headers: { ...reply.headers, date: '' } }).toEqual({
        ...expected,
        headers: { ...expected.headers, date: '' },
      });
      expect((await call('GET', `/payments/card/${id}`)).body.status).toBe('created');
    },
  );

  test('ownership comes before expiry, and expiry before decryption and layout', async () => {
    const [foreign, own] = [
      await requestKey({ secretKey: ACCOUNTS[1].secretKey }),
      await requestKey(),
    ];
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
