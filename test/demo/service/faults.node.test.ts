/** What the service's faults do, over real HTTP: the same for the sandbox's `--fault`. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { type FaultName, type FaultProxy, startFaultProxy } from '../../../demo/service/faults.ts';
import { seal, startService } from '../../support/card-payment-service.ts';

const SLOW_MS = 300;
/** When a merchant gives up. */
const PATIENCE_MS = 100;

const log: string[] = [];
const service = startService({ logger: { stream: { write: (line) => void log.push(line) } } });
const faults: FaultName[] = [];
let target: string;
let proxy: FaultProxy;
beforeAll(async () => {
  target = await service.app.listen({ host: '127.0.0.1', port: 0 });
  proxy = await startFaultProxy({ target, slowMs: SLOW_MS, onFault: (name) => faults.push(name) });
});
beforeEach(() => {
  log.length = 0;
  faults.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await service.app.close();
});

const authorization = `Bearer ${ACCOUNTS[0].secretKey}`;

const call = async (path: string, body?: object, headers = {}, timeoutMs = 5000) => {
  const answer = await fetch(proxy.address + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
  };
};

/** An intent, and a request to authorize it through the proxy. */
async function payment() {
  const { id } = await service.create();
  const block = seal(await service.requestKey());
  return {
    id,
    authorize: (headers = {}, timeoutMs?: number) =>
      call(`/payments/card/${id}/authorize`, block, headers, timeoutMs),
    status: async () => (await service.call('GET', `/payments/card/${id}`)).body.status,
  };
}

/** The answers of the service to all requests to authorize. */
const served = () =>
  log.flatMap((line) => {
    const { route, status } = JSON.parse(line);
    return route === '/payments/card/:id/authorize' ? [status] : [];
  });

interface Expected {
  /** The status of the answer that the merchant gets, or how it fails. */
  got: number | 'cut' | 'given up';
  /** What the service answered. */
  served: number[];
  /** In the answer. */
  text?: string;
}

const EXPECTED: Record<FaultName, Expected> = {
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
  proxy.setFault(name as FaultName);
  const isSlow = name.endsWith('-slow');
  // With a key, the second of two may find the first one done, and get its answer
  const headers = name === 'twice-at-once' ? {} : { 'idempotency-key': id };
  const answer = await authorize(headers, isSlow ? PATIENCE_MS : undefined).catch(
    (error: Error) => ({
      status: error.name === 'TimeoutError' ? 'given up' : 'cut',
      text: '',
    }),
  );
  if (name === 'before-slow') expect(served()).toEqual([]);
  await proxy.idle();
  expect(answer.status).toBe(expected.got);
  expect(answer.text).toContain(expected.text ?? '');
  expect(served().sort()).toEqual(expected.served.sort());
  expect(await status()).toBe(expected.served.length > 0 ? 'committed' : 'created');
  expect(faults).toEqual([name]);
});

test('a fault comes as often as it is told to, and then everything passes', async () => {
  proxy.setFault('before-503', 2);
  const { authorize, status } = await payment();
  const statuses = [await authorize(), await authorize(), await authorize()];
  expect(statuses.map((answer) => answer.status)).toEqual([503, 503, 200]);
  expect(await status()).toBe('committed');
});

test('only requests to authorize go wrong; all others pass as they are, both ways', async () => {
  proxy.setFault('before-drop');
  const { id } = await payment();
  const path = `/payments/card/${id}`;
  const direct = await fetch(target + path, { headers: { authorization } });
  expect(await call(path)).toEqual({
    status: direct.status,
    type: direct.headers.get('content-type'),
    text: await direct.text(),
  });
  const canceled = await call(`${path}/cancel`, { cancellation_reason: 'duplicate' });
  expect(JSON.parse(canceled.text).cancellation_reason).toBe('duplicate');
  expect((await call('/payments/card', { amount: 'x'.repeat(70_000) })).status).toBe(413);
  const unauthorized = await call(path, undefined, { authorization: '' });
  expect(unauthorized.status).toBe(401);
});
