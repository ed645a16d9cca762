import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/**
 * The card in a block, by the identifiers of its layout. With Node's crypto, and with nothing of the
 * library.
 *
 * @throws if the block is not under this key.
 */
export function openBlock(block: string, privateKey: KeyObject): Record<string, string> {
  const { payload, layout } = JSON.parse(block);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const key = { key: privateKey, padding, oaepHash: 'sha256' };
  const plaintext = privateDecrypt(key, Buffer.from(payload, 'base64'));
  const card: Record<string, string> = {};
  let start = 0;
  for (const { field, len } of layout) {
    card[field] = plaintext.toString('utf8', start, start + len);
    start += len;
  }
  return card;
}

/** The same as one text: `Pan=4111… Name=…`. */
export function describeBlock(block: string, privateKey: KeyObject): string {
  const fields = Object.entries(openBlock(block, privateKey));
  return fields.map(([field, text]) => `${field}=${text}`).join(' ');
}
