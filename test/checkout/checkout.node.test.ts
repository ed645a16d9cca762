/** The checkout with the real service: what goes out with an authorization. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { DECLINED_NUMBERS } from '../../demo/service/processor/index.ts';
import {
  CardPayments,
  type Checkout,
  type CheckoutOptions,
  createCheckout,
  memoryStore,
  type NewCardPaymentIntent,
  type Order,
} from '../../src/checkout/index.ts';
import { encryptCard } from '../../src/core/index.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { deferred } from '../support/deferred.ts';

const SENDER = { sender: '203.0.113.9' };
const CARD = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '123',
};

const service = createService({ generateKeyPair: recycledKeyPair });
let baseUrl: string;
beforeAll(async () => {
  baseUrl = await service.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

/** What a browser posts: a card under a key of the order. */
async function blockFor(checkout: Checkout, order: Order, number = CARD.number): Promise<string> {
  const key = await checkout.issueKey(order, SENDER);
  if (key.status !== 200) throw new Error(`No key: ${key.status}`);
  return JSON.stringify(await encryptCard(key.body, { ...CARD, number }));
}

// Claim one-charge
test('an authorization has an Idempotency-Key of its intent and key, and a block that comes again sends nothing', async () => {
  const client = new CardPayments({ baseUrl, secretKey: ACCOUNTS[0].secretKey });
  const sent: [intentId: string, keyId: string, idempotencyKey: string | undefined][] = [];
  const checkout = createCheckout({
    payments: {
      timeoutMs: 5000,
      createEncryptionKey: (options) => client.createEncryptionKey(options),
      createIntent: (draft, options) => client.createIntent(draft, options),
      authorize(id, block, options) {
        sent.push([id, block.key_id, options?.idempotencyKey]);
        return client.authorize(id, block, options);
      },
    },
    store: memoryStore(),
  });
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  const body = await blockFor(checkout, order);
  const outcomes = [
    await checkout.pay(order, 'application/json', body),
    await checkout.pay(order, 'application/json', body),
  ];
  expect(outcomes[0]).toMatchObject({ status: 'committed' });
  expect(outcomes[1]).toEqual(outcomes[0]);
  const [[intentId, keyId, idempotencyKey]] = sent as [(typeof sent)[0]];
  expect(sent).toHaveLength(1);
  expect(idempotencyKey).toBe(`${intentId}.${keyId}`);
});

test('an order that the shop changes while its key is made has the price that was asked for', async () => {
  const client = new CardPayments({ baseUrl, secretKey: ACCOUNTS[0].secretKey, timeoutMs: 5000 });
  expect(client.timeoutMs).toBe(5000); // the checkout waits by it
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  const store = memoryStore();
  const checkout = createCheckout({ payments: client, store });
  const key = checkout.issueKey(order);
  order.amount = 2000;
  expect(await key).toMatchObject({ status: 200 });
  expect(JSON.parse((await store.read(order.id))!.value)).toMatchObject({ amount: 1000 });
});

test('without `payments` there is no checkout', () => {
  const wrong = { timeoutMs: 1000 } as unknown as CheckoutOptions;
  expect(() => createCheckout(wrong)).toThrow(TypeError);
});

test('the log says what a merchant has to mend: an option, or why a block was not sent', async () => {
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const unset = createCheckout({ payments: { baseUrl, secretKey: '' }, store: memoryStore(), log });
  expect((await unset.issueKey(order, SENDER)).status).toBe(502);
  expect(lines[0]).toBe('CardPayments: secretKey must begin with sk_test_ or sk_live_');

  const payments = { baseUrl, secretKey: ACCOUNTS[0].secretKey };
  const checkout = createCheckout({ payments, store: memoryStore(), log });
  const body = await blockFor(checkout, order);
  const dearer = { ...order, amount: 2000 };
  const refused = await checkout.pay(dearer, 'application/json', body, SENDER);
  expect(refused).toEqual({ status: 'not_paid' });
  const { key_id: keyId } = JSON.parse(body);
  expect(lines.at(-1)).toBe(
    `Block not sent: order "${order.id}", key "${keyId}": its key has expired, was used before, ` +
      'or is for another price, or the order was withdrawn',
  );
});

test('the log names an intent whose attempt was never settled, as when its process was ended', async () => {
  const client = new CardPayments({ baseUrl, secretKey: ACCOUNTS[0].secretKey });
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  const store = memoryStore();
  const payments = {
    timeoutMs: 1000,
    createEncryptionKey: () => client.createEncryptionKey(),
    createIntent: (draft: NewCardPaymentIntent) => client.createIntent(draft),
    authorize: () => new Promise<never>(() => {}), // the process ends here
  };
  const ending = createCheckout({ payments: { ...payments, timeoutMs: 60_000 }, store });
  const body = await blockFor(ending, order);
  void ending.pay(order, undefined, body, SENDER);
  const lines: string[] = [];
  const another = createCheckout({ payments, store, log: (line) => lines.push(line) });
  await vi.waitFor(async () => {
    expect((await store.read(order.id))!.value).toContain('"state":"paying"');
  });
  const told = { status: 'not_certain', order: order.id };
  expect(await another.outcome(order.id)).toEqual(told);
  const { intentId } = JSON.parse((await store.read(order.id))!.value);
  expect(lines).toEqual([
    `Payment not certain: order "${order.id}", intent "${intentId}". Find out what became of the ` +
      'intent: checkout.sweep, or checkout.resolve',
  ]);
});

test('a block that comes twice at once has one outcome, also if no intent comes for the second', async () => {
  const client = new CardPayments({ baseUrl, secretKey: ACCOUNTS[0].secretKey });
  const order = { id: crypto.randomUUID(), amount: 1000, currency: 'USD' };
  let intents = 0;
  const firstIsSent = deferred<void>();
  const secondHasFailed = deferred<void>();
  const checkout = createCheckout({
    payments: {
      createEncryptionKey: () => client.createEncryptionKey(),
      async createIntent(draft) {
        intents++;
        if (intents < 3) return client.createIntent(draft); // for the declined block, then for one
        await firstIsSent.promise;
        secondHasFailed.resolve();
        throw new Error('The connection was lost');
      },
      async authorize(id, block) {
        if (intents > 1) {
          firstIsSent.resolve();
          await secondHasFailed.promise;
        }
        return client.authorize(id, block);
      },
    },
    store: memoryStore(),
    log: () => {},
  });
  const declined = await blockFor(checkout, order, Object.keys(DECLINED_NUMBERS)[0]);
  const good = await blockFor(checkout, order);
  expect(await checkout.pay(order, undefined, declined)).toMatchObject({ status: 'failed' });
  const outcomes = await Promise.all([1, 2].map(() => checkout.pay(order, undefined, good)));
  expect(outcomes[0]).toMatchObject({ status: 'committed' });
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(intents).toBe(3);
});
