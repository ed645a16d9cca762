import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { encode, privateKeyOf, publicKeyOf, rsa } from '../support/oaep.ts';
import { type Card, decryptBlock, InvalidEncryptionBlock, openBlock } from './decrypt.ts';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
const vectors: Vectors = read('rsa_oaep_sha256_v1.json');
const privateKey = (key_id: string) =>
  privateKeyOf(vectors.keys.find(({ id }) => id === key_id)!.private_key);

interface Vectors {
  scheme: string;
  keys: { id: string; bits: number; public_key: string; private_key: string }[];
  accepted: {
    what: string;
    key_id: string;
    card: Card;
    plaintext: string;
    layout: { field: string; len: number }[];
    ciphertexts: { payload: string; seed: string }[];
  }[];
  refused: {
    what: string;
    at: string;
    block: { payload: string; key_id: string; layout: unknown };
  }[];
}

test('the file is as its schema says', () => {
  const isValid = new Ajv2020({ allErrors: true }).compile(read('rsa_oaep_sha256_v1.schema.json'));
  expect(isValid(vectors) || isValid.errors).toBe(true);
  expect(isValid({ ...vectors, scheme: 'RSA_OAEP_SHA256_V99' })).toBe(false);
});

describe.each([2048, 3072, 4096])('%i bits', (bits) => {
  const key = vectors.keys.find((key) => key.bits === bits)!;
  const accepted = vectors.accepted.filter(({ key_id }) => key_id === key.id);

  // Claim rsa-oaep. Why: The ciphertext is plain RSA-OAEP. Node's OpenSSL decrypts it in `npm
  // test`; whole decryptors in TypeScript, Java and Python, and the openssl command, do so in `npm
  // run interop`: [decrypting](docs/decrypting.md).
  test.each(accepted)(
    'node:crypto decrypts to the card: $what',
    ({ card, plaintext, layout, ciphertexts }) => {
      expect(Buffer.from(plaintext, 'hex').toString()).toBe(Object.values(card).join(''));
      expect(new Set(ciphertexts.map(({ payload }) => payload)).size).toBe(3);
      for (const { payload } of ciphertexts)
        expect(decryptBlock(privateKeyOf(key.private_key), { payload, layout })).toEqual(card);
    },
  );

  test('plaintext and seed give the ciphertext again: a known answer for the encrypting side', () => {
    for (const { plaintext, ciphertexts } of accepted) {
      for (const { payload, seed } of ciphertexts) {
        const em = encode(Buffer.from(plaintext, 'hex'), bits / 8, Buffer.from(seed, 'hex'));
        expect(rsa(publicKeyOf(key.public_key), em).toString('base64')).toBe(payload);
      }
    }
  });
});

// Control rsa-oaep
test.each(vectors.refused)('a faulty block is refused, at $at: $what', ({ at, block }) => {
  expect(openBlock(privateKey(block.key_id), block)).toBe(at);
});

test('all refusals look the same to the caller', () => {
  const errors = vectors.refused.map(({ block }) => {
    try {
      return decryptBlock(privateKey(block.key_id), block);
    } catch (error) {
      return error;
    }
  });
  for (const error of errors) {
    expect(error).toStrictEqual(new InvalidEncryptionBlock());
    expect(error).not.toHaveProperty('cause');
  }
});

// Control rsa-oaep
test('what is refused is refused for its one fault: the sound block beside it is taken', () => {
  const { card, layout, ciphertexts } = vectors.accepted.find(({ card }) =>
    card.name.startsWith('Zoë'),
  )!;
  const payload = ciphertexts[0]!.payload;
  const key = privateKey('cek_vectors_2048');
  expect(decryptBlock(key, { payload, layout })).toEqual(card);
  expect(openBlock(key, { payload, layout: layout.toReversed() })).toBe('layout');
  expect(openBlock(privateKey('cek_vectors_3072'), { payload, layout })).toBe('decryption');
});
