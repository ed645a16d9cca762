/** `checkout.idle()`: a process that is to end waits for its last payment. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCheckout, memoryStore } from 'cardseal/checkout';
import { expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.ts';

const order = { id: 'idle-1', amount: 1000, currency: 'USD' };

const down = () => Promise.reject(new Error('down'));
const NONE = { createEncryptionKey: down, createIntent: down, authorize: down };

test('idle waits for the calls under way, whatever becomes of them, and for no others', async () => {
  const begun = deferred<void>();
  const answer = deferred<never>();
  const never = async () => {
    begun.resolve();
    return answer.promise;
  };
  const payments = { createEncryptionKey: never, createIntent: never, authorize: never };
  const checkout = createCheckout({ payments, store: memoryStore(), log: () => {} });
  await checkout.idle();
  const key = checkout.issueKey(order);
  await begun.promise;
  let isIdle = false;
  const idle = checkout.idle().then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isIdle).toBe(false);
  answer.reject(new Error('down'));
  await idle;
  expect((await key).status).toBe(502);
  expect((await checkout.outcome(order.id)).status).toBe('open');
  await checkout.idle();
});

test('idle waits for handle, also while it reads the body', async () => {
  const checkout = createCheckout({ payments: NONE, store: memoryStore(), log: () => {} });
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const init = { method: 'POST', body: body.readable, duplex: 'half' } as RequestInit;
  const answer = checkout.handle(new Request('https://shop.example/checkout', init), order);
  const isIdle = vi.fn();
  const idle = checkout.idle().then(isIdle);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isIdle).not.toHaveBeenCalled();
  await body.writable.close();
  expect((await answer).status).toBe(502);
  await idle;
});

test('idle waits for what node returns, also while it looks for the order', async () => {
  const checkout = createCheckout({ payments: NONE, store: memoryStore(), log: () => {} });
  const begun = deferred<void>();
  const found = deferred<typeof order>();
  const orderOf = () => {
    begun.resolve();
    return found.promise;
  };
  const server = createServer(checkout.node(orderOf)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = fetch(`http://127.0.0.1:${port}/checkout`);
  await begun.promise;
  const isIdle = vi.fn();
  const idle = checkout.idle().then(isIdle);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isIdle).not.toHaveBeenCalled();
  found.resolve(order);
  await idle;
  expect(await (await answer).json()).toEqual({ status: 'open' });
  server.close();
});
