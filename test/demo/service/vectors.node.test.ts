/** The demo's Card Payment Service, held against the published vectors: it takes what a side must take and refuses what it must refuse. */
import { webcrypto } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { KeyPair } from '../../../demo/service/processor/index.ts';
import { startService } from '../../support/card-payment-service.ts';
import vectors from '../../vectors/rsa_oaep_sha256_v1.json' with { type: 'json' };

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' };

async function keyPair({
  public_key,
  private_key,
}: (typeof vectors.keys)[number]): Promise<KeyPair> {
  return {
    publicKey: await webcrypto.subtle.importKey(
      'spki',
      Buffer.from(public_key, 'base64'),
      OAEP,
      true,
      ['encrypt'],
    ),
    privateKey: await webcrypto.subtle.importKey(
      'pkcs8',
      Buffer.from(private_key, 'base64'),
      OAEP,
      false,
      ['decrypt'],
    ),
  };
}

describe.each(vectors.keys)('$bits bits', (key) => {
  const { app, create, requestKey, authorize } = startService({
    generateKeyPair: () => keyPair(key),
  });
  afterAll(() => app.close());

  /** Each block comes under a key id of its own: the service issues the vectors' key pair as often as it is asked. */
  const send = async (block: { payload: string; layout: unknown }) => {
    const { id: key_id } = await requestKey();
    return authorize((await create()).id, { ...block, key_id });
  };

  // Claim rsa-oaep
  test('takes each block of a card', async () => {
    for (const { what, key_id, card, layout, ciphertexts } of vectors.accepted) {
      if (key_id !== key.id) continue;
      for (const { payload } of ciphertexts) {
        const { status, body } = await send({ payload, layout });
        const outcome = body.payment_method?.last4 ?? body.failure_reason;
        // A Visa card has 13, 16 or 19 digits: this block fits, and its card is declined.
        const isTooShort = card.number.length === 12;
        const expected = isTooShort ? 'incorrect_number' : card.number.slice(-4);
        expect({ what, status, outcome }).toEqual({ what, status: 200, outcome: expected });
      }
    }
  });

  test.each(vectors.refused.filter(({ block }) => block.key_id === key.id))(
    'refuses, at $at: $what; each block that cannot be has one and the same answer, and is decrypted first',
    async ({ at, block }) => {
      const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
      const { status, headers, text, body } = await send(block);
      const decryptions = decrypt.mock.calls.length;
      decrypt.mockRestore();
      const answers: unknown[] = [[422, 'invalid_encryption_block']];
      if (at === 'layout') answers.push([400, 'invalid_request']); // some are not even the body of authorize
      // A card that cannot be, in a block that fits its layout, is declined
      if (at === 'contents') answers.push([200, 'incorrect_number'], [200, 'invalid_expiry_month']);
      expect(answers).toContainEqual([status, body.error?.code ?? body.failure_reason]);
      if (status !== 422) return;
      const reference = await send({ payload: '', layout: [] });
      expect({ text, headers: { ...headers, date: '' } }).toEqual({
        text: reference.text,
        headers: { ...reference.headers, date: '' },
      });
      expect(decryptions).toBe(1);
    },
  );
});
