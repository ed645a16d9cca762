import { webcrypto } from 'node:crypto';
import type { EncryptedCardBlock } from '../../../demo/service/schemas.ts';
import {
  CARD,
  layoutOf,
  plaintextOf,
  recycledKeyPair,
  seal,
  sealText,
} from './card-payment-service.ts';

type Layout = EncryptedCardBlock['layout'];
/** Makes a block that the service must refuse. */
type Forge = (key: Parameters<typeof seal>[0]) => Promise<EncryptedCardBlock> | EncryptedCardBlock;
const withLayout = (change: (layout: Layout) => Layout): Forge => {
  return (key) => sealText(key, plaintextOf(), change(layoutOf()));
};
/** A layout with another field or more or fewer bytes in one place. */
const withEntry = (place: number, { field, more = 0 }: { field?: string; more?: number }): Forge =>
  withLayout((layout) =>
    layout.map((entry, i) =>
      i === place ? { field: field ?? entry.field, len: entry.len + more } : entry,
    ),
  );
const withCard = (card: Partial<typeof CARD>): Forge => {
  return (key) => seal(key, { ...CARD, ...card });
};
const withPayload = (change: (payload: string) => string): Forge => {
  return (key) => {
    const block = seal(key);
    return { ...block, payload: change(block.payload) };
  };
};
/** Blocks under a valid key that the service cannot decrypt. */
export const UNDECRYPTABLE: Record<string, Forge> = {
  'empty payload': withPayload(() => ''),
  'payload that is not Base64': withPayload((payload) => `!${payload.slice(1)}`),
  'payload with white space': withPayload((payload) => `${payload}\n`),
  'payload in base64url': withPayload((payload) => `-_${payload.slice(2)}`),
  'payload without its padding': withPayload((payload) => payload.replace(/=+$/, '')),
  'payload that is too short': withPayload((payload) => payload.slice(0, -4)),
  'payload that is too long': withPayload((payload) => `AAAA${payload}`),
  'payload with one bit turned': withPayload((payload) => {
    const bytes = Buffer.from(payload, 'base64');
    bytes[100]! ^= 1;
    return bytes.toString('base64');
  }),
  'payload of zeros': withPayload(() => Buffer.alloc(256).toString('base64')),
  'payload larger than the modulus': withPayload(() => Buffer.alloc(256, 0xff).toString('base64')),
  'use of the wrong public key': async (key) => ({
    ...seal({ ...key, public_key: await otherPublicKey(key.public_key) }),
    key_id: key.id,
  }),
  'another OAEP hash': async (key) => {
    const der = Buffer.from(key.public_key, 'base64');
    const sha1 = await webcrypto.subtle.importKey(
      'spki',
      der,
      { name: 'RSA-OAEP', hash: 'SHA-1' },
      false,
      ['encrypt'],
    );
    const ciphertext = await webcrypto.subtle.encrypt(
      { name: 'RSA-OAEP' },
      sha1,
      Buffer.from(plaintextOf()),
    );
    return {
      payload: Buffer.from(ciphertext).toString('base64'),
      key_id: key.id,
      layout: layoutOf(),
    };
  },
};

/** Blocks under a valid key whose layout does not match the decrypted contents. */
export const MISMATCHING: Record<string, Forge> = {
  'no layout entries': withLayout(() => []),
  'a layout entry missing': withLayout((layout) => layout.slice(0, 4)),
  'a layout entry too many': withLayout((layout) => [...layout, { field: 'Cvc', len: 0 }]),
  'a field twice': withEntry(2, { field: 'ExpYear' }),
  'two fields in the wrong order in the layout': withLayout(([pan, name, ...rest]) => [
    name!,
    pan!,
    ...rest,
  ]),
  'two fields in the wrong order in layout and plaintext': (key) => {
    const [pan, name, ...rest] = layoutOf();
    return sealText(key, CARD.name + CARD.number + CARD.exp_month + CARD.exp_year + CARD.cvv, [
      name!,
      pan!,
      ...rest,
    ]);
  },
  'a field by the client’s name': withEntry(0, { field: 'number' }),
  'a field in the wrong case': withEntry(0, { field: 'PAN' }),
  'a field named like a property of every object': withEntry(0, { field: '__proto__' }),
  'a byte too few': withEntry(1, { more: -1 }),
  'a byte too many': withEntry(1, { more: 1 }),
  'a byte moved from the name to the number': withLayout(([pan, name, ...rest]) => [
    { field: 'Pan', len: pan!.len + 1 },
    { field: 'Name', len: name!.len - 1 },
    ...rest,
  ]),
  'lengths that add up with a negative one': withLayout(([pan, name, month, year, cvc]) => [
    pan!,
    name!,
    { ...month!, len: -2 },
    { ...year!, len: 8 },
    cvc!,
  ]),
  'a length beyond all bounds': withEntry(1, { more: Number.MAX_VALUE }),
  'a plaintext that goes on after the last field': (key) =>
    sealText(key, `${plaintextOf()}0`, layoutOf()),
  'an empty plaintext': (key) => sealText(key, '', layoutOf()),
  'a number with a letter': withCard({ number: '424242424242424O' }),
  'a number with spaces': withCard({ number: '4242 4242 4242 4242' }),
  'a number of 11 digits': withCard({ number: '42424242426' }),
  'a number of 20 digits': withCard({ number: '42424242424242424242' }),
  'a number in Arabic digits': withCard({ number: '٤٢٤٢٤٢٤٢' }),
  'an empty name': withCard({ name: '' }),
  'a name that is not UTF-8': (key) => {
    const plaintext = Buffer.from(plaintextOf({ ...CARD, name: '??' }));
    plaintext.set([0xc3, 0x28], CARD.number.length);
    return sealText(key, plaintext, layoutOf({ ...CARD, name: '??' }));
  },
  'a month of one digit': withCard({ exp_month: '6' }),
  'a month with a letter': withCard({ exp_month: '1a' }),
  'a year of two digits': withCard({ exp_year: '30' }),
  'a year with a letter': withCard({ exp_year: '20x0' }),
  'a security code of 2 digits': withCard({ cvv: '12' }),
  'a security code of 5 digits': withCard({ cvv: '12345' }),
  'a security code with a letter': withCard({ cvv: '12x' }),
};

async function otherPublicKey(publicKey: string): Promise<string> {
  const pair = await recycledKeyPair();
  const der = await webcrypto.subtle.exportKey('spki', pair.publicKey);
  const other = Buffer.from(der).toString('base64');
  return other === publicKey ? otherPublicKey(publicKey) : other;
}
