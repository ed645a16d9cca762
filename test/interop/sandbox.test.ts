/**
 * The sandbox as a black box: a program in Python, with an encryptor of its own, over HTTP. And how
 * fast its keys are, in one run with a server that answers a constant.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS } from '../../demo/service/app.ts';

const root = join(import.meta.dirname, '../..');
const started: (() => void)[] = [];
let address: string;
beforeAll(async () => {
  address = await start(['--import', 'tsx', 'demo/service/cli.ts', '--port', '0'], 'Ctrl-C');
});
afterAll(() => {
  for (const end of started) end();
});

/** Resolves with the address that the program prints. */
async function start(args: string[], ready: string): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  while (!output.includes(ready)) await once(child.stdout, 'data');
  return /^Address: +(\S+)$/m.exec(output)![1]!;
}

test('does all that the specification says, and answers as /openapi.json says', async () => {
  const program = join(import.meta.dirname, 'sandbox.py');
  const { stdout, stderr } = await promisify(execFile)('python3', [program, address]);
  expect(stderr).toMatch(/^Ran \d+ tests .*^OK$/ms);
  expect(Number(/^(\d+) answers are as/m.exec(stdout)![1])).toBeGreaterThan(400);
});

test('200 requests for keys at once are answered in the time of one page load', async () => {
  const constant = await start(['-e', CONSTANT], 'Address');
  await burst(address); // the first time is slow, of both
  await burst(constant);
  const keys = Math.min(await burst(address), await burst(address), await burst(address));
  const nothing = Math.min(await burst(constant), await burst(constant), await burst(constant));
  console.log(`200 keys at once: ${keys.toFixed()} ms; a constant: ${nothing.toFixed()} ms`);
  expect(keys).toBeLessThan(2000); // 101 s when each key had a pair of its own
});

/** A server that does nothing: `Address: ...`. */
const CONSTANT = `
  const server = require('node:http').createServer((request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1', () => {
    console.log('Address: http://127.0.0.1:' + server.address().port);
  });
`;

/** Milliseconds until the last of 200 answers is there. */
async function burst(address: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const url = `${address}/payments/card/encryption-keys`;
      const sent = request(url, { method: 'POST', headers, agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!));
      });
      sent.on('error', reject).end();
    });
  const begin = performance.now();
  const statuses = await Promise.all(Array.from({ length: 200 }, ask));
  const ms = performance.now() - begin;
  agent.destroy();
  expect(new Set(statuses)).toEqual(new Set([201]));
  return ms;
}
