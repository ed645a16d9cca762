/** `cardseal/checkout` takes payments in every runtime that has `fetch`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { startProxy } from './losing-proxy.ts';

const FOLDER = join(import.meta.dirname, 'runtimes');
const RUN = join(FOLDER, 'run.mjs');
const installed = (path: string) => join(FOLDER, 'node_modules', path);

const folder = mkdtempSync(join(tmpdir(), 'worker-'));
const WORKER = join(folder, 'worker.js');

const RUNTIMES: Record<string, string[]> = {
  'this Node': [process.execPath, RUN],
  'Node 22': [installed('node-22/bin/node'), RUN],
  'Node 24': [installed('node-24/bin/node'), RUN],
  'Node 26': [installed('node-26/bin/node'), RUN],
  Bun: [installed('.bin/bun'), RUN],
  // It may use the network, and nothing else: no environment.
  Deno: [
    installed('.bin/deno'),
    'run',
    '--no-config',
    '--no-lock',
    '--no-prompt',
    '--allow-net',
    RUN,
  ],
  'a Workers runtime': [process.execPath, join(FOLDER, 'serve-worker.mjs'), WORKER],
};

const service = createService({ generateKeyPair: recycledKeyPair });
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  proxy = await startProxy(await service.listen({ port: 0, host: '127.0.0.1' }));
  proxy.faults.cutAfter = 3;
  await build({
    entryPoints: [join(FOLDER, 'worker.mjs')],
    outfile: WORKER,
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(async () => {
  proxy.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

test.each(Object.entries(RUNTIMES))('%s', async (_, [program, ...args]) => {
  const [{ secretKey }] = ACCOUNTS;
  proxy.authorizations.length = 0;
  const { stdout } = await promisify(execFile)(program!, [...args, proxy.address, secretKey]);
  const { outcomes, lines } = JSON.parse(stdout);
  expect(outcomes).toEqual({
    declined: 'failed',
    thenPaid: 'committed',
    asForm: 'committed',
    reload: 'committed',
    lost: 'not_certain',
  });
  expect(lines.join('\n')).not.toContain(secretKey);
  // No runtime may send a block a second time by itself.
  expect(proxy.authorizations).toHaveLength(4);
});
