import { generateKeyPairSync } from 'node:crypto';

/** A card encryption key as a browser gets it, newly made. */
export function newKey(modulusLength = 2048) {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return { id: `cek_${crypto.randomUUID()}`, scheme: 'RSA_OAEP_SHA256_V1', public_key };
}
