/**
 * The programs of docs/own-store.md, docs/delivery.md and docs/settling.md, each run as it stands
 * there. Those with a database run in test/interop.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import '../support/built.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { cleanUp, makeProject } from '../support/recipe-project.ts';

/** Pays once, then runs `SCRIPT`. One process, because Node 20 keeps orders in memory. */
const SHOPPER = `import { encryptCard } from 'cardseal';
import { checkout } from './shop.js';
import { store } from './store.js';

const order = { id: 'order-1', amount: 1000, currency: 'USD' };
const issued = await checkout.issueKey(order);
if (issued.status !== 200) throw new Error('No key');
const card = { number: '4242424242424242', name: 'Ada', exp_month: '12', exp_year: '2039', cvv: '835' };
const block = JSON.stringify(await encryptCard(issued.body, card));
const paid = await checkout.pay(order, 'application/json', block);
console.log('Outcome: ' + paid.status);
// Staff read the intent's id in the log.
const { intentId } = JSON.parse((await store.read(order.id))!.value);
process.argv = process.argv.map((word) => (word === 'INTENT' ? intentId : word));
await import(process.env.SCRIPT!);
console.log('Outcome: ' + (await checkout.outcome(order.id)).status);
`;

/** What the service does with each request, beside its work. */
interface Faults {
  losesRequests: boolean;
  losesAnswers: boolean;
  knowsIntents: boolean;
  /** What is answered to the last requests of this name, in the place of the service. */
  replaces?: { operation: string; headers?: object; status: number; body: string };
}
let faults: Faults = { losesRequests: false, losesAnswers: false, knowsIntents: true };
const service = createService({ generateKeyPair: recycledKeyPair });
service.addHook('onRequest', async ({ routeOptions, raw }) => {
  if (!faults.losesRequests || !routeOptions.url!.endsWith('/authorize')) return;
  raw.socket.destroy();
  throw new Error('The request is lost');
});
service.addHook('onSend', async ({ routeOptions, raw, method }, reply) => {
  const operation = routeOptions.url!.split('/').at(-1)!;
  if (faults.losesAnswers && operation === 'authorize') raw.socket.destroy();
  if (!faults.knowsIntents && method === 'GET') reply.code(404);
  const { replaces } = faults;
  if (replaces?.operation !== operation) return undefined;
  reply.code(replaces.status).headers(replaces.headers ?? {});
  return replaces.body;
});
service.get('/login', (_, reply) => reply.type('text/html').send('<h1>Log in</h1>'));
let serviceAddress: string;
beforeAll(async () => {
  serviceAddress = await service.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  faults = { losesRequests: false, losesAnswers: false, knowsIntents: true };
});
afterAll(async () => {
  cleanUp();
  await service.close();
});

interface Run {
  status: number;
  printed: string;
}

function run(folder: string, file: string, args: string[] = [], environment = {}): Promise<Run> {
  const env = {
    ...process.env,
    CARD_PAYMENTS_URL: serviceAddress,
    CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
    ...environment,
  };
  const node = ['--no-warnings', '--import', 'tsx', `./${file}`, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, node, { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode!, printed: stdout + stderr }),
    );
  });
}

/** A shopper pays, and in the same process somebody runs a program of the document. */
function payAndRun(script: string, args: string[] = [], folder = makeProject()): Promise<Run> {
  writeFileSync(join(folder, 'shopper.ts'), SHOPPER);
  return run(folder, 'shopper.ts', args, { SCRIPT: `./${script}` });
}

function edit(file: string, search: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(search);
  writeFileSync(file, text.replace(search, replacement));
}

describe('check-store.ts', () => {
  test('finds nothing in the store of docs/server-routes.md', async () => {
    const { status, printed } = await run(makeProject(), 'check-store.ts');
    expect([status, printed]).toEqual([0, expect.stringContaining('Nothing was found.')]);
  });

  test('says what is wrong with a store that does not compare versions', async () => {
    const folder = makeProject();
    const careless = `const rows = new Map<string, { value: string; version: number }>();
      export const store = {
        read: async (id: string) => rows.get(id),
        async write(id: string, value: string, version: number) {
          rows.set(id, { value, version: version + 1 });
          return true;
        },
      };`;
    writeFileSync(join(folder, 'store.ts'), careless);
    const { status, printed } = await run(folder, 'check-store.ts');
    expect(status).toBe(1);
    expect(printed).toContain('write');
    expect(printed).not.toContain('Nothing was found.');
  });
});

const FAIL_ONCE = `
let hasFailed = false;
function failOnce(): void {
  if (hasFailed) return;
  hasFailed = true;
  throw new Error('It has failed');
}
`;

test.each([
  ['nothing has failed', /^/, ''],
  ['its first mail has failed', /(?<=function sendMail\(.*?\{\n)/s, 'failOnce();'],
  ['it has sent, and not recorded it', /(?<=function recordSent\(.*?\{\n)/s, 'failOnce();'],
])('paid.ts sends one mail in two calls for a payment if %s', async (_, search, failure) => {
  const folder = makeProject();
  edit(join(folder, 'mail.ts'), search, failure);
  edit(join(folder, 'mail.ts'), /$/, FAIL_ONCE);
  // As far as the checkout knows, its process has died after the first call.
  const twice = `async onPaid(order, outcome) {
    await Promise.resolve(onPaid!(order, outcome)).catch(({ message }) => console.log(message));
    await onPaid!(order, outcome);
  },`;
  edit(join(folder, 'shop.ts'), /^ {2}async onPaid.*?^ {2}},$/ms, twice);
  edit(join(folder, 'shop.ts'), /^/, "import { onPaid } from './paid.js';\n");
  const { printed } = await payAndRun('paid.ts', [], folder);
  expect(printed).toContain('Outcome: committed');
  expect(printed.includes('It has failed')).toBe(failure !== '');
  expect(printed.match(/Mail: order order-1 is paid/g)).toHaveLength(1);
});

const OTHER_INTENT = JSON.stringify({ id: 'pi_card_other', status: 'cancelled', created: 0 });

describe('after a lost answer', () => {
  test('sweep.ts asks the service, settles the order and delivers it', async () => {
    faults.losesAnswers = true;
    const { status, printed } = await payAndRun('sweep.ts');
    expect(printed).toMatch(/^Outcome: not_certain$/m);
    expect(printed).toMatch(/^Order order-1, intent \S+: committed, left to do: nothing$/m);
    expect(printed.match(/^Paid: order order-1,/gm)).toHaveLength(1);
    expect(printed).toMatch(/^Outcome: committed$/m);
    expect(status).toBe(0);
  });

  test.each([
    ['younger than a day', 0, 'created', 'cancel', 1],
    ['older than a day', 90_000_000, 'cancelled', 'nothing', 0],
  ])('sweep.ts cancels an intent that nobody has paid, if it is %s', async (...row) => {
    const [, age, became, left, ends] = row;
    faults.losesRequests = true;
    const folder = makeProject();
    edit(join(folder, 'sweep.ts'), /Date\.now\(\)/, `(Date.now() + ${age})`);
    const { status, printed } = await payAndRun('sweep.ts', [], folder);
    expect(printed).toMatch(new RegExp(`^Order order-1, .*: open, left to do: ${left}$`, 'm'));
    expect(status).toBe(ends);
    const [, intent] = /intent "(pi_card_\w+)"/.exec(printed)!;
    const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
    const answer = await fetch(`${serviceAddress}/payments/card/${intent}`, { headers });
    expect(await answer.json()).toMatchObject({ status: became });
  });

  test.each([
    ['/cancel is redirected to a login page', 'cancel', 302, '', 'cancel'],
    ['/cancel is answered by a page', 'cancel', 200, '<h1>Log in</h1>', 'cancel'],
    ['/cancel is answered for another intent', 'cancel', 200, OTHER_INTENT, 'cancel'],
    ['the look-up is redirected', ':id', 302, '', 'look_up'],
    ['the look-up is answered for another intent', ':id', 200, OTHER_INTENT, 'look_up'],
  ])('sweep.ts takes nothing for cancelled if %s', async (...row) => {
    const [, operation, status, body, left] = row;
    faults.losesRequests = true;
    faults.replaces = { operation, status, body, headers: { location: '/login' } };
    const folder = makeProject();
    edit(join(folder, 'sweep.ts'), /Date\.now\(\)/, '(Date.now() + 90_000_000)');
    const { printed } = await payAndRun('sweep.ts', [], folder);
    expect(printed).toMatch(new RegExp(`^Order order-1, .*, left to do: ${left}$`, 'm'));
  });

  test('sweep.ts leaves to staff what the service does not tell, and ends with a status', async () => {
    faults = { losesRequests: false, losesAnswers: true, knowsIntents: false };
    const { status, printed } = await payAndRun('sweep.ts');
    expect(printed).toMatch(/left to do: look_up$/m);
    expect(printed).not.toContain('Paid:');
    expect(status).toBe(1);
  });

  test.each([
    ['committed', 'committed'],
    ['not_paid', 'open'],
  ])('resolve.ts %s settles it as staff say: %s', async (resolution, outcome) => {
    faults.losesAnswers = true;
    const { status, printed } = await payAndRun('resolve.ts', ['order-1', 'INTENT', resolution]);
    expect(printed).toContain(`Order order-1: ${outcome}`);
    expect(status).toBe(0);
  });
});
