/** Where the key pairs come from: used again by default, fresh with a bounded queue on request. */
import { request } from 'node:http';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { generateRsaKeyPair, type KeyPair } from '../../../demo/service/processor/index.ts';
import {
  errorOf,
  recycledKeyPair,
  seal,
  startService,
} from '../../support/card-payment-service.ts';

const KEYS = '/payments/card/encryption-keys';
const running: ReturnType<typeof startService>[] = [];
afterAll(() => Promise.all(running.map(({ app }) => app.close())));

/** The service, with pairs that are generated when the test says so, and are counted. */
function startCounted({ freshKeys }: { freshKeys: boolean }) {
  const waiting: (() => void)[] = [];
  const generateKeyPair = vi.fn(async (): Promise<KeyPair> => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return recycledKeyPair();
  });
  const service = startService({ freshKeys, generateKeyPair });
  running.push(service);
  const generate = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await vi.waitFor(() => expect(waiting).not.toEqual([]));
      waiting.shift()!();
    }
  };
  return { ...service, generateKeyPair, generate };
}

describe('pairs that are used again', () => {
  test('200 keys at once wait for four pairs and no more, and each key takes one block', async () => {
    const { requestKey, create, authorize, generate, generateKeyPair } = startCounted({
      freshKeys: false,
    });
    const requests = Array.from({ length: 200 }, () => requestKey());
    await generate(4);
    const keys = await Promise.all(requests);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(200);
    expect(generateKeyPair.mock.calls.length).toBeLessThanOrEqual(5); // one more is on its way
    const shared = keys.filter(({ public_key }) => public_key === keys[0]!.public_key);
    expect(shared.length).toBeGreaterThan(1);
    for (const key of shared.slice(0, 2)) {
      const block = seal(key);
      expect((await authorize((await create()).id, block)).body.status).toBe('committed');
      const again = await authorize((await create()).id, block);
      expect(errorOf(again)).toEqual([422, 'encryption_key_used']);
    }
  });

  test('keys in a row have different public keys, so a block of one is refused under the other', async () => {
    const { requestKey, create, authorize } = startService({ generateKeyPair: rsa });
    const keys = [await requestKey(), await requestKey(), await requestKey()];
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(3);
    const block = { ...seal(keys[0]!), key_id: keys[1]!.id };
    const reply = await authorize((await create()).id, block);
    expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
  });

  test('a pair that cannot be generated is an error of that request alone', async () => {
    const generateKeyPair = vi.fn(() => Promise.reject(new Error('no entropy')));
    const { call } = startService({ generateKeyPair });
    expect(errorOf(await call('POST', KEYS))).toEqual([500, 'internal_error']);
    generateKeyPair.mockImplementation(rsa as never);
    expect((await call('POST', KEYS)).status).toBe(201);
  });
});

describe('--fresh-keys', () => {
  test('each key has a pair of its own', async () => {
    const { requestKey } = startService({ freshKeys: true, generateKeyPair: rsa });
    const keys = await Promise.all(Array.from({ length: 6 }, () => requestKey()));
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(6);
  });

  test('32 clients may wait; the next one is sent away with 503 and Retry-After', async () => {
    const { requestKey, call, generate } = startCounted({ freshKeys: true });
    const waiting = Array.from({ length: 32 }, () => requestKey());
    const reply = await call('POST', KEYS);
    expect(errorOf(reply)).toEqual([503, 'service_busy']);
    const seconds = Number(reply.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThan(60);
    await generate(33);
    expect(await Promise.all(waiting)).toHaveLength(32);
    expect((await call('POST', KEYS)).status).toBe(201);
  });

  test('nothing is generated or issued for clients that have gone', async () => {
    const service = startCounted({ freshKeys: true });
    const { app, generate, generateKeyPair } = service;
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const gone = Array.from({ length: 30 }, () => ask(address));
    await vi.waitFor(() => expect(generateKeyPair).toHaveBeenCalledTimes(1));
    await vi.waitFor(() => expect(app.sandbox.waiting()).toBe(30));
    for (const client of gone) client.destroy();
    await vi.waitFor(() => expect(app.sandbox.waiting()).toBe(0));
    const next = service.requestKey();
    await generate(1);
    await next; // the pair that was being generated goes to the one that is still there
    await generate(4); // so many lie ready
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(generateKeyPair).toHaveBeenCalledTimes(5);
  });
});

const rsa = () => generateRsaKeyPair(2048);

/** A request for a key that can be given up. */
function ask(address: string) {
  const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
  const sent = request(address + KEYS, { method: 'POST', headers, agent: false });
  return sent.on('error', () => {}).end();
}
