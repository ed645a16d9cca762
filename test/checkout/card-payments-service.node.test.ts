import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { CardPayments } from '../../src/checkout/index.ts';
import { type Card, type EncryptedCard, encryptCard } from '../../src/core/index.ts';
import { browserKey, parseEncryptedCard } from '../../src/server/index.ts';

const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2039',
  cvv: '123',
};

let now = Date.now();
const service = createService({ clock: () => now });
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

  test('the errors of card encryption come with what to do', async () => {
    const block = await encrypted(VISA);
    // Keys in a row have different pairs.
    const swapped = { ...(await encrypted(VISA)), payload: block.payload };
    const other = new CardPayments({ baseUrl, secretKey: ACCOUNTS[1].secretKey });
    const foreign = { ...block, key_id: (await other.createEncryptionKey()).id };
    const late = await encrypted(VISA);
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
});
