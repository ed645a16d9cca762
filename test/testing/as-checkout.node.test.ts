/** `fakeCheckout` answers as the real `checkout.handle` does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCheckout, type PaymentsClient } from '../../src/checkout/index.ts';
import { encryptCard } from '../../src/core/index.ts';
import { fakeCheckout, type Play, testKey } from '../../src/testing/index.ts';

const URL = 'https://shop.test/checkout';
const CARD = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2049',
  cvv: '123',
};

/** The real checkout, in front of a service that answers with each play in turn. */
function realCheckout(...plays: Play[]): typeof fetch {
  const price = { amount: 1000, currency: 'USD', capture_method: 'automatic' } as const;
  const payments = {
    createEncryptionKey: async () => ({ ...(await testKey()), expires_at: Date.now() + 60_000 }),
    createIntent: async () => ({ ...price, id: 'pi_card_test', status: 'created' }),
    authorize: async () => {
      const status = plays.shift();
      await sleep(50);
      if (status === 'not_certain') throw new Error('no answer');
      return { ...price, id: 'pi_card_test', status, failure_reason: null };
    },
  } as unknown as PaymentsClient;
  const checkout = createCheckout({ payments, log: () => {} });
  const id = crypto.randomUUID(); // all orders of the process are in one store
  return (url, init) => checkout.handle(new Request(url, init), { id, ...price });
}

/** What a page and its shopper may ask, in this order. */
async function answersOf(fetch: typeof globalThis.fetch) {
  const answers: unknown[] = [];
  async function ask(init?: RequestInit) {
    const at = answers.push(undefined) - 1; // in the order of the requests
    const response = await fetch(URL, init);
    const { key, key_id, order, ...body } = await response.json(); // ids are random
    answers[at] = [response.status, { ...body, hasKeyId: !!key_id, hasOrder: !!order }];
    return key;
  }
  const newKey = () => ask({ method: 'POST' });
  const post = (body: string) => ask({ method: 'POST', body });
  const newBlock = async (key: Parameters<typeof encryptCard>[0]) =>
    JSON.stringify(await encryptCard(key, { ...CARD }));

  await ask();
  await post('no JSON');
  await post('{}');
  const strange = await newBlock(await testKey());
  await post(strange);
  const first = await newBlock(await newKey());
  const payments = [post(first), post(first)];
  await sleep(20); // the service has not answered yet
  await Promise.all([...payments, ask()]);
  const second = await newBlock(await newKey());
  await post(first);
  await Promise.all([post(second), post(second)]);
  await newKey();
  for (const body of [first, second, strange, 'no JSON']) await post(body);
  await ask();
  return answers;
}

test.each<[Play, Play]>([
  ['failed', 'committed'],
  ['failed', 'authorized'],
  ['failed', 'failed'],
  ['failed', 'not_certain'],
])('plays %s, and then %s', async (...plays) => {
  const real = await answersOf(realCheckout(...plays));
  expect(await answersOf(fakeCheckout(...plays).fetch)).toEqual(real);
});
