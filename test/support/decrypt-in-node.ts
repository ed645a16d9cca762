/** Vitest command, run on Node's side of a browser test: decrypts with node:crypto what the page encrypted. */
import { constants, createPrivateKey, privateDecrypt } from 'node:crypto';
import type { BrowserCommand } from 'vitest/node';
import keys from '../vectors/keys.json' with { type: 'json' };

declare module 'vitest/browser' {
  interface BrowserCommands {
    decryptInNode(payload: string): Promise<number[]>;
  }
}

export const decryptInNode: BrowserCommand<[payload: string]> = (_context, payload): number[] => {
  const ciphertext = Buffer.from(payload, 'base64');
  const { private_key } = keys.rsa.find(({ bits }) => bits === ciphertext.length * 8)!;
  const key = createPrivateKey({
    key: Buffer.from(private_key, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  return [
    ...privateDecrypt(
      { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      ciphertext,
    ),
  ];
};
