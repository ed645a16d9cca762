/** `--state FILE`: what was acknowledged is there after `kill -9`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService, type ServiceOptions } from '../../../demo/service/app.ts';
import type { SandboxState } from '../../../demo/service/schemas.ts';
import { readState } from '../../../demo/service/state.ts';
import { errorOf, NOON, seal, startService } from '../../support/card-payment-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'state-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `state-${files++}`);

const running: (() => unknown)[] = [];
afterEach(() => Promise.all(running.splice(0).map((end) => end())));

function start(stateFile: string, options: ServiceOptions = {}) {
  const service = startService({ stateFile, ...options });
  running.push(() => service.app.close().catch(() => {}));
  return service;
}

describe('after a restart', () => {
  test.each([false, true])('everything is as it was; fresh keys: %s', async (freshKeys) => {
    const file = newFile();
    const first = start(file, { freshKeys });
    const headers = { 'idempotency-key': 'the same' };
    const created = await first.create({ metadata: { order: '7' } }, { headers });
    const paid = await first.pay();
    const refund = { body: { amount: 300 } };
    const refunded = await first.call('POST', `/payments/card/${paid.id}/refund`, refund);
    const [used, unused] = [await first.requestKey(), await first.requestKey()];
    await first.authorize((await first.create()).id, seal(used));
    await first.call('POST', '/sandbox/clock', { body: { advance_ms: 5000 }, secretKey: null });
    const before = (await first.call('GET', '/payments/card')).text;
    const { payments } = (await first.call('GET', '/sandbox')).body as never as SandboxState;
    await first.app.close();

    const second = start(file, { freshKeys });
    expect((await second.call('GET', '/payments/card')).text).toBe(before);
    expect((await second.call('GET', `/payments/card/${paid.id}`)).body).toEqual(refunded.body);
    const state = (await second.call('GET', '/sandbox')).body;
    expect(state).toMatchObject({ ahead_ms: 5000, now: NOON + 5000, payments });
    const again = await second.call('POST', '/payments/card', {
      body: { amount: 1000, currency: 'USD', metadata: { order: '7' } },
      headers,
    });
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([created.id, 'true']);
    expect(errorOf(await second.authorize(created.id, seal(used)))[1]).toBe('encryption_key_used');
    expect((await second.authorize(created.id, seal(unused))).body.status).toBe('committed');
    second.time.now = unused.expires_at;
    const late = await second.authorize((await second.create()).id, seal(unused));
    expect(errorOf(late)[1]).toBe('encryption_key_expired'); // by the clock that was moved
  });

  test('the page begins with what is in the file, and a reset empties it', async () => {
    const file = newFile();
    const first = start(file);
    await first.pay();
    await first.call('POST', '/sandbox/reset', { secretKey: null });
    const { id } = await first.create();
    await first.app.close();
    const second = start(file);
    const { data } = (await second.call('GET', '/payments/card')).body;
    expect(data.map((intent) => intent.id)).toEqual([id]);
  });

  test('the file has no block, and is for its owner alone', async () => {
    const file = newFile();
    const { app, create, requestKey, authorize } = start(file);
    const block = seal(await requestKey());
    await authorize((await create()).id, block, { headers: { 'idempotency-key': 'x' } });
    await app.close();
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"committed"');
    for (const part of [block.payload, block.payload.slice(0, 40), '4242424242424242'])
      expect(text).not.toContain(part);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('the file', () => {
  const write = (file: string, ...lines: string[]) => writeFileSync(file, lines.join('\n'));
  const HEADER = '{"type":"cardseal-sandbox","version":1}';

  test('a last line that is cut short is dropped', async () => {
    const file = newFile();
    const { app, create } = start(file);
    const { id } = await create();
    await app.close();
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"type":"intent","acc`);
    const { call } = start(file);
    const { data } = (await call('GET', '/payments/card')).body;
    expect(data.map((intent) => intent.id)).toEqual([id]);
  });

  test('a line that is damaged is named, and the file is left alone', () => {
    const file = newFile();
    write(file, HEADER, '{"type":"clock","ahead_ms":0}', '{"type":', '');
    expect(() => createService({ stateFile: file })).toThrow(`${file} is damaged in line 3.`);
    expect(readFileSync(file, 'utf8')).toContain('{"type":\n');
    expect(() => createService({ stateFile: file })).toThrow('line 3'); // and it is not locked
  });

  test.each(['notes\n', 'notes', '{"type":"notes"}'])(
    'a file that is something else is left alone: %j',
    (text) => {
      const file = newFile();
      writeFileSync(file, text);
      const open = () => createService({ stateFile: file });
      expect(open).toThrow(`${file} is no state of the sandbox.`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('is for one sandbox at a time; the lock of one that was killed does not count', async () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, '1'); // a process that runs
    expect(() => createService({ stateFile: file })).toThrow(`${file} is in use by process 1.`);
    const killed = spawn('true');
    await once(killed, 'exit');
    writeFileSync(`${file}.lock`, String(killed.pid));
    const { app, create } = start(file);
    await create();
    await app.close();
    expect(readState(file)).toContainEqual(expect.objectContaining({ type: 'intent' }));
  });

  test('a folder or a device is left alone', () => {
    for (const stateFile of [folder, '/dev/null'])
      expect(() => createService({ stateFile })).toThrow(`${stateFile} is no file.`);
  });

  test('nothing is acknowledged that cannot be written', async () => {
    const file = newFile();
    const { address, child } = await startProcess(file, 'ulimit -f 16'); // KiB
    const post = async () => {
      const body = JSON.stringify({ amount: 1, currency: 'USD', description: 'x'.repeat(400) });
      const answer = await fetch(`${address}/payments/card`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as { id: string }).id] as const;
    };
    const acknowledged: string[] = [];
    let [status, id] = await post();
    while (status === 201) {
      acknowledged.push(id);
      [status, id] = await post();
    }
    expect(status).toBe(500);
    expect((await post())[0]).toBe(500);
    expect(acknowledged.length).toBeGreaterThan(5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { call } = start(file);
    for (const id of acknowledged)
      expect((await call('GET', `/payments/card/${id}`)).status).toBe(200);
  });
});

describe('kill -9', () => {
  test('what was acknowledged is there, whenever it comes', async () => {
    const file = newFile();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { address, child } = await startProcess(file);
      const clients = Array.from({ length: 6 }, () => createUntilGone(address, acknowledged));
      const enough = acknowledged.length + 20;
      await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(enough);
      child.kill('SIGKILL');
      await Promise.all(clients);
    }
    const { address } = await startProcess(file);
    const answers = await Promise.all(
      acknowledged.map((id) => fetch(`${address}/payments/card/${id}`, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(acknowledged.map(() => 200));
  });
});

const headers = {
  authorization: `Bearer ${ACCOUNTS[0].secretKey}`,
  'content-type': 'application/json',
};

async function createUntilGone(address: string, acknowledged: string[]) {
  const body = JSON.stringify({ amount: 1, currency: 'USD' });
  try {
    while (true) {
      const answer = await fetch(`${address}/payments/card`, { method: 'POST', headers, body });
      acknowledged.push(((await answer.json()) as { id: string }).id);
    }
  } catch {} // it was killed
}

/** @param first - A command of the shell that comes before it. */
async function startProcess(
  file: string,
  first = ':',
): Promise<{ address: string; child: ChildProcess }> {
  const cli = join(import.meta.dirname, '../../../demo/service/cli.ts');
  const args = ['--import', 'tsx', cli, '--port', '0', '--state', file];
  const command = ['-c', `${first}; exec "$0" "$@"`, process.execPath, ...args];
  const child = spawn('bash', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  while (!output.includes('Ctrl-C')) await once(child.stdout, 'data');
  expect(output).toContain(`Its data is kept in ${file}.`);
  return { address: /^Address: +(\S+)$/m.exec(output)![1]!, child };
}
