/** How the service takes HTTP, over real connections: bodies, methods, text and repeated requests. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { createIntents } from '../../../demo/service/intents.ts';
import { CARD, errorOf, seal, startService } from '../../support/card-payment-service.ts';

const KEYS = '/payments/card/encryption-keys';
const service = startService();
const { call, create, requestKey, authorize, pay } = service;
let address: string;
beforeAll(async () => {
  address = await service.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.app.close());

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** In chunks, without Content-Length. */
  chunks?: (string | Buffer)[];
}

/** Unlike `fetch`, it sends what it is told to. */
async function send({ method, path, headers = {}, chunks = [] }: Sent) {
  const authorization = `Bearer ${ACCOUNTS[0].secretKey}`;
  const sent = request(address + path, { method, headers: { authorization, ...headers } });
  for (const chunk of chunks) sent.write(chunk);
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      sent.on('error', reject).on('response', async (answer) => {
        const parts = await answer.toArray();
        const text = Buffer.concat(parts).toString();
        resolve({ status: answer.statusCode!, headers: answer.headers, text });
      });
      sent.end();
    },
  );
}

const codeIn = ({ text }: { text: string }) => JSON.parse(text).error?.code;

describe('an empty body is no body, whatever its type', () => {
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', '*', ''];
  const ways = types.flatMap((type) =>
    ['Content-Length: 0', 'chunked', 'no body'].map((way) => [type, way] as const),
  );
  test.each(ways)('%s, %s', async (type, way) => {
    const headers = {
      ...(type && { 'content-type': type }),
      ...(way === 'Content-Length: 0' && { 'content-length': '0' }),
      ...(way === 'chunked' && { 'transfer-encoding': 'chunked' }),
    };
    if (type === '*' && way === 'chunked') return; // not even a type
    const post = (path: string) => send({ method: 'POST', path, headers });
    expect((await post(KEYS)).status).toBe(201);
    const { id } = await pay();
    expect((await post(`/payments/card/${id}/refund`)).status).toBe(200);
    const draft = await create();
    expect((await post(`/payments/card/${draft.id}/cancel`)).status).toBe(200);
    const nothing = await post('/payments/card');
    expect([nothing.status, codeIn(nothing)]).toEqual([400, 'invalid_request']);
  });

  test('one that is not empty has a type, and it is JSON', async () => {
    for (const type of ['text/plain', undefined]) {
      const headers = type ? { 'content-type': type } : {};
      const sent = { method: 'POST', path: KEYS, headers, chunks: ['{}'] };
      expect((await send(sent)).status).toBe(415);
    }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await send({ method: 'POST', path: KEYS, headers, chunks: ['{}'] })).status).toBe(415);
  });
});

test('text that is not UTF-8 is refused, not altered', async () => {
  const body = (text: string) => `{"amount":1,"currency":"USD","description":"${text}"}`;
  const headers = { 'content-type': 'application/json' };
  const post = (bytes: Buffer) =>
    send({ method: 'POST', path: '/payments/card', headers, chunks: [bytes] });
  for (const text of ['\xe9', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', 'a\xff']) {
    const reply = await post(Buffer.from(body(text), 'latin1'));
    expect([reply.status, codeIn(reply)]).toEqual([400, 'invalid_json']);
  }
  const text = 'é Ω \u{1f600} \ufeff';
  const reply = await post(Buffer.from(body(text)));
  expect(JSON.parse(reply.text).description).toBe(text);
});

describe('methods', () => {
  test('HEAD is GET without the body', async () => {
    const { id } = await create();
    for (const path of [
      '/payments/card',
      `/payments/card/${id}`,
      '/openapi.json',
      '/',
      '/sandbox',
    ]) {
      const [head, get] = [
        await send({ method: 'HEAD', path }),
        await send({ method: 'GET', path }),
      ];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control'])
        expect(head.headers[name], path).toBe(get.headers[name]);
    }
    const headers = { authorization: '' };
    expect((await send({ method: 'HEAD', path: '/payments/card', headers })).status).toBe(401);
    const path = '/payments/card/pi_card_0';
    expect((await send({ method: 'HEAD', path })).status).toBe(404);
  });

  test('GET has no body: one is refused, and the connection goes on', async () => {
    const { id } = await create();
    for (const path of ['/payments/card', `/payments/card/${id}`])
      for (const length of [{ 'content-length': '2' }, {}]) {
        const headers = { 'content-type': 'application/json', ...length };
        const reply = await send({ method: 'GET', path, headers, chunks: ['{}'] });
        expect([reply.status, codeIn(reply)]).toEqual([400, 'invalid_request']);
      }
    const encoded = { body: {}, headers: { 'content-encoding': 'gzip' } };
    expect((await call('GET', '/payments/card', encoded)).status).toBe(415);
    const headers = { 'content-length': '0', 'content-type': 'application/json' };
    expect((await send({ method: 'GET', path: '/payments/card', headers })).status).toBe(200);
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s: there is no such operation',
    async (method) => {
      const reply = await send({ method, path: '/payments/card' });
      expect([reply.status, codeIn(reply)]).toEqual([404, 'not_found']);
    },
  );
});

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
  'metadata: %s is a name like any other, and nowhere else',
  async (name) => {
    const headers = { 'content-type': 'application/json' };
    const post = async (body: string) =>
      send({ method: 'POST', path: '/payments/card', headers, chunks: [body] });
    const order = '"amount":1,"currency":"USD"';
    const text = `{"${name}":"x"}`;
    const reply = await post(`{${order},"metadata":${text}}`);
    expect(reply.status).toBe(201);
    expect(reply.text).toContain(`"metadata":${text}`);
    for (const body of [
      `{${order},"${name}":"x"}`,
      `{${order},"${name}":{"metadata":{}}}`,
      `{${order},"metadata":{"${name}":{"a":"b"}}}`,
    ])
      expect(codeIn(await post(body))).toBe('invalid_request');
    expect(Object.prototype).not.toHaveProperty('metadata');
  },
);

describe('limit', () => {
  test.each([
    '1.5',
    '1.0',
    '1e1',
    '0x10',
    '010',
    '+5',
    ' 5',
    '5 ',
    '',
    'ten',
    '-1',
    '0',
    '101',
    '5&limit=6',
    '٥',
  ])('%j is refused', async (limit) => {
    const path = `/payments/card?limit=${limit}`;
    const reply = await call('GET', encodeURI(path).replace('+', '%2B'));
    expect([...errorOf(reply), reply.body.error.param]).toEqual([400, 'invalid_request', 'limit']);
  });
  test.each([1, 100])('%i is accepted', async (limit) => {
    expect((await call('GET', `/payments/card?limit=${limit}`)).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  test('does not depend on the order of members, at any depth', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'in any order' };
    const post = (body: string) =>
      send({ method: 'POST', path: '/payments/card', headers, chunks: [body] });
    const first = await post('{"amount":1,"currency":"USD","metadata":{"a":"1","b":"2"}}');
    const again = await post('{ "metadata":{"b":"2","a":"1"},"currency":"USD", "amount":1}');
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const other = await post('{"amount":1,"currency":"USD","metadata":{"a":"2","b":"1"}}');
    expect(codeIn(other)).toBe('idempotency_key_reused');
  });

  test('depends on the order of the layout, which is an array', async () => {
    const { id } = await create();
    const block = seal(await requestKey());
    const headers = { 'idempotency-key': 'layout' };
    await authorize(id, block, { headers });
    const reversed = { ...block, layout: [...block.layout].reverse() };
    expect(errorOf(await authorize(id, reversed, { headers }))[1]).toBe('idempotency_key_reused');
    const layout = block.layout.map(({ field, len }) => ({ len, field }));
    const sameBlock = { layout, key_id: block.key_id, payload: block.payload };
    expect((await authorize(id, sameBlock, { headers })).body.status).toBe('committed');
  });
});

describe('the length of a number belongs to its brand', () => {
  test.each([
    ['4242', [12, 14, 15, 17, 18], [13, 16, 19]],
    ['5555', [12, 15, 17, 19], [16]],
    ['3782', [14, 16], [15]],
    ['6011', [13, 15], [16, 19]],
    ['3622', [13], [14, 16, 19]],
    ['3566', [15], [16, 19]],
    ['6200', [15], [16, 19]],
    ['6759', [], [12, 13, 16, 19]],
    ['9000', [], [12, 19]],
  ])('%s', async (prefix, wrong, right) => {
    for (const length of [...wrong, ...right]) {
      const { status, failure_reason } = await pay({ number: withCheckDigit(prefix, length) });
      const expected = right.includes(length)
        ? ['committed', null]
        : ['failed', 'incorrect_number'];
      expect([length, status, failure_reason]).toEqual([length, ...expected]);
    }
  });
});

/** A number that passes Luhn. */
function withCheckDigit(prefix: string, length: number): string {
  const body = prefix.padEnd(length - 1, '0');
  return [...'0123456789'].map((digit) => body + digit).find(passesLuhn)!;
}

function passesLuhn(number: string): boolean {
  const values = [...number].reverse().map((digit, i) => Number(digit) * (i % 2 ? 2 : 1));
  return values.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0;
}

test('a list costs what it returns: no more with 30,000 intents than with 30', () => {
  const nothing = () => {};
  const account = { id: 'acct', livemode: false };
  const withIntents = (count: number) => {
    const intents = createIntents({
      clock: Date.now,
      processor: undefined as never,
      save: nothing,
      onChange: nothing,
    });
    const body = { amount: 1, currency: 'USD' } as const;
    const all = Array.from({ length: count }, () => intents.create(account, body));
    return { intents, starting_after: all[29]!.id };
  };
  const time = ({ intents, starting_after }: ReturnType<typeof withIntents>) => {
    const start = performance.now();
    for (let i = 0; i < 300; i++) {
      intents.list('acct', { limit: 10 });
      intents.list('acct', { limit: 10, starting_after });
    }
    return performance.now() - start;
  };
  const few = withIntents(30);
  const many = withIntents(30_030);
  // In turn, so that both meet the same noise. The first times are slow.
  const times = Array.from({ length: 20 }, () => [time(few), time(many)] as const);
  const fastest = (of: 0 | 1) => Math.min(...times.map((pair) => pair[of]));
  // It was 64 ms for each when all intents were copied: 3,000 times as long.
  expect(fastest(1) / fastest(0)).toBeLessThan(10);
  const { starting_after } = many;
  const { data, has_more } = many.intents.list('acct', { limit: 100, starting_after });
  expect([data.length, has_more]).toEqual([29, false]);
});

test('the card of a refused block is in no answer', async () => {
  const { id } = await create();
  const block = { ...seal(await requestKey(), CARD), layout: [] };
  const { text } = await authorize(id, block);
  expect(text).not.toContain('reason');
});
