/** RSAES-OAEP taken apart (RFC 8017, 7.1), so that tests can look inside a ciphertext and make the ones that nobody should. Node only. */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';

export interface Oaep {
  /** The OAEP hash; 'sha256' unless told. */
  hash?: string;
  /** The hash of MGF1; the OAEP hash unless told. Java's default differs here. */
  mgf1Hash?: string;
  label?: string;
}

/** The encoded message EM, k bytes: 00 || maskedSeed || maskedDB. */
export function encode(
  message: Uint8Array,
  k: number,
  seed: Uint8Array,
  { hash = 'sha256', mgf1Hash = hash, label = '' }: Oaep = {},
): Buffer {
  const lHash = digest(hash, label);
  if (seed.length !== lHash.length)
    throw new Error(`the seed has ${seed.length} bytes, not ${lHash.length}`);
  const padding = Buffer.alloc(k - message.length - 2 * lHash.length - 2); // throws if the message is too long
  const db = Buffer.concat([lHash, padding, Buffer.of(1), message]);
  const maskedDb = xor(db, mgf1(mgf1Hash, seed, db.length));
  return Buffer.concat([Buffer.of(0), xor(seed, mgf1(mgf1Hash, maskedDb, seed.length)), maskedDb]);
}

/** What encode was made of: the raw RSA decryption, unmasked, and nothing of it checked. */
export function takeApart(privateKey: KeyObject, ciphertext: Uint8Array) {
  const em = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, ciphertext);
  const [maskedSeed, maskedDb] = [em.subarray(1, 33), em.subarray(33)];
  const seed = xor(maskedSeed, mgf1('sha256', maskedDb, 32));
  const db = xor(maskedDb, mgf1('sha256', seed, maskedDb.length));
  const one = db.findIndex((byte, i) => i >= 32 && byte !== 0);
  return {
    first: em[0]!,
    seed,
    lHash: db.subarray(0, 32),
    padding: db.subarray(32, one),
    one: db[one],
    message: db.subarray(one + 1),
  };
}

/** RSAEP: no padding of its own. */
export const rsa = (publicKey: KeyObject, em: Uint8Array): Buffer =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, em);

export const publicKeyOf = (spki: string) =>
  createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
export const privateKeyOf = (pkcs8: string) =>
  createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' });

const digest = (hash: string, data: Uint8Array | string) => createHash(hash).update(data).digest();

function mgf1(hash: string, seed: Uint8Array, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 20) }, (_, i) =>
    digest(hash, Buffer.concat([seed, Buffer.of(0, 0, 0, i)])),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const xor = (a: Uint8Array, b: Uint8Array) => Buffer.from(a.map((byte, i) => byte ^ b[i]!));
