import { generateKeyPairSync, privateDecrypt, randomUUID } from 'node:crypto';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

export const cardKey = () => ({
  id: `cek_${randomUUID()}`,
  scheme: 'RSA_OAEP_SHA256_V1',
  public_key,
});

export const decrypt = ({ payload, layout }) => {
  const ciphertext = Buffer.from(payload, 'base64');
  const plaintext = privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, ciphertext);
  const card = {};
  let start = 0;
  for (const { field, len } of layout) {
    card[field] = plaintext.toString('utf8', start, start + len);
    start += len;
  }
  return card;
};
