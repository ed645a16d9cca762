/** How many authorizations the demo's Card Payment Service answers in a second, and how that grows with their concurrency. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { ACCOUNTS } from '../../demo/service/accounts.ts';
import { encryptCard } from '../../src/index.ts';
import { type Estimate, estimate } from './statistics.ts';

export interface Throughput {
  concurrency: number;
  /** Authorizations answered with 200 and `committed`. */
  perSecond: Estimate;
}

type Post = (path: string, body?: object) => Promise<Record<string, string>>;

export async function measureService(levels: number[], rounds: number, authorizations: number): Promise<Throughput[]> {
  const service = fork(join(import.meta.dirname, 'service-process.ts'), { stdio: 'inherit' });
  const agent = new Agent({ keepAlive: true });
  try {
    const [port] = await once(service, 'message');
    const rates = new Map(levels.map((level): [number, number[]] => [level, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const concurrency of levels) {
        const post: Post = (path, body) => send(agent, port as number, path, body);
        const prepared = await prepare(post, authorizations);
        const start = performance.now();
        await inParallel(concurrency, prepared, async ({ id, block }) => {
          const intent = await post(`/payments/card/${id}/authorize`, block);
          if (intent.status !== 'committed') throw new Error(`The intent is ${intent.status}, not committed`);
        });
        if (round > 0) rates.get(concurrency)!.push((authorizations / (performance.now() - start)) * 1000); // the first is to warm up
      }
    }
    return levels.map((concurrency) => ({ concurrency, perSecond: estimate(rates.get(concurrency)!) }));
  } finally {
    agent.destroy();
    service.disconnect();
    await once(service, 'exit');
  }
}

/** Intents, each with a card encrypted under a key of its own: all that comes before authorize. */
async function prepare(post: Post, count: number) {
  const prepared: { id: string; block: object }[] = [];
  await inParallel(8, Array.from({ length: count }), async () => {
    const { id } = await post('/payments/card', { amount: 1000, currency: 'USD' });
    const { id: keyId, scheme, public_key } = await post('/payments/card/encryption-keys');
    const card = { number: '4242424242424242', name: 'Zoë Ångström', exp_month: '12', exp_year: '2040', cvv: '123' };
    prepared.push({ id: id!, block: await encryptCard({ id: keyId!, scheme: scheme!, public_key: public_key! }, card) });
  });
  return prepared;
}

async function inParallel<T>(concurrency: number, items: T[], work: (item: T) => Promise<void>) {
  const queue = items.values(); // one queue for all workers
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function send(agent: Agent, port: number, path: string, body?: object): Promise<Record<string, string>> {
  const json = body && JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${ACCOUNTS[0].secretKey}`,
    ...(json && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
  };
  const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }).end(json);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode >= 300) throw new Error(`The service answered ${response.statusCode} to ${path}`);
  return JSON.parse(text);
}
