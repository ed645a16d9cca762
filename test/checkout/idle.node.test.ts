/** `checkout.idle()`: a process that is to end waits for its last payment. */
import { createCheckout, memoryStore } from 'cardseal/checkout';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';

const order = { id: 'idle-1', amount: 1000, currency: 'USD' };

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
