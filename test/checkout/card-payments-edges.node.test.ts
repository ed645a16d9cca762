/** The edges of what the merchant's client takes: the last value that is good, the first that is not. */
import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CardPayments } from '../../src/checkout/index.ts';
import { serviceThat } from '../tools/support/scripted-service.ts';
import { BLOCK, intentResource, keyResource } from './world.ts';

const SECRET_KEY = 'sk_test_1';
const ID = 'pi_card_azAZ09_-';
const CARD = { ...BLOCK, key_id: 'cek_1' } as never;
const PRICE = { amount: 1000, currency: 'USD' };
const INTENT = intentResource(ID, PRICE, 'created');
const create = (options: object) =>
  new CardPayments({ baseUrl: 'https://example.com', secretKey: SECRET_KEY, ...options });

async function clientOf(answer: RequestListener | object) {
  const answers: RequestListener =
    typeof answer === 'function'
      ? (answer as RequestListener)
      : ({ url }, response) => {
          const isAuthorization = url!.endsWith('authorize');
          response.writeHead(isAuthorization ? 200 : 201).end(JSON.stringify(answer));
        };
  const { baseUrl, requests } = await serviceThat(answers);
  return { client: create({ baseUrl }), baseUrl, requests };
}

test('a base address may lack the slash in the end', async () => {
  const { baseUrl, requests } = await clientOf(keyResource('cek_1', 1));
  await create({ baseUrl: baseUrl.slice(0, -1) }).createEncryptionKey();
  expect(requests[0]).toMatchObject({
    line: 'POST /base/payments/card/encryption-keys',
    headers: { accept: 'application/json' },
  });
});

const ALL = {
  ...INTENT,
  status_at: 1,
  processor_ref: 'ref_1',
  failure_reason: 'card_declined',
  cancellation_reason: 'abandoned',
  capture_method: 'manual' as const,
  payment_method: { brand: 'visa', last4: '4242' },
  description: 'Tea',
  statement_descriptor: 'SHOP',
};

describe('an intent', () => {
  test('may have each of its fields', async () => {
    const { client } = await clientOf(ALL);
    expect(await client.authorize(ID, CARD)).toEqual(ALL);
  });

  test.each([
    { payment_method: { brand: 'visa' } },
    { payment_method: { last4: '4242' } },
    { metadata: null },
    { metadata: 'none' },
  ])('with %j is none', async (wrong) => {
    const { client } = await clientOf({ ...INTENT, ...wrong });
    const message = 'The service did not answer as specified';
    await expect(client.authorize(ID, CARD)).rejects.toThrow(message);
  });
});

describe('an answer', () => {
  test.each([
    [204, 'resolve_intent', 'The service did not answer as specified'], // it has no body
    [400, 'not_specified', 'The service refused the request'],
    [499, 'not_specified', 'The service refused the request'],
    [500, 'resolve_intent', 'The service did not answer as specified'],
  ])('of status %i', async (status, recovery, message) => {
    const { client } = await clientOf((_, response) => void response.writeHead(status).end());
    await expect(client.authorize(ID, CARD)).rejects.toMatchObject({ recovery, message });
  });

  test.each([
    [64 * 1024, true],
    [64 * 1024 + 1, false],
  ])('of %i bytes', async (size, isRead) => {
    const text = JSON.stringify(INTENT).padEnd(size);
    const { client } = await clientOf((_, response) => void response.writeHead(200).end(text));
    const answer = client.authorize(ID, CARD);
    if (isRead) expect(await answer).toEqual(INTENT);
    else
      await expect(answer).rejects.toMatchObject({
        message: 'The connection failed, or the answer was not text of a reasonable size',
      });
  });

  test('whose parts divide a character', async () => {
    const intent = { ...INTENT, description: 'ÿ' };
    const bytes = Buffer.from(JSON.stringify(intent));
    const middle = bytes.indexOf('ÿ') + 1;
    const { client } = await clientOf((_, response) => {
      response.writeHead(200).write(bytes.subarray(0, middle));
      setTimeout(() => response.end(bytes.subarray(middle)), 20);
    });
    expect(await client.authorize(ID, CARD)).toEqual(intent);
  });
});

test('a request leaves no timer and no listener behind', async () => {
  const { signal } = new AbortController();
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  const { client } = await clientOf(INTENT);
  const answer = client.authorize(ID, CARD, { signal });
  const timer = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 30_000)]!.value;
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await answer;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(clear.mock.calls.some(([it]) => it === timer)).toBe(true);
});
