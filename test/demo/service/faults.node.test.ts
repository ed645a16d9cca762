/** What the service's faults do, over real HTTP: the same for the sandbox's `--fault`. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { type FaultName, isFaultOf, type Operation } from '../../../demo/service/faults.ts';
import { seal, startService } from '../../support/card-payment-service.ts';

const SLOW_MS = 3000;

const log: string[] = [];
const logger = { stream: { write: (line: string) => void log.push(line) } };
const service = startService({ logger, slowMs: SLOW_MS });
const { faults } = service.app.sandbox;
let address: string;
beforeAll(async () => {
  address = await service.app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  log.length = 0;
  faults.clear();
});
afterAll(() => service.app.close());

const arm = (fault: FaultName, times: number | null = null, operation: Operation = 'authorize') =>
  faults.arm(operation, { fault, times, slow_ms: SLOW_MS });

const authorization = `Bearer ${ACCOUNTS[0].secretKey}`;

const call = async (path: string, body?: object, headers = {}, signal?: AbortSignal) => {
  const answer = await fetch(address + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
  };
};

/** An intent, and a request to authorize it over HTTP. */
async function payment() {
  const { id } = await service.create();
  const block = seal(await service.requestKey());
  return {
    id,
    authorize: (headers = {}, signal?: AbortSignal) =>
      call(`/payments/card/${id}/authorize`, block, headers, signal),
    status: async () => (await service.call('GET', `/payments/card/${id}`)).body.status,
  };
}

/** The answers of the service to all requests to authorize. */
const served = () =>
  log.flatMap((line) => {
    const { route, status } = JSON.parse(line);
    return route === '/payments/card/:id/authorize' ? [status] : [];
  });

/** The faults of all requests. */
const wentWrong = () => log.flatMap((line) => JSON.parse(line).fault ?? []);

interface Expected {
  /** The status of the answer that the merchant gets, or how it fails. */
  got: number | 'cut' | 'given up';
  /** What the service answered. */
  served: number[];
  /** In the answer. */
  text?: string;
}

const EXPECTED: Record<Exclude<FaultName, 'after-other-scheme'>, Expected> = {
  replay: { got: 200, served: [200, 200], text: 'committed' }, // the first answer again
  'replay-without-key': { got: 409, served: [200, 409], text: 'invalid_intent_state' },
  'twice-at-once': { got: 409, served: [409, 200] },
  'before-drop': { got: 'cut', served: [] },
  'before-503': { got: 503, served: [] },
  'before-slow': { got: 'given up', served: [200] },
  'after-drop': { got: 'cut', served: [200] },
  'after-half': { got: 'cut', served: [200] },
  'after-slow': { got: 'given up', served: [200] },
  'after-404': { got: 404, served: [200] },
  'after-408': { got: 408, served: [200] },
  'after-429': { got: 429, served: [200] },
  'after-503': { got: 503, served: [200] },
  'after-key-expired': { got: 422, served: [200], text: '"encryption_key_expired"' },
  'after-html': { got: 200, served: [200], text: '<!doctype html>' },
  'after-other-status': { got: 200, served: [200], text: '"status":"processing"' },
  'after-other-amount': { got: 200, served: [200], text: '"amount":1,' },
  'after-other-currency': { got: 200, served: [200], text: '"currency":"CHF"' },
  'after-other-id': { got: 200, served: [200], text: '"id":"pi_card_000000000000000000000000"' },
};

test.each(Object.entries(EXPECTED))('%s', async (name, expected) => {
  const { id, authorize, status } = await payment();
  arm(name as FaultName);
  const merchant = new AbortController();
  // With a key, the second of two may find the first one done, and get its answer
  const headers = name === 'twice-at-once' ? {} : { 'idempotency-key': id };
  const answering = authorize(headers, merchant.signal).catch((error: Error) => ({
    status: error.name === 'AbortError' ? 'given up' : 'cut',
    text: '',
  }));
  if (name.endsWith('-slow')) {
    await expect.poll(wentWrong, { interval: 10 }).toEqual([name]); // the request has come
    merchant.abort();
  }
  const answer = await answering;
  if (name === 'before-slow') expect(served()).toEqual([]);
  await faults.idle();
  expect(answer.status).toBe(expected.got);
  expect(answer.text).toContain(expected.text ?? '');
  expect(served().sort()).toEqual(expected.served.sort());
  expect(await status()).toBe(expected.served.length > 0 ? 'committed' : 'created');
  expect(wentWrong()).toEqual([name]);
});

test('a fault comes as often as it is told to, and then everything passes', async () => {
  arm('before-503', 2);
  const { authorize, status } = await payment();
  const statuses = [await authorize(), await authorize(), await authorize()];
  expect(statuses.map((answer) => answer.status)).toEqual([503, 503, 200]);
  expect(await status()).toBe('committed');
});

test('only the requests that are meant go wrong; all others pass as they are', async () => {
  arm('before-drop');
  const { id } = await payment();
  const path = `/payments/card/${id}`;
  expect((await call(path)).status).toBe(200);
  const canceled = await call(`${path}/cancel`, { cancellation_reason: 'duplicate' });
  expect(JSON.parse(canceled.text).cancellation_reason).toBe('duplicate');
  expect((await call('/payments/card', { amount: 'x'.repeat(70_000) })).status).toBe(413);
});

/** What a merchant gets for a request for a key and for an intent, with a fault. */
test.each<[Operation, FaultName, number | 'cut', string]>([
  ['keys', 'before-503', 503, 'service_unavailable'],
  ['keys', 'after-drop', 'cut', ''],
  ['keys', 'after-html', 200, '<!doctype html>'],
  ['keys', 'after-other-scheme', 201, '"scheme":"RSA_OAEP_SHA512_V2"'],
  ['create', 'before-drop', 'cut', ''],
  ['create', 'after-half', 'cut', ''],
  ['create', 'after-429', 429, 'too_many_requests'],
  ['create', 'after-other-amount', 201, '"amount":1,'],
])('a request of kind %s: %s', async (operation, fault, status, text) => {
  arm(fault, null, operation);
  const body = operation === 'create' ? { amount: 1000, currency: 'USD' } : {};
  const path = operation === 'create' ? '/payments/card' : '/payments/card/encryption-keys';
  const headers = { 'content-type': 'application/json', authorization };
  const answer = await fetch(address + path, {
    method: 'POST',
    headers,
    body: operation === 'create' ? JSON.stringify(body) : null,
  })
    .then(async (reply) => [reply.status, await reply.text()] as const)
    .catch(() => ['cut', ''] as const);
  expect(answer).toEqual([status, expect.stringContaining(text)]);
  const served = log.flatMap((line) => JSON.parse(line).status ?? []);
  expect(served).toEqual(fault.startsWith('before') ? [] : [201]);
});

test('replay: an intent is created once under an Idempotency-Key, and twice without one', async () => {
  const order = { amount: 1000, currency: 'USD', description: 'replayed' };
  const create = async (fault: FaultName) => {
    const headers = { 'sandbox-fault': fault, 'idempotency-key': fault };
    await call('/payments/card', order, headers);
    const { data } = (await service.call('GET', '/payments/card?limit=100')).body;
    return data.filter(({ description }) => description === 'replayed').length;
  };
  expect(await create('replay')).toBe(1);
  expect(await create('replay-without-key')).toBe(3);
});

describe('the header Sandbox-Fault', () => {
  const withFault = (fault: string) => ({ 'sandbox-fault': fault });

  test('lets one request go wrong, whatever is switched on', async () => {
    arm('before-drop');
    const { authorize, status } = await payment();
    expect((await authorize(withFault('after-404'))).status).toBe(404);
    expect(await status()).toBe('committed');
    expect(wentWrong()).toEqual(['after-404']);
  });

  test.each([
    ['authorize', 'after-4O4'],
    ['authorize', 'after-other-scheme'],
    ['authorize', '__proto__'],
    ['commit', 'after-404'],
  ])('%s, %s: no fault of this operation is 400, and nothing happens', async (operation, fault) => {
    const { id, status } = await payment();
    const path = `/payments/card/${id}/${operation}`;
    const answer = await call(path, seal(await service.requestKey()), withFault(fault));
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, 'invalid_request']);
    expect(await status()).toBe('created');
  });

  test('a name that is unknown is 400 also while a fault is switched on, which stays', async () => {
    arm('before-drop', 1);
    const { authorize, status } = await payment();
    expect((await authorize(withFault('after-4O4'))).status).toBe(400);
    expect(await status()).toBe('created');
    expect(faults.armed().authorize).toMatchObject({ fault: 'before-drop', times: 1 });
  });
});

test('each fault is for a kind of request that it can spoil', () => {
  const kinds = (fault: FaultName) =>
    (['keys', 'create', 'authorize'] as const).filter((kind) => isFaultOf(kind, fault));
  expect(kinds('after-404')).toEqual(['keys', 'create', 'authorize']);
  expect(kinds('after-key-expired')).toEqual(['authorize']);
  expect(kinds('after-other-id')).toEqual(['create', 'authorize']);
  expect(kinds('after-other-scheme')).toEqual(['keys']);
});
