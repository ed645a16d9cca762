/**
 * Makes keys.json: npx tsx test/vectors/make-keys.ts
 *
 * THESE ARE TEST KEYS. Their private halves are published: nothing that is encrypted under them is secret.
 * Every run makes other keys, and published vectors hold only for the keys that they were made with: make those again, too.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NOTICE =
  'TEST KEYS. Their private halves are public: worthless, never to be used outside of tests. Made by make-keys.ts.';

const rsa = (modulusLength: number, publicExponent = 65537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const base64 = (key: KeyObject) =>
  key.export({ format: 'der', type: key.type === 'public' ? 'spki' : 'pkcs8' }).toString('base64');

const keys = {
  notice: NOTICE,
  /** What the library takes. SPKI and PKCS#8, in Base64. */
  rsa: [2048, 3072, 4096].map((bits) => {
    const { publicKey, privateKey } = rsa(bits);
    return { bits, public_key: base64(publicKey), private_key: base64(privateKey) };
  }),
  /** Sound keys that the library refuses. SPKI, in Base64; their private halves are thrown away. */
  refused: Object.entries({
    'RSA of 1024 bits': rsa(1024),
    'RSA of 2050 bits': rsa(2050),
    'RSA of 8192 bits': rsa(8192),
    'RSA of 2048 bits with the exponent 3': rsa(2048, 3),
    'EC on P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    Ed25519: generateKeyPairSync('ed25519'),
  }).map(([what, { publicKey }]) => ({ what, public_key: base64(publicKey) })),
};

writeFileSync(join(import.meta.dirname, 'keys.json'), `${JSON.stringify(keys, null, 2)}\n`);
