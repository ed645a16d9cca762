import { afterAll, describe, expect, test } from 'vitest';
import { NOON, startService } from '../../tools/support/card-payment-service.ts';

// The chapter "States and transitions" of the specification: each test is one of its sentences.

const service = startService();
const { call, create, pay } = service;
afterAll(() => service.app.close());

describe('States and transitions', () => {
  test('(none) → created: payment_method, status_at, processor_ref and both reasons are null. amount_captured is 0', async () => {
    expect(await create()).toMatchObject({
      ...{
        status: 'created',
        payment_method: null,
        status_at: null,
        processor_ref: null,
        failure_reason: null,
      },
      ...{ cancellation_reason: null, amount_captured: 0 },
    });
  });

  test('created → committed: authorize, capture_method is `automatic` and the card is approved', async () => {
    expect(await pay()).toMatchObject({
      ...{
        status: 'committed',
        amount_captured: 1000,
        status_at: NOON,
        processor_ref: expect.any(String),
      },
      payment_method: { brand: 'visa', last4: '4242' },
    });
  });

  test('created → authorized: authorize, capture_method is `manual` and the card is approved', async () => {
    expect(await pay({}, { capture_method: 'manual' })).toMatchObject({
      status: 'authorized',
      amount_captured: 0,
    });
  });

  test('amount_captured stays 0 until a separate commit call', async () => {
    const { id } = await pay({}, { capture_method: 'manual' });
    expect((await call('GET', `/payments/card/${id}`)).body.amount_captured).toBe(0);
    expect((await call('POST', `/payments/card/${id}/commit`)).body).toMatchObject({
      status: 'committed',
      amount_captured: 1000,
    });
  });

  test.each(['automatic', 'manual'] as const)(
    'created → failed: authorize, the card is declined, capture_method %s',
    async (capture_method) => {
      expect(await pay({ number: '4000000000009995' }, { capture_method })).toMatchObject({
        ...{
          status: 'failed',
          failure_reason: 'insufficient_funds',
          amount_captured: 0,
          status_at: NOON,
        },
      });
    },
  );
});
