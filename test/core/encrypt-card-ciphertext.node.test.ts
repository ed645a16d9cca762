import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import { encode, type Oaep, privateKeyOf, publicKeyOf, rsa, takeApart } from '../support/oaep.ts';
import testKeys from '../vectors/keys.json' with { type: 'json' };

const CARD = {
  number: '4929119283746505',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2749',
  cvv: '583',
};
const LABEL_HASH = createHash('sha256').digest('hex'); // of the empty label
let ids = 0;

async function ciphertext(public_key: string): Promise<Buffer> {
  const key = { id: `cek_ciphertext_${ids++}`, scheme: 'RSA_OAEP_SHA256_V1', public_key };
  return Buffer.from((await encryptCard(key, { ...CARD })).payload, 'base64');
}

// Claim rsa-oaep. Why: `importRsaOaepSha256` in src/core/rsa-oaep.ts names hash and label: [the
// encryption](docs/scheme.md#the-encryption).
test.each(testKeys.rsa)(
  '$bits bits: inside are 00, a seed, the hash of the empty label, zeros, 01 and the plaintext',
  async (key) => {
    const privateKey = privateKeyOf(key.private_key);
    const seeds = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const { first, seed, lHash, padding, one, message } = takeApart(
        privateKey,
        await ciphertext(key.public_key),
      );
      const plaintext = Object.values(CARD).join('');
      expect([first, lHash.toString('hex'), one, message.toString()]).toEqual([
        0,
        LABEL_HASH,
        1,
        plaintext,
      ]);
      expect(padding).toEqual(Buffer.alloc(key.bits / 8 - 66 - Buffer.byteLength(plaintext)));
      seeds.add(seed.toString('hex'));
    }
    expect(seeds.size).toBe(5);
  },
);

// Claim rsa-oaep
test('a thousand encryptions of one card are all different, and each is as long as the modulus', async () => {
  const [{ public_key, bits }] = testKeys.rsa as [(typeof testKeys.rsa)[number]];
  const all = await Promise.all(Array.from({ length: 1_000 }, () => ciphertext(public_key)));
  expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(1_000);
  expect(new Set(all.map(({ length }) => length))).toEqual(new Set([bits / 8]));
});

// Control rsa-oaep
test('control: the look inside tells another label, another hash and a repeated seed', () => {
  const [{ public_key, private_key }] = testKeys.rsa as [(typeof testKeys.rsa)[number]];
  const [message, seed] = [Buffer.from(Object.values(CARD).join('')), Buffer.alloc(32, 7)];
  const look = (oaep?: Oaep) =>
    takeApart(
      privateKeyOf(private_key),
      rsa(publicKeyOf(public_key), encode(message, 256, seed, oaep)),
    );
  expect(look()).toMatchObject({
    first: 0,
    seed,
    lHash: Buffer.from(LABEL_HASH, 'hex'),
    one: 1,
    message,
  });
  expect(look({ label: 'x' }).lHash.toString('hex')).not.toBe(LABEL_HASH);
  expect(look({ mgf1Hash: 'sha1' }).seed).not.toEqual(seed);
});
