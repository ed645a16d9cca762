/** Keys, in the form in which each contender wants them in hand, and the check that what it made of a card is that card, encrypted. */
import {
  constants,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { compactDecrypt } from 'jose';
import { decrypt, generateKey, readMessage, readPrivateKey } from 'openpgp';
import type { Card, EncryptedCard } from '../../src/core/index.ts';
import type { KeyInHand } from './pages/page.ts';

export interface KeyPair {
  inHand: KeyInHand;
  privateKey: KeyObject;
  openpgpPrivateKey: string;
}

/** The same size for all. */
const modulusLength = 2048;

export async function makeKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const { n } = publicKey.export({ format: 'jwk' });
  const openpgp = await generateKey({
    type: 'rsa',
    rsaBits: modulusLength,
    userIDs: [{ name: 'Benchmark' }],
    format: 'armored',
  });
  const inHand = {
    id: 'cek_bench',
    scheme: 'RSA_OAEP_SHA256_V1',
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    adyen: `10001|${Buffer.from(n!, 'base64url').toString('hex').toUpperCase()}`,
    openpgp: openpgp.publicKey,
  };
  return { inHand, privateKey, openpgpPrivateKey: openpgp.privateKey };
}

/** Throws if the ciphertext is not that of the card. */
export async function expectCard(
  contender: string,
  ciphertext: unknown,
  pair: KeyPair,
  card: Card,
): Promise<void> {
  const expected = [card.number, card.name, card.exp_month, card.exp_year, card.cvv].join('');
  const opened = await (OPENERS[contender] ?? openRsaOaep)(ciphertext as never, pair);
  if (opened !== expected) throw new Error(`What ${contender} made is not the card`);
}

const OPENERS: Record<string, (ciphertext: never, pair: KeyPair) => Promise<string> | string> = {
  cardseal: ({ payload }: EncryptedCard, pair) => openRsaOaep(payload, pair),
  jose: async (jwe: string, { privateKey }) =>
    new TextDecoder().decode((await compactDecrypt(jwe, privateKey)).plaintext),
  openpgp: async (message: string, { openpgpPrivateKey }) => {
    const decryptionKeys = await readPrivateKey({ armoredKey: openpgpPrivateKey });
    const { data } = await decrypt({
      message: await readMessage({ armoredMessage: message }),
      decryptionKeys,
    });
    return data as string;
  },
  'adyen-cse-js': (text: string, { privateKey }) => {
    const [, rsa, aes] = text.split('$').map((part) => Buffer.from(part, 'base64'));
    const aesKey = privateDecrypt(
      { key: privateKey, padding: constants.RSA_NO_PADDING },
      rsa!,
    ).subarray(-32); // PKCS#1 v1.5 before it
    const decipher = createDecipheriv('aes-256-ccm', aesKey, aes!.subarray(0, 12), {
      authTagLength: 8,
    });
    decipher.setAuthTag(aes!.subarray(-8));
    const { number, holderName, expiryMonth, expiryYear, cvc } = JSON.parse(
      decipher.update(aes!.subarray(12, -8)).toString(),
    );
    return number + holderName + expiryMonth + expiryYear + cvc;
  },
};

function openRsaOaep(payload: string, { privateKey }: KeyPair): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return privateDecrypt(
    { key: privateKey, padding, oaepHash: 'sha256' },
    Buffer.from(payload, 'base64'),
  ).toString();
}
