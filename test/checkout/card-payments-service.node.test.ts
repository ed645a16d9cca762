import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { CardPayments } from '../../src/checkout/index.ts';
import { type Card, type EncryptedCard, encryptCard } from '../../src/core/index.ts';
import { browserKey, parseEncryptedCard } from '../../src/server/index.ts';
import { recycledKeyPair } from '../tools/support/card-payment-service.ts';

const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '123',
};

let now = Date.now();
const service = createService({ generateKeyPair: recycledKeyPair, clock: () => now });
let baseUrl: string;
let client: CardPayments;
beforeAll(async () => {
  baseUrl = await service.listen({ host: '127.0.0.1', port: 0 });
  client = new CardPayments({ baseUrl, secretKey: ACCOUNTS[0].secretKey });
});
afterAll(() => service.close());

/** A card all the way: from the key in the merchant's hands to the block that came back to it. */
async function encrypted(card: Card): Promise<EncryptedCard> {
  const key = await client.createEncryptionKey();
  const block = await encryptCard(browserKey(key), { ...card });
  return parseEncryptedCard(JSON.stringify(block), { keyId: key.id, expiresAt: key.expires_at });
}

async function authorize(
  block: EncryptedCard,
  capture_method: 'automatic' | 'manual' = 'automatic',
) {
  const { id } = await client.createIntent({ amount: 1000, currency: 'USD', capture_method });
  return client.authorize(id, block);
}

describe('with the service running', () => {
  test('a draft is what was asked for, and nothing is decided yet', async () => {
    const intent = await client.createIntent(
      { amount: 1000, currency: 'USD', description: 'Tea' },
      { idempotencyKey: crypto.randomUUID() },
    );
    expect(intent).toMatchObject({
      amount: 1000,
      amount_captured: 0,
      currency: 'USD',
      status: 'created',
      description: 'Tea',
      capture_method: 'automatic',
    });
  });

  test('an approved card is committed, or authorized where capture is manual', async () => {
    const payment_method = { brand: 'visa', last4: '4242' };
    expect(await authorize(await encrypted(VISA))).toMatchObject({
      status: 'committed',
      amount_captured: 1000,
      payment_method,
    });
    expect(await authorize(await encrypted(VISA), 'manual')).toMatchObject({
      status: 'authorized',
      amount_captured: 0,
      payment_method,
    });
  });

  test('a decline is an outcome', async () => {
    const declined = await authorize(await encrypted({ ...VISA, number: '4000000000000002' }));
    expect(declined).toMatchObject({
      status: 'failed',
      failure_reason: 'card_declined',
      payment_method: null,
    });
  });

  test('the errors of card encryption come with what to do', async () => {
    const block = await encrypted(VISA);
    const other = new CardPayments({ baseUrl, secretKey: ACCOUNTS[1].secretKey });
    const foreign = { ...block, key_id: (await other.createEncryptionKey()).id };
    const late = await encrypted(VISA);
    const swapped = { ...(await encrypted(VISA)), payload: block.payload };
    const cases: [EncryptedCard, object][] = [
      [foreign, { code: 'unknown_encryption_key', recovery: 'forward_key_id' }],
      [swapped, { code: 'invalid_encryption_block', recovery: 'check_layout' }],
    ];
    for (const [card, expected] of cases)
      await expect(authorize(card)).rejects.toMatchObject(expected);
    now += 24 * 60 * 60 * 1000 - 1;
    await expect(authorize(late)).rejects.toMatchObject({
      code: 'encryption_key_expired',
      recovery: 'restart_checkout',
    });
  });

  test('what the specification does not show comes with the HTTP status alone', async () => {
    const stranger = new CardPayments({ baseUrl, secretKey: 'sk_test_of_nobody' });
    const unspecified = { code: undefined, recovery: 'not_specified' };
    await expect(stranger.createEncryptionKey()).rejects.toMatchObject({
      status: 401,
      ...unspecified,
    });
    await expect(client.authorize('pi_card_none', await encrypted(VISA))).rejects.toMatchObject({
      status: 404,
      ...unspecified,
    });
    const { id } = await authorize(await encrypted(VISA));
    await expect(client.authorize(id, await encrypted(VISA))).rejects.toMatchObject({
      status: 409,
      ...unspecified,
    });
  });
});

/** Leading digits, made a number that passes the Luhn check. */
function withCheckDigit(digits: string): string {
  return [...'0123456789'].map((digit) => digits + digit).find(passesLuhn)!;
}

function passesLuhn(number: string): boolean {
  const sum = [...number]
    .reverse()
    .reduce(
      (sum, digit, i) => sum + Number(digit) * (i % 2 ? 2 : 1) - (i % 2 && digit > '4' ? 9 : 0),
      0,
    );
  return sum % 10 === 0;
}

/** Cards that the service approves. */
const cards = fc.record({
  number: fc
    .string({ unit: fc.constantFrom(...'0123456789'), minLength: 11, maxLength: 18 })
    .map(withCheckDigit),
  name: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter(
      (name) =>
        Buffer.byteLength(name) <= 150 &&
        !/[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffd]|\d$/u.test(name),
    ),
  exp_month: fc.integer({ min: 1, max: 12 }).map((month) => String(month).padStart(2, '0')),
  exp_year: fc.integer({ min: new Date().getFullYear() + 1, max: 2099 }).map(String),
  cvv: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 4 }),
});

test('the service reads what the library encrypted, of any card', async () => {
  await fc.assert(
    fc.asyncProperty(cards, async (card) => {
      const intent = await authorize(await encrypted(card));
      expect(intent.status).toBe('committed');
      expect(intent.payment_method!.last4).toBe(card.number.slice(-4));
    }),
    { numRuns: 30 },
  );
});
