import { fork } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { openBlock } from '../../../demo/service/processor/encrypted-block.ts';
import { generateRsaKeyPair, type KeyPair } from '../../../demo/service/processor/index.ts';
import {
  CARD,
  errorOf,
  layoutOf,
  plaintextOf,
  type Reply,
  recycledKeyPair,
  seal,
  startService,
} from '../../tools/support/card-payment-service.ts';

vi.setConfig({ testTimeout: 60_000 }); // for a machine that is busy with other things

const authorization = `Bearer ${ACCOUNTS[0].secretKey}`;
const running: ReturnType<typeof startService>[] = [];
const start = (...options: Parameters<typeof startService>) => {
  running.push(startService(...options));
  return running.at(-1)!;
};
afterAll(() => Promise.all(running.map(({ app }) => app.close())));

const service = start();
const { call, create, requestKey, authorize } = service;

/** Enough that some of them meet. */
const MANY = 30;

describe('many at once', () => {
  test('of many authorizations of the same intent, each with a block of its own, exactly one wins', async () => {
    const { id } = await create();
    const blocks = await Promise.all(
      Array.from({ length: MANY }, async () => seal(await requestKey())),
    );
    const replies = await Promise.all(blocks.map((block) => authorize(id, block)));
    const [winner, ...others] = replies.sort((one, other) => one.status - other.status);
    expect(winner!.status).toBe(200);
    for (const reply of others) expect(errorOf(reply)).toEqual([409, 'intent_busy']);
    expect((await call('GET', `/payments/card/${id}`)).text).toBe(winner!.text);
  });

  test('of many authorizations of different intents with the same block exactly one wins, and none after them', async () => {
    const block = seal(await requestKey());
    const intents = await Promise.all(Array.from({ length: MANY }, () => create()));
    const replies = await Promise.all(intents.map(({ id }) => authorize(id, block)));
    const [winner, ...others] = replies.sort((one, other) => one.status - other.status);
    expect(winner!.status).toBe(200);
    others.push(await authorize((await create()).id, block));
    for (const reply of others) expect(errorOf(reply)).toEqual([422, 'encryption_key_used']);
  });

  test('of many requests with the same Idempotency-Key one is processed, and the others are told so or get its response', async () => {
    const { id } = await create();
    const block = seal(await requestKey());
    const headers = { 'idempotency-key': 'one of many' };
    const replies = await Promise.all(
      Array.from({ length: MANY }, () => authorize(id, block, { headers })),
    );
    const done = replies.filter(
      ({ status, headers }) => status === 200 && !headers['idempotent-replayed'],
    );
    expect(done).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect(errorOf(reply)).toEqual([409, 'idempotency_key_in_use']);
    expect((await authorize(id, block, { headers })).text).toBe(done[0]!.text);
  });

  test('while an intent is being authorized it can be read and not cancelled', async () => {
    const { id } = await create();
    const block = seal(await requestKey());
    const { decrypt } = webcrypto.subtle;
    const spy = vi.spyOn(webcrypto.subtle, 'decrypt');
    const others = new Promise<[Reply, Reply]>((resolve) => {
      spy.mockImplementationOnce(async (...parameters) => {
        resolve([
          await call('POST', `/payments/card/${id}/cancel`),
          await call('GET', `/payments/card/${id}`),
        ]);
        return decrypt.apply(webcrypto.subtle, parameters);
      });
    });
    const authorized = await authorize(id, block);
    spy.mockRestore();
    const [cancelled, read] = await others;
    expect([authorized.body.status, ...errorOf(cancelled), read.body.status]).toEqual([
      'committed',
      409,
      'intent_busy',
      'created',
    ]);
  });

  test('of many keys the first and the last are as good as any, and all expire', async () => {
    const { time, authorize, create, requestKey } = start();
    const keys = await Promise.all(Array.from({ length: 300 }, () => requestKey()));
    for (const key of [keys[0]!, keys[299]!])
      expect((await authorize((await create()).id, seal(key))).body.status).toBe('committed');
    time.now = keys[0]!.expires_at + 1;
    const { id } = await create();
    for (const key of [keys[1]!, keys[298]!])
      expect(errorOf(await authorize(id, seal(key)))).toEqual([422, 'encryption_key_expired']);
  });
});

describe('what stays', () => {
  test('a private key is gone from memory once it is used, and once it has expired', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const privateKeys: WeakRef<object>[] = [];
    const generateKeyPair = async (): Promise<KeyPair> => {
      const pair = await generateRsaKeyPair(2048);
      privateKeys.push(new WeakRef(pair.privateKey));
      return pair;
    };
    const { time, requestKey, authorize, create } = start({ generateKeyPair });
    const expectAlive = (alive: boolean[]) =>
      vi.waitFor(
        () => {
          gc();
          expect(privateKeys.slice(0, 2).map((ref) => ref.deref() !== undefined)).toEqual(alive);
        },
        { timeout: 10_000 },
      );
    const [used, expired] = [await requestKey(), await requestKey()];
    await expectAlive([true, true]);
    await authorize((await create()).id, seal(used));
    await expectAlive([false, true]);
    time.now = expired.expires_at + 1;
    await requestKey();
    await expectAlive([false, false]);
  });

  test.each([
    ['is used', () => 'used'],
    [
      'was of no use',
      () => {
        throw new Error('no use');
      },
    ],
  ])('the card is wiped when it %s', async (_, use) => {
    const { publicKey, privateKey } = await recycledKeyPair();
    const plaintext = new TextEncoder().encode(plaintextOf());
    const payload = await crypto.subtle.encrypt({ name: 'RSA-OAEP' }, publicKey, plaintext);
    const block = { payload: Buffer.from(payload).toString('base64'), layout: layoutOf() };
    const seen: Uint8Array[] = [];
    const opened = openBlock(privateKey, block, (card) => {
      seen.push(...Object.values(card));
      expect(Buffer.concat(seen).toString()).toBe(plaintextOf());
      return use();
    });
    await opened.catch(() => {});
    expect(Buffer.concat(seen)).toEqual(Buffer.alloc(plaintext.length));
  });

  test('the block is not in the service’s heap once it is processed, nor is the card', async () => {
    const child = fork(join(import.meta.dirname, '../../tools/support/service-process.ts'), {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const folder = mkdtempSync(join(tmpdir(), 'heap-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [port] = await once(child, 'message');
    const post = async (path: string, body?: unknown) => {
      const headers = {
        authorization,
        'content-type': 'application/json',
        connection: 'close',
        'idempotency-key': crypto.randomUUID(),
      };
      const url = `http://127.0.0.1:${port}/payments/card${path}`;
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(body) ?? null,
      });
      return answer.json();
    };
    const card = { ...CARD, number: '5555555555554444', name: 'Wilhelmina Nachtigall' };
    const order = { amount: 1000, currency: 'USD', description: 'An order of nightingales' };
    const { id } = await post('', order);
    const block = seal(await post('/encryption-keys'), card);
    expect((await post(`/${id}/authorize`, block)).status).toBe('committed');
    const again = await post(`/${id}/authorize`, { ...block, layout: [] });
    expect(again.error.code).toBe('invalid_intent_state');
    await post('', { amount: 1, currency: 'USD' });
    const file = join(folder, 'service.heapsnapshot');
    child.send(file);
    await once(child, 'exit');
    const heap = readFileSync(file);
    // What the service does keep is found.
    for (const kept of [order.description, block.key_id]) expect(heap.includes(kept)).toBe(true);
    const { payload } = block;
    for (const gone of [payload, payload.slice(0, 40), payload.slice(-40), card.number, card.name])
      expect(heap.includes(gone)).toBe(false);
  });

  const folder = join(import.meta.dirname, '../../../demo/service');

  test('nothing is written: no module of the service can reach a file, a process or the network by itself', () => {
    // They make a package of the service, start it and write its log
    const commands = ['build.ts', 'cli.ts', 'command-line.ts'];
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !commands.includes(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(sources.length).toBeGreaterThan(10);
    const imported = sources.flatMap((text) => text.match(/(?<=from ')[^.'][^']*/g) ?? []);
    for (const name of imported)
      expect(name).toMatch(/^(node:(buffer|crypto|http|net)|@?fastify.*)$/);
    for (const text of sources)
      expect(text).not.toMatch(/\b(console|process\.|import\(|require\()/);
  });

  test('the boundary: outside demo/service/processor nothing decrypts, and only its index is imported', () => {
    const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    expect(sources).toContain('intents.ts');
    for (const name of sources) {
      const source = readFileSync(join(folder, name), 'utf8');
      expect(source, name).not.toMatch(/privateKey|decrypt\(|subtle|processor\/(?!index\.ts)/);
    }
  });
});

describe('a misposted card', () => {
  const PAN = CARD.number;
  const create = '/payments/card';
  const authorize = '/payments/card/pi_card_0/authorize';
  const order = { amount: 1, currency: 'USD' };
  const block = { payload: PAN, key_id: PAN, layout: [{ field: PAN, len: 1 }] };
  const places: Record<string, Parameters<typeof call>> = {
    'as the body': ['POST', create, { body: CARD }],
    'as the text of the body': ['POST', create, { body: PAN }],
    'as a value': ['POST', create, { body: { ...order, currency: PAN } }],
    'as a name': ['POST', create, { body: { ...order, [PAN]: 1 } }],
    'as a name in metadata': ['POST', create, { body: { ...order, metadata: { [PAN]: 1 } } }],
    'as a field of the layout': [
      'POST',
      authorize,
      { body: { ...block, layout: [{ field: PAN }] } },
    ],
    'as key_id': ['POST', authorize, { body: block }],
    'as the id': ['GET', `/payments/card/${PAN}`],
    'as the path': ['GET', `/${PAN}`],
    'as a path that cannot be decoded': ['GET', `/${PAN}%ff`],
    'as a path that is too long': ['POST', `/payments/card/${PAN.repeat(10)}/commit`],
    'in the query': ['GET', `/payments/card?${PAN}=1&limit=${PAN}`],
    'as the secret key': ['GET', create, { secretKey: PAN }],
    'as the Idempotency-Key': [
      'POST',
      create,
      { body: order, headers: { 'idempotency-key': PAN.repeat(20) } },
    ],
    'in the type of the body': [
      'POST',
      create,
      { body: CARD, headers: { 'content-type': `text/${PAN}` } },
    ],
  };

  const lines = new PassThrough();
  const log = text(lines);
  const logged = start({ logger: { level: 'trace', stream: lines } });

  test.each(Object.entries(places))('%s is refused without an echo', async (_, parameters) => {
    const reply = await logged.call(...parameters);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.text + JSON.stringify(reply.headers)).not.toContain(PAN);
  });

  test('stands in no line of the log, at any level, nor does a block or a secret key', async () => {
    await logged.app.inject({
      method: 'POST',
      url: '/payments/card',
      headers: { authorization, 'content-type': 'application/json' },
      payload: `{${PAN}`,
    });
    const block = seal(await logged.requestKey());
    await logged.authorize((await logged.create()).id, block);
    await logged.app.listen({ port: 0, host: '127.0.0.1' });
    await exchange(logged, `GET /${PAN} NONSENSE/${PAN}\r\n\r\n`);
    await logged.app.close();
    lines.end();
    const written = await log;
    const answered = written.split('\n').filter((line) => line.includes('"msg":"answered"'));
    expect(answered.length).toBeGreaterThan(Object.keys(places).length);
    for (const secret of [PAN, block.payload, block.key_id, ACCOUNTS[0].secretKey])
      expect(written).not.toContain(secret);
  });
});

test('what is not a request is 400 and never 500; a path that is not there is 404', async () => {
  const headers = { authorization, 'content-type': 'application/json' };
  const paths = ['', '/pi_card_0/authorize', '/pi_card_0/refund'];
  const bodies = [
    '{',
    'null',
    '[]',
    '"text"',
    '1',
    '{}}',
    '\u0000',
    '{"__proto__":{"amount":1}}',
    ' ',
  ];
  for (const url of paths.map((path) => `/payments/card${path}`)) {
    for (const payload of bodies) {
      const response = await service.app.inject({ method: 'POST', url, headers, payload });
      expect({ url, payload, status: response.statusCode }).toEqual({ url, payload, status: 400 });
      expect(response.json().error.code).toMatch(/^invalid_(json|request)$/);
    }
  }
  for (const path of ['/nowhere', '/payments/card/', '/payments/card/a/b/c', '//'])
    expect((await call('POST', path)).status).toBe(404);
});

describe('over the wire', async () => {
  const [wired, impatient] = [start(), start({ requestTimeoutMs: 300 })];
  for (const { app } of [wired, impatient]) await app.listen({ port: 0, host: '127.0.0.1' });
  const stillServes = async () => expect((await wired.pay()).status).toBe('committed');

  test.each([
    ['with a length', { 'content-length': String(10 * 1024 * 1024) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('a body of 10 MB %s: 413, read by a client that sends all of it first', async (_, length) => {
    const headers = { authorization, 'content-type': 'application/json', ...length };
    const { port } = wired.app.server.address() as AddressInfo;
    const outgoing = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/payments/card',
      headers,
    });
    const answered = once(outgoing, 'response');
    outgoing.end(Buffer.alloc(10 * 1024 * 1024, 0x20));
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    expect(await json(response)).toMatchObject({ error: { code: 'request_too_large' } });
    await stillServes();
  });

  test.each([
    [
      'its body',
      `POST /payments/card HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"am`,
    ],
    ['its headers', 'POST /payments/card HTTP/1.1\r\nHost: x\r\nAuthoriz'],
  ])(
    'a client that never ends %s: the others are served meanwhile, and it is told 408 and let go',
    async (_, bytes) => {
      const answer = exchange(impatient, bytes);
      expect((await impatient.pay()).status).toBe('committed');
      expect(await answer).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    },
  );

  test('a connection whose request never ends does not keep the service from ending', async () => {
    const { app } = start();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => {}); // it is cut off
    const cut = new Promise((closed) => socket.once('close', closed));
    await new Promise((written) =>
      socket.write('POST /payments/card HTTP/1.1\r\nHost: x\r\nAuthoriz', written),
    );
    await app.close();
    await cut;
  });

  test('bytes that are not HTTP: 400 in the same envelope', async () => {
    expect(await exchange(wired, '\x16\x03\x01 not HTTP\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*"code":"invalid_request"/s,
    );
    await stillServes();
  });

  test('headers of 64 KiB: 431 in the same envelope', async () => {
    const bytes = `GET /payments/card HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(64 * 1024)}\r\n\r\n`;
    expect(await exchange(wired, bytes)).toMatch(/^HTTP\/1\.1 431 .*"code":"headers_too_large"/s);
    await stillServes();
  });

  test('a client that hangs up in the middle harms no one', async () => {
    const socket = connect((wired.app.server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise<void>((written) =>
      socket.write('POST /payments/card HTTP/1.1\r\nContent-Length: 9\r\n\r\n{', () => written()),
    );
    socket.resetAndDestroy();
    await once(socket, 'close');
    await stillServes();
  });
});

/** Writes bytes and returns all that comes back until the service closes the connection. */
async function exchange({ app }: typeof service, bytes: string): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}
