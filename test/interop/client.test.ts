import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedService, serviceThat } from '../support/scripted-service.ts';
import { Client, PORTS, run } from './ports.ts';

const SECRET_KEY = 'sk_test_hidden_1';
const ID = 'pi_card_1';
const CARD = {
  payload: 'SEALEDPAYLOAD',
  key_id: 'cek_1',
  layout: ['Pan', 'Name', 'ExpMonth', 'ExpYear', 'Cvc'].map((field) => ({ field, len: 4 })),
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
  metadata: { order: '1' },
  created: 1_767_225_600_000,
  updated: 1_767_225_600_000,
  livemode: false,
};

const answering = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): RequestListener => {
  const content = typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body);
  return (_request, response) => void response.writeHead(status, headers).end(content);
};

const authorize = { method: 'authorize', arguments: { intentId: ID, card: CARD } };
const createIntent = { method: 'createIntent', arguments: { amount: 1000, currency: 'USD' } };
const createKey = { method: 'createEncryptionKey', arguments: {} };

describe.each(PORTS)('$name', (port) => {
  let client: Client;
  beforeAll(() => {
    client = new Client(port);
  });
  afterAll(() => client.stop());

  /** Calls, after a look that nothing secret shows in what came of it. */
  async function call(
    service: Pick<ScriptedService, 'baseUrl'>,
    what: object,
    more: object = {},
    by = client,
  ) {
    const answer = await by.call({
      secretKey: SECRET_KEY,
      ...service,
      requests: undefined,
      ...what,
      ...more,
    });
    for (const secret of [SECRET_KEY, CARD.payload, 'HOSTILE']) {
      expect(answer.shown).not.toContain(secret);
      expect(answer.invalid ?? '').not.toContain(secret);
    }
    return answer;
  }

  describe('a request', () => {
    test('for a key carries the secret key as bearer token and no body', async () => {
      const service = await serviceThat(answering(201, KEY));
      expect((await call(service, createKey)).output).toEqual(KEY);
      expect(service.requests).toMatchObject([
        { line: 'POST /base/payments/card/encryption-keys', body: '' },
      ]);
      const [{ headers }] = service.requests as [ScriptedService['requests'][0]];
      expect(headers.authorization).toBe(`Bearer ${SECRET_KEY}`);
      expect(headers).not.toHaveProperty('content-type');
      expect(headers).not.toHaveProperty('idempotency-key');
    });

    test('for an intent carries the draft as JSON, and no field that was not given', async () => {
      const service = await serviceThat(answering(201, INTENT));
      const more = { amount: 0, currency: 'EUR', captureMethod: 'manual', description: 'Thé "é"' };
      expect((await call(service, createIntent)).output).toEqual(INTENT);
      await call(service, { ...createIntent, arguments: { ...more, idempotencyKey: 'a-b' } });
      expect(service.requests.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
        ['POST /base/payments/card', { amount: 1000, currency: 'USD' }],
        [
          'POST /base/payments/card',
          { amount: 0, currency: 'EUR', capture_method: 'manual', description: 'Thé "é"' },
        ],
      ]);
      expect(service.requests[1]!.headers).toMatchObject({
        'content-type': 'application/json',
        'idempotency-key': 'a-b',
      });
    });

    test('to authorize carries the block and nothing else that stands beside it', async () => {
      const service = await serviceThat(answering(200, { ...INTENT, status: 'committed' }));
      const layout = CARD.layout.map((entry) => ({ ...entry, more: 1 }));
      const card = { ...CARD, layout, more: 1 };
      const { output } = await call(service, { ...authorize, arguments: { intentId: ID, card } });
      expect(output).toMatchObject({ status: 'committed' });
      expect(service.requests[0]!.line).toBe('POST /base/payments/card/pi_card_1/authorize');
      expect(JSON.parse(service.requests[0]!.body)).toEqual(CARD);
    });

    test.each(['http://localhost', 'http://LOCALHOST'])('goes to %s, too', async (host) => {
      const { baseUrl, requests } = await serviceThat(answering(201, KEY));
      const local = baseUrl.replace('http://127.0.0.1', host);
      expect((await call({ baseUrl: local }, createKey)).output).toEqual(KEY);
      expect(requests).toHaveLength(1);
    });
  });

  test.each(['failed', 'a_status_of_tomorrow'])(
    'an intent in %s is an outcome, not an error',
    async (status) => {
      const intent = { ...INTENT, status, failure_reason: 'card_declined' };
      const service = await serviceThat(answering(200, intent));
      expect((await call(service, authorize)).output).toEqual(intent);
    },
  );

  test.each<[string, RequestListener]>([
    [
      'in chunks',
      (_, response) => {
        const text = JSON.stringify(INTENT);
        response.writeHead(200).write(text.slice(0, 5));
        setTimeout(() => response.end(text.slice(5)), 20);
      },
    ],
    [
      'after interim answers',
      (_, response) => {
        response.writeContinue();
        response.writeProcessing();
        response.writeEarlyHints({ link: '</a>; rel=preload' });
        response.writeHead(200).end(JSON.stringify(INTENT));
      },
    ],
    [
      'with its length, on a connection that stays open',
      ({ socket }) => {
        const text = JSON.stringify(INTENT);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}more`);
      },
    ],
    [
      'with numbers that have a fraction of zero',
      (_, response) => {
        response.writeHead(200).end(JSON.stringify(INTENT).replace('1000', '1000.0'));
      },
    ],
  ])('reads an answer that comes %s', async (_, answers) => {
    const { output } = await call(await serviceThat(answers), authorize);
    expect(output).toEqual(INTENT);
  });

  describe('refuses before it sends anything', () => {
    test.each([
      'http://example.com',
      'http://localhost.example.com',
      'https://user:HOSTILE@example.com',
      'http://example.com\\@localhost',
      'https://example.com/?a',
      'https://example.com/#a',
      'https://example.com/a\n',
      'localhost:3000',
    ])('the base address %j', async (baseUrl) => {
      const { invalid } = await call({ baseUrl }, { method: 'none', arguments: {} });
      expect(invalid).toMatch(/must be https, or http to this machine/);
    });

    test.each(['https://example.com/v1/', 'http://[::1]:1', 'https://a-b.c:8443/~x/y.z'])(
      'but not the base address %s',
      async (baseUrl) => {
        const answer = await call({ baseUrl }, { method: 'none', arguments: {} });
        expect(answer).not.toHaveProperty('invalid');
      },
    );

    test.each(['pk_test_HOSTILE', 'sk_test_', 'sk_test_HOSTILÉ', 'sk_test_HOSTILE\r\nX: 1'])(
      'the secret key %j',
      async (secretKey) => {
        const base = { baseUrl: 'https://example.com' };
        const { invalid } = await call(base, { method: 'none', arguments: {} }, { secretKey });
        expect(invalid).toMatch(/must begin with sk_test_ or sk_live_$/);
      },
    );

    test.each([0, -1, 600_001])('a time limit of %s ms', async (timeoutMs) => {
      const base = { baseUrl: 'https://example.com' };
      const { invalid } = await call(base, { method: 'none', arguments: {} }, { timeoutMs });
      expect(invalid).toMatch(/^timeout/);
    });

    test('an amount, intent id or idempotency key that is none', async () => {
      const service = await serviceThat(answering(500, ''));
      for (const amount of [-1, 2 ** 53]) {
        const { invalid } = await call(service, {
          ...createIntent,
          arguments: { amount, currency: 'USD' },
        });
        expect(invalid).toBe('amount must be a whole number of minor units');
      }
      const ids = ['', 'pi_card_', 'pi_card_1?a', 'pi_card_1\n', 'pi_card_é'];
      for (const intentId of [...ids, 'pi_card_1 HTTP/1.1', 'Xpi_card_1']) {
        const { invalid } = await call(service, {
          ...authorize,
          arguments: { intentId, card: CARD },
        });
        expect(invalid).toMatch(/must be the id of a card payment intent/);
      }
      for (const idempotencyKey of ['', 'HOSTILE\r\nX: 1', 'HOSTILÉ', 'HOSTILE\n']) {
        const { invalid } = await call(service, {
          ...authorize,
          arguments: { ...authorize.arguments, idempotencyKey },
        });
        expect(invalid).toMatch(/must be visible ASCII characters/);
      }
      expect(service.requests).toEqual([]);
    });
  });

  describe('the specification says what to do', () => {
    test.each([
      ['encryption_key_expired', 'restart_checkout'],
      ['unknown_encryption_key', 'forward_key_id'],
      ['invalid_encryption_block', 'check_layout'],
    ])('about %s: %s, whatever the envelope', async (code, recovery) => {
      const envelopes = [{ error: { code, message: 'HOSTILE' } }, { errors: [{ code }] }, code];
      for (const envelope of envelopes) {
        const service = await serviceThat(answering(422, JSON.stringify(envelope)));
        const { error } = await call(service, authorize);
        expect(error).toEqual({ recovery, status: 422, code, intentId: ID });
      }
    });

    test.each<[string, unknown]>([
      ['a code it does not know', { error: { code: 'HOSTILE' } }],
      ['a code in a sentence', JSON.stringify('Perhaps encryption_key_expired')],
      ['no JSON', '<h1>HOSTILE encryption_key_expired'],
      ['JSON thousands deep', '['.repeat(30_000) + ']'.repeat(30_000)],
    ])('nothing about a refusal with %s', async (_, body) => {
      const service = await serviceThat(answering(400, body));
      const nothing = { recovery: 'not_specified', status: 400, code: null };
      expect((await call(service, authorize)).error).toEqual({ ...nothing, intentId: ID });
      expect((await call(service, createKey)).error).toEqual({ ...nothing, intentId: null });
    });
  });

  describe('does not know what became of the payment, asks nobody again, and says so', () => {
    const { status, ...withoutStatus } = { ...INTENT, status: 'committed' };

    test.each<[string, RequestListener]>([
      ['no answer', () => {}],
      [
        'a byte of the body now and then',
        (_, response) => {
          response.writeHead(200);
          const timer = setInterval(() => response.write(' '), 50);
          response.on('close', () => clearInterval(timer));
        },
      ],
      [
        'a byte of the headers now and then',
        ({ socket }) => {
          socket.write('HTTP/1.1 200 OK\r\nX: ');
          const timer = setInterval(() => socket.write('x'), 50);
          socket.on('close', () => clearInterval(timer));
          socket.on('error', () => {});
        },
      ],
    ])('with %s within the time limit', async (_, answers) => {
      const service = await serviceThat(answers);
      const started = performance.now();
      const { error } = await call(service, authorize, { timeoutMs: 500 });
      expect(performance.now() - started).toBeLessThan(5000);
      expect(error).toMatchObject({ recovery: 'resolve_intent', intentId: ID, code: null });
      for (const what of [createIntent, createKey]) {
        const { error } = await call(service, what, { timeoutMs: 500 });
        expect(error!.recovery).toBe('ask_again');
      }
      expect(service.requests).toHaveLength(3);
    });

    test.each<[string, RequestListener]>([
      ['a connection that is reset', ({ socket }) => void socket.resetAndDestroy()],
      [
        'a connection that ends within the answer',
        (_, response) => {
          response
            .writeHead(200, { 'content-length': 9999 })
            .write(JSON.stringify(INTENT), () => response.destroy());
        },
      ],
      ['no HTTP', ({ socket }) => void socket.end('HOSTILE\r\n\r\n')],
      ['no JSON', answering(200, '<h1>HOSTILE</h1>')],
      [
        'text that is not UTF-8',
        answering(200, Buffer.from(JSON.stringify({ ...INTENT, description: 'ÿ' }), 'latin1')),
      ],
      ['an error in a success', answering(200, { error: { code: 'encryption_key_expired' } })],
      ['an intent without status', answering(200, withoutStatus)],
      ['another intent', answering(200, { ...INTENT, id: 'pi_card_2' })],
      ['a number that is none', answering(200, JSON.stringify(INTENT).replace('1000', 'NaN'))],
      ['a status other than the specified', answering(202, INTENT)],
      ['a huge answer', answering(200, JSON.stringify(INTENT).padEnd(1e6))],
    ])('with %s', async (_, answers) => {
      const service = await serviceThat(answers);
      const { error } = await call(service, authorize);
      expect(error).toMatchObject({ recovery: 'resolve_intent', intentId: ID, code: null });
      expect(service.requests).toHaveLength(1);
    });

    test('when nobody listens', async () => {
      const service = await serviceThat(() => {});
      service.close();
      expect((await call(service, authorize)).error!.recovery).toBe('resolve_intent');
    });
  });

  test('follows no redirect: the secret key stays', async () => {
    const status = 308;
    const elsewhere = await serviceThat(answering(200, INTENT));
    const location = `${elsewhere.baseUrl}payments/card/pi_card_1/authorize`;
    const service = await serviceThat(answering(status, '', { location }));
    expect((await call(service, authorize)).error).toMatchObject({
      recovery: 'resolve_intent',
      status,
    });
    expect([service.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });

  test.each<[string, unknown]>([
    ['no key at all', { error: 'HOSTILE' }],
    ['no public_key', { ...KEY, public_key: undefined }],
    ['expires_at as text', { ...KEY, expires_at: '1' }],
  ])('takes no key that is not one: %s', async (_, answer) => {
    const service = await serviceThat(answering(201, answer));
    expect((await call(service, createKey)).error).toMatchObject({
      recovery: 'ask_again',
      status: 201,
    });
  });

  test('takes no intent of which a field is missing or of another type', async () => {
    let answer: object = INTENT;
    const service = await serviceThat((...exchange) => answering(200, answer)(...exchange));
    expect((await call(service, authorize)).output).toEqual(INTENT);
    for (const field of Object.keys(INTENT)) {
      for (const value of [undefined, ['HOSTILE']]) {
        answer = { ...INTENT, [field]: value };
        const { error } = await call(service, authorize);
        expect([field, error!.recovery]).toEqual([field, 'resolve_intent']);
      }
    }
  });

  test('speaks https to a host whose certificate is trusted, and to no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const request = 'openssl req -x509 -newkey rsa:2048 -nodes -days 2'.split(' ');
    run([...request, '-keyout', keyFile, '-out', certFile, ...names]);
    const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
    const trusting = new Client(port, certFile);
    try {
      const service = await serviceThat(answering(201, KEY), tls);
      const named = { baseUrl: service.baseUrl.replace('127.0.0.1', 'localhost') };
      expect((await call(named, createKey)).error!.recovery).toBe('ask_again');
      const otherName = await call({ baseUrl: service.baseUrl }, createKey, {}, trusting);
      expect(otherName.error!.recovery).toBe('ask_again');
      expect(service.requests).toEqual([]);
      expect((await call(named, createKey, {}, trusting)).output).toEqual(KEY);
    } finally {
      trusting.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
