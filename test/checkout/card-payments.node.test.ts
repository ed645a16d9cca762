import { getEventListeners, once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CardPayments, CardPaymentsError } from '../../src/checkout/index.ts';
import type { EncryptedCard } from '../../src/core/index.ts';
import { serviceThat } from '../support/scripted-service.ts';

const SECRET_KEY = 'sk_test_hidden_1';
const ID = 'pi_card_azAZ09_-';
const CARD: EncryptedCard = {
  payload: 'SEALEDPAYLOAD',
  key_id: 'cek_1',
  layout: (['Pan', 'Name', 'ExpMonth', 'ExpYear', 'Cvc'] as const).map((field) => ({
    field,
    len: 4,
  })),
};
const KEY = { id: 'cek_1', scheme: 'RSA_OAEP_SHA256_V1', public_key: 'AAAA', expires_at: 1 };
const INTENT = {
  id: ID,
  amount: 1000,
  amount_captured: 0,
  amount_refunded: 0,
  currency: 'USD',
  status: 'created',
  status_at: null,
  processor_ref: null,
  failure_reason: null,
  cancellation_reason: null,
  capture_method: 'automatic',
  payment_method: null,
  description: null,
  statement_descriptor: null,
  metadata: {},
  created: 1,
  updated: 1,
  livemode: false,
};

async function clientOf(answers: RequestListener, timeoutMs = 30_000) {
  const service = await serviceThat(answers);
  const { baseUrl } = service;
  return { ...service, client: new CardPayments({ baseUrl, secretKey: SECRET_KEY, timeoutMs }) };
}

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  return (_request: IncomingMessage, response: ServerResponse) => {
    response
      .writeHead(status, headers)
      .end(typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body));
  };
};

/** What a promise was rejected with, after a look that nothing secret is in it. */
async function rejection(promise: Promise<unknown>): Promise<CardPaymentsError> {
  const error = await promise.then(
    () => {
      throw new Error('It was not refused');
    },
    (reason) => reason,
  );
  const all = `${inspect(error, { depth: null, showHidden: true })}${JSON.stringify(error)}${error.message}${error.stack}`;
  for (const secret of [SECRET_KEY, CARD.payload, 'HOSTILE']) expect(all).not.toContain(secret);
  expect(error).not.toHaveProperty('cause');
  return error;
}

describe('a request', () => {
  test('for a key carries the secret key as bearer token and no body', async () => {
    const { client, requests } = await clientOf(answering(201, KEY));
    expect(await client.createEncryptionKey()).toEqual(KEY);
    expect(requests).toMatchObject([
      { line: 'POST /base/payments/card/encryption-keys', body: '' },
    ]);
    expect(requests[0]!.headers.authorization).toBe(`Bearer ${SECRET_KEY}`);
    expect(requests[0]!.headers.accept).toBe('application/json');
    expect(requests[0]!.headers).not.toHaveProperty('content-type');
    expect(requests[0]!.headers).not.toHaveProperty('idempotency-key');
  });

  test('has its path after a base address that may lack the slash in the end', async () => {
    const { baseUrl, requests } = await clientOf(answering(201, KEY));
    const client = new CardPayments({ baseUrl: baseUrl.slice(0, -1), secretKey: SECRET_KEY });
    await client.createEncryptionKey();
    expect(requests[0]!.line).toBe('POST /base/payments/card/encryption-keys');
  });

  test('for an intent carries the draft as JSON, and no field that was not given', async () => {
    const { client, requests } = await clientOf(answering(201, INTENT));
    expect(
      await client.createIntent({ amount: 1000, currency: 'USD' }, { idempotencyKey: 'a-b' }),
    ).toEqual(INTENT);
    await client.createIntent({
      amount: 0,
      currency: 'EUR',
      capture_method: 'manual',
      description: 'Tea',
    });
    expect(requests.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      ['POST /base/payments/card', { amount: 1000, currency: 'USD' }],
      [
        'POST /base/payments/card',
        { amount: 0, currency: 'EUR', capture_method: 'manual', description: 'Tea' },
      ],
    ]);
    expect(requests[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'a-b',
    });
  });

  test('to authorize carries the block and nothing else that stands beside it', async () => {
    const { client, requests } = await clientOf(answering(200, { ...INTENT, status: 'committed' }));
    const layout = CARD.layout.map((entry) => ({ ...entry, more: 1 }));
    const card = { ...CARD, layout, more: 1 } as EncryptedCard;
    const intent = await client.authorize(ID, card, { idempotencyKey: '!~' });
    expect(intent.status).toBe('committed');
    expect(requests[0]!.line).toBe(`POST /base/payments/card/${ID}/authorize`);
    expect(JSON.parse(requests[0]!.body)).toEqual(CARD);
  });
});

test.each(['committed', 'authorized', 'failed', 'a_status_of_tomorrow'])(
  'authorize resolves with an intent in %s',
  async (status) => {
    const { client } = await clientOf(answering(200, { ...INTENT, status, more: 1 }));
    expect((await client.authorize(ID, CARD)).status).toBe(status);
  },
);

describe('refuses before it sends anything', () => {
  const create = (options: object) =>
    new CardPayments({ baseUrl: 'https://example.com', secretKey: SECRET_KEY, ...options });

  test.each([
    'ftp://localhost',
    'http://example.com',
    'http://localhost.example.com',
    'https://user@example.com',
    'https://:secret@example.com',
    'https://example.com/?a',
    'https://example.com/#a',
    'localhost:3000',
    undefined,
  ])('the base address %s', (baseUrl) => {
    const message =
      'baseUrl must be https, or http to this machine, and have no credentials, query or fragment';
    expect(() => create({ baseUrl })).toThrow(new TypeError(message));
  });

  test.each([
    'https://example.com/v1/',
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])('but not the base address %s', (baseUrl) => {
    expect(create({ baseUrl, secretKey: 'sk_live_1' })).toBeInstanceOf(CardPayments);
  });

  test.each(['', 'pk_test_HOSTILE', 'sk_test_', 'sk_test_HOSTILE\n', ' sk_test_1', undefined])(
    'the secret key %j',
    (secretKey) => {
      const message = 'secretKey must begin with sk_test_ or sk_live_';
      expect(() => create({ secretKey })).toThrow(new TypeError(message));
    },
  );

  test.each([0, 0.5, Number.NaN, 2 ** 31, '1'])('a time limit of %s', (timeoutMs) => {
    const message = 'timeoutMs must be milliseconds';
    expect(() => create({ timeoutMs })).toThrow(new TypeError(message));
  });

  test.each([1, 2 ** 31 - 1])('but not a time limit of %s', (timeoutMs) => {
    expect(create({ timeoutMs })).toMatchObject({ timeoutMs });
  });

  test('an amount, intent id or idempotency key that is none', async () => {
    const { client, requests } = await clientOf(answering(500, ''));
    const amounts = [0.5, -1, 2 ** 53, '1000', undefined] as number[];
    const beyond = ['`', '{', '@', '[', '/', ':', '?'].map((char) => `pi_card_${char}`);
    const ids = ['', 'pi_card_', 'Xpi_card_1', 1, ...beyond] as string[];
    const idempotencyKeys = ['', ' ', '\x7f', 'HOSTILE\r\nX: 1', 'HOSTILÉ'];
    const refusals: [string, Promise<unknown>[]][] = [
      [
        'amount must be a whole number of minor units',
        amounts.map((amount) => client.createIntent({ amount, currency: 'USD' })),
      ],
      ['id must be the id of a card payment intent', ids.map((id) => client.authorize(id, CARD))],
      [
        'idempotencyKey must be visible ASCII characters',
        idempotencyKeys.map((idempotencyKey) => client.authorize(ID, CARD, { idempotencyKey })),
      ],
    ];
    for (const [message, calls] of refusals)
      for (const error of await Promise.all(calls.map(rejection)))
        expect(error).toEqual(new TypeError(message));
    const aborted = AbortSignal.abort(new Error('mine'));
    expect((await rejection(client.authorize(ID, CARD, { signal: aborted }))).message).toBe('mine');
    expect(requests).toEqual([]);
  });
});

describe('the specification says what to do', () => {
  test.each([
    ['encryption_key_expired', 'restart_checkout'],
    ['unknown_encryption_key', 'forward_key_id'],
    ['invalid_encryption_block', 'check_layout'],
  ])('about %s: %s, whatever the envelope', async (code, recovery) => {
    const envelopes = [{ error: { code, message: 'HOSTILE' } }, { errors: [code] }, code];
    for (const envelope of envelopes) {
      const { client } = await clientOf(answering(422, JSON.stringify(envelope)));
      const error = await rejection(client.authorize(ID, CARD));
      expect(error).toBeInstanceOf(CardPaymentsError);
      expect(error).toMatchObject({
        name: 'CardPaymentsError',
        status: 422,
        code,
        recovery,
        intentId: ID,
      });
    }
  });

  test.each<[string, unknown]>([
    ['a code it does not know', { error: { code: 'HOSTILE' } }],
    ['a property of Object.prototype as code', { error: { code: 'toString' } }],
    ['two codes', ['encryption_key_expired', 'unknown_encryption_key']],
    ['a code in a sentence', 'Perhaps encryption_key_expired'],
    ['no JSON', '<h1>HOSTILE encryption_key_expired'],
    ['JSON thousands deep', '['.repeat(30_000) + ']'.repeat(30_000)],
  ])('nothing about a refusal with %s', async (_, body) => {
    const { client } = await clientOf(answering(400, body));
    const expected = { status: 400, code: undefined, recovery: 'not_specified' };
    expect(await rejection(client.authorize(ID, CARD))).toMatchObject(expected);
    expect(await rejection(client.createEncryptionKey())).toMatchObject(expected);
  });
});

describe('does not know what became of the payment, asks nobody again, and says so', () => {
  const { status, ...withoutStatus } = { ...INTENT, status: 'committed' };

  test('with no answer, or half of one, within the time limit', async () => {
    const half: RequestListener = (_, response) =>
      response.writeHead(200, { 'content-length': 100 }).write('{');
    const visits = [() => {}, half].map(async (answers) => {
      const { client, requests } = await clientOf(answers, 5000); // a busy machine is slow
      const [error, intent, key] = await Promise.all([
        rejection(client.authorize(ID, CARD)),
        rejection(client.createIntent({ amount: 1, currency: 'USD' })),
        rejection(client.createEncryptionKey()),
      ]);
      expect(error).toMatchObject({ recovery: 'resolve_intent', intentId: ID, code: undefined });
      expect(error.message).toBe('The service did not answer in time');
      expect([intent.recovery, key.recovery]).toEqual(['ask_again', 'ask_again']);
      expect(requests).toHaveLength(3);
    });
    await Promise.all(visits);
  });

  test.each<[string, RequestListener]>([
    ['a connection that is reset', (request) => request.socket.resetAndDestroy()],
    [
      'a connection that ends within the answer',
      (_, response) =>
        void response
          .writeHead(200, { 'content-length': 100 })
          .write('{', () => response.destroy()),
    ],
    ['no HTTP', (request) => request.socket.end('HOSTILE\r\n\r\n')],
    ['no JSON', answering(200, '<h1>HOSTILE</h1>')],
    [
      'text that is not UTF-8',
      answering(200, Buffer.from(JSON.stringify({ ...INTENT, description: 'ÿ' }), 'latin1')),
    ],
    ['a list', answering(200, [INTENT])],
    ['an error in a success', answering(200, { error: { code: 'encryption_key_expired' } })],
    ['an intent without status', answering(200, withoutStatus)],
    ['another intent', answering(200, { ...INTENT, id: 'pi_card_2' })],
    ['a status other than the specified', answering(202, INTENT)],
    ['a failure with a known code', answering(503, { code: 'encryption_key_expired' })],
    [
      'a huge answer',
      (_, response) => void response.writeHead(200).end(Buffer.alloc(1e6, JSON.stringify(INTENT))),
    ],
    ['a huge refusal', (_, response) => void response.writeHead(422).end(Buffer.alloc(1e6, ' '))],
    [
      'a small answer that unpacks to a huge one',
      answering(200, gzipSync(JSON.stringify(INTENT) + ' '.repeat(1e6)), {
        'content-encoding': 'gzip',
      }),
    ],
  ])('with %s', async (_, answers) => {
    const { client, requests } = await clientOf(answers);
    expect(await rejection(client.authorize(ID, CARD))).toMatchObject({
      recovery: 'resolve_intent',
      intentId: ID,
      code: undefined,
    });
    expect(requests).toHaveLength(1);
  });

  test('with an answer without an end, and ends the connection', async () => {
    let ended: Promise<unknown> | undefined;
    const { client } = await clientOf((_, response) => {
      // Node 26 calls back with an error before it marks the response as destroyed: to write again then would never end.
      const write = (error?: Error | null) => {
        if (!error && !response.destroyed) response.write(Buffer.alloc(16_384, ' '), write);
      };
      ended = once(response.writeHead(200), 'close');
      write();
    });
    expect((await rejection(client.authorize(ID, CARD))).recovery).toBe('resolve_intent');
    expect(ended).toBeDefined();
    await ended;
  });

  test('when its caller gives up', async () => {
    const caller = new AbortController();
    const { client } = await clientOf(() => caller.abort());
    const error = await rejection(client.authorize(ID, CARD, { signal: caller.signal }));
    expect(error).toMatchObject({ recovery: 'resolve_intent', message: 'The request was aborted' });
  });

  test('when nobody listens', async () => {
    const { client, close } = await clientOf(() => {});
    close();
    expect((await rejection(client.authorize(ID, CARD))).recovery).toBe('resolve_intent');
  });
});

test.each([302, 308])(
  'follows no redirect (%i): the secret key stays with the base address',
  async (status) => {
    const elsewhere = await clientOf(answering(200, INTENT));
    const { client, requests } = await clientOf(
      answering(status, '', { location: `${elsewhere.baseUrl}payments/card/${ID}/authorize` }),
    );
    const error = await rejection(client.authorize(ID, CARD));
    expect(error).toMatchObject({ recovery: 'resolve_intent' });
    expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  },
);

test.each<[string, unknown]>([
  ['no key at all', { error: 'HOSTILE' }],
  ['an id without its prefix', { ...KEY, id: '1' }],
  ['an id that is a number', { ...KEY, id: 1 }],
  ['no public_key', { ...KEY, public_key: undefined }],
  ['expires_at as text', { ...KEY, expires_at: '1' }],
])('takes no key that is not one: %s', async (_, answer) => {
  const { client } = await clientOf(answering(201, answer));
  expect(await rejection(client.createEncryptionKey())).toMatchObject({
    recovery: 'ask_again',
    status: 201,
  });
});

test('takes no intent of which a field is missing or of another type', async () => {
  let answer: object = INTENT;
  const { client } = await clientOf((...exchange) => answering(200, answer)(...exchange));
  expect(await client.authorize(ID, CARD)).toEqual(INTENT);
  for (const field of Object.keys(INTENT)) {
    for (const value of [undefined, ['HOSTILE']]) {
      answer = { ...INTENT, [field]: value };
      const error = await rejection(client.authorize(ID, CARD));
      expect([field, error.recovery]).toEqual([field, 'resolve_intent']);
    }
  }
});

test('keeps the secret key to itself', () => {
  const client = new CardPayments({ baseUrl: 'https://example.com', secretKey: SECRET_KEY });
  const seen = [
    inspect(client, { depth: null, showHidden: true }),
    JSON.stringify(client),
    String(client),
    JSON.stringify({ ...client }),
  ];
  for (const text of seen) expect(text).not.toContain(SECRET_KEY);
  expect(inspect({ secretKey: SECRET_KEY })).toContain(SECRET_KEY); // what a public property would show
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
    const { client } = await clientOf(answering(200, ALL));
    expect(await client.authorize(ID, CARD)).toEqual(ALL);
  });

  test.each([
    { payment_method: { brand: 'visa' } },
    { payment_method: { last4: '4242' } },
    { metadata: null },
    { metadata: 'none' },
  ])('with %j is none', async (wrong) => {
    const { client } = await clientOf(answering(200, { ...INTENT, ...wrong }));
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
    const { client } = await clientOf(answering(status, ''));
    await expect(client.authorize(ID, CARD)).rejects.toMatchObject({ recovery, message });
  });

  test.each([
    [64 * 1024, true],
    [64 * 1024 + 1, false],
  ])('of %i bytes', async (size, isRead) => {
    const { client } = await clientOf(answering(200, JSON.stringify(INTENT).padEnd(size)));
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
  const { client } = await clientOf(answering(200, INTENT));
  const answer = client.authorize(ID, CARD, { signal });
  const timer = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 30_000)]!.value;
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await answer;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(clear.mock.calls.some(([it]) => it === timer)).toBe(true);
});
