import type { PaymentsClient } from 'cardseal/checkout';
import { expect, test } from 'vitest';
import { mountLeakingShop } from '../../demo/leaking-shop/shop.ts';
import { createMerchant } from '../../demo/merchant/app.ts';

test.each([
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'application/json',
  'multipart/form-data; boundary=b',
])('the server of the leaking shop does not read what its page sends as %s', async (type) => {
  const app = createMerchant({ payments: {} as PaymentsClient });
  const bodies: unknown[] = [];
  app.addHook('preHandler', async ({ body }) => void bodies.push(body));
  mountLeakingShop(app);
  const headers = { 'content-type': type };
  for (const path of ['totals', 'order']) {
    const url = `/leaking-shop/${path}` as const;
    const payload = 'cc_number=4242424242424242';
    expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(204);
  }
  expect(bodies).toEqual([undefined, undefined]);
  await app.close();
});
