/** Why a block was refused: for the log and the page, and in the answer only with `explain`. */
import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import type { CardEncryptionKey, EncryptedCardBlock } from '../../../demo/service/schemas.ts';
import {
  CARD,
  errorOf,
  layoutOf,
  NOON,
  plaintextOf,
  seal,
  startService,
} from '../../support/card-payment-service.ts';

const log: string[] = [];
const logger = { stream: { write: (line: string) => void log.push(line) } };
const service = startService({ explain: true, logger });
const { requestKey, create, authorize } = service;
afterAll(() => service.app.close());

type Layout = EncryptedCardBlock['layout'];

/** Why a block of this plaintext and layout is refused. */
async function reasonOf(plaintext: string | Buffer, layout: Layout): Promise<string | undefined> {
  const key = await requestKey();
  return refusal({ payload: oaep(key, plaintext, 'sha256'), key_id: key.id, layout });
}

async function refusal(block: EncryptedCardBlock): Promise<string | undefined> {
  const reply = await authorize((await create()).id, block);
  expect(errorOf(reply)).toEqual([422, 'invalid_encryption_block']);
  return reply.body.error.reason;
}

function publicKey({ public_key }: CardEncryptionKey) {
  return createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
}

function oaep(key: CardEncryptionKey, plaintext: string | Buffer, oaepHash: string): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return publicEncrypt(
    { key: publicKey(key), padding, oaepHash },
    Buffer.from(plaintext as string),
  ).toString('base64');
}

const with_ = (changes: Partial<typeof CARD>) => ({ ...CARD, ...changes });
const ORDER = 'Pan, Name, ExpMonth, ExpYear, Cvc';

describe('a layout that does not match', () => {
  const card = plaintextOf();
  const change = (index: number, entry: object) =>
    layoutOf().map((old, i) => (i === index ? { ...old, ...entry } : old));
  const total = Buffer.byteLength(card); // 16 + 15 + 2 + 4 + 3
  const swapped = layoutOf();
  swapped.splice(1, 2, swapped[2]!, swapped[1]!);
  const json = JSON.stringify({ number: CARD.number });
  const characters = change(1, { len: CARD.name.length });

  test.each<[what: string, plaintext: string | Buffer, Layout, reason: string]>([
    ['one entry too few', card, layoutOf().slice(1), `The layout has 4 entries, not 5: ${ORDER}.`],
    ['one entry', card, layoutOf().slice(4), `The layout has 1 entry, not 5: ${ORDER}.`],
    [
      'another order',
      card,
      swapped,
      `Entry 2 of the layout is ExpMonth, not Name. The order is ${ORDER}.`,
    ],
    [
      'a field that is none',
      card,
      change(4, { field: CARD.number }),
      `Entry 5 of the layout is none of the five fields, not Cvc. The order is ${ORDER}.`,
    ],
    [
      'a byte too few',
      card,
      change(0, { len: 15 }),
      `The layout covers ${total - 1} of ${total} bytes.`,
    ],
    [
      'a byte too many',
      card,
      change(4, { len: 4 }),
      `The layout covers ${total + 1} of ${total} bytes.`,
    ],
    [
      'characters instead of bytes',
      card,
      characters,
      `The layout covers ${total - 3} of ${total} bytes. It counts characters: len is the number of bytes in UTF-8.`,
    ],
    [
      'JSON',
      json,
      layoutOf(),
      `The layout covers ${total} of ${json.length} bytes. The plaintext begins like JSON, but the scheme concatenates the values.`,
    ],
    [
      'a number as a length',
      card,
      change(0, { len: 4242424242424242 }),
      'The len of Pan is no number of bytes that a block can have.',
    ],
    [
      'a negative length',
      card,
      change(3, { len: -4 }),
      'The len of ExpYear is no number of bytes that a block can have.',
    ],
  ])('%s', async (_, plaintext, layout, reason) => {
    expect(await reasonOf(plaintext, layout)).toBe(reason);
  });

  test.each<[Partial<typeof CARD>, reason: string]>([
    [{ number: '4242 4242 4242 4242' }, 'Pan is not digits only: no spaces, no dashes.'],
    [{ number: '42424242424' }, 'Pan has 11 bytes, not 12 to 19.'],
    [{ name: '' }, 'Name has 0 bytes, not at least 1.'],
    [{ exp_month: '1' }, 'ExpMonth has 1 byte, not 2.'],
    [{ exp_month: '1a' }, 'ExpMonth is not two digits.'],
    [{ exp_year: '30' }, 'ExpYear has 2 bytes, not 4.'],
    [{ exp_year: '203O' }, 'ExpYear is not four digits.'],
    [{ cvv: '12' }, 'Cvc has 2 bytes, not 3 to 4.'],
    [{ cvv: '12x' }, 'Cvc is not 3 or 4 digits.'],
  ])('%j', async (changes, reason) => {
    const card = with_(changes);
    expect(await reasonOf(plaintextOf(card), layoutOf(card))).toBe(reason);
  });

  test('a character that is cut in two', async () => {
    const layout = layoutOf().map((entry) => ({ ...entry }));
    const card = with_({ number: '4242424242424242', name: 'Zoë' });
    const shifted = layoutOf(card);
    shifted[1]!.len -= 1;
    shifted[2]!.len += 1;
    expect(await reasonOf(plaintextOf(card), shifted)).toBe(
      'Name is not well-formed UTF-8: its first or last byte belongs to another field.',
    );
    expect(layout).toHaveLength(5);
  });
});

describe('a block that cannot be decrypted', () => {
  const layout = layoutOf();
  const BOTH = 'The scheme has SHA-256 as the hash of both OAEP and MGF1.';

  test.each<[what: string, encrypt: (key: CardEncryptionKey) => string, reason: string]>([
    ['SHA-1', (key) => oaep(key, plaintextOf(), 'sha1'), `OAEP uses SHA-1. ${BOTH}`],
    ['SHA-512', (key) => oaep(key, plaintextOf(), 'sha512'), `OAEP uses SHA-512. ${BOTH}`],
    [
      'MGF1 with SHA-1, as in Java',
      (key) => rawEncrypt(key, oaepEncode(plaintextOf(), 'sha256', 'sha1')),
      `MGF1 uses SHA-1. In Java, give an explicit OAEPParameterSpec. ${BOTH}`,
    ],
    [
      'PKCS #1 v1.5',
      (key) =>
        publicEncrypt(
          { key: publicKey(key), padding: constants.RSA_PKCS1_PADDING },
          Buffer.from(plaintextOf()),
        ).toString('base64'),
      'The padding is PKCS #1 v1.5. The scheme has OAEP with SHA-256.',
    ],
    [
      'Base64url',
      (key) => {
        const bytes = Buffer.from(oaep(key, plaintextOf(), 'sha256'), 'base64');
        return bytes.toString('base64url');
      },
      'The payload is Base64url. The scheme has Base64, with + and / and with padding.',
    ],
    [
      'line breaks',
      (key) => oaep(key, plaintextOf(), 'sha256').replace(/.{76}/g, '$&\n'),
      'The payload is not Base64 with padding and without line breaks (RFC 4648, section 4).',
    ],
    [
      'a symmetric cipher',
      () => {
        const cipher = createCipheriv('aes-128-ecb', randomBytes(16), null);
        return Buffer.concat([cipher.update(plaintextOf()), cipher.final()]).toString('base64');
      },
      'The payload is Base64 of 48 bytes. A block of this key has 256.',
    ],
    [
      'noise',
      () => Buffer.alloc(256, 1).toString('base64'),
      'The block cannot be decrypted: it was made with another public key, another padding or ' +
        'another hash, or it was changed on the way.',
    ],
  ])('%s', async (_, encrypt, reason) => {
    const key = await requestKey();
    expect(await refusal({ payload: encrypt(key), key_id: key.id, layout })).toBe(reason);
  });

  test.each([false, true])('the public key of another key; fresh keys: %s', async (freshKeys) => {
    const { app, requestKey, create, authorize } = startService({ explain: true, freshKeys });
    const keys = [await requestKey(), await requestKey()];
    // Ready key pairs are used again.
    while (keys[1]!.public_key === keys[0]!.public_key) keys[1] = await requestKey();
    const block = { ...seal(keys[0]!), key_id: keys[1]!.id };
    const reply = await authorize((await create()).id, block);
    expect(reply.body.error.reason).toBe(
      'The block was made with the public key of another encryption key.',
    );
    await app.close();
  });
});

describe('a key that takes no block', () => {
  test('used, expired, of another account or mode, unknown', async () => {
    const { id } = await create();
    const reason = async (block: EncryptedCardBlock) =>
      (await authorize(id, block)).body.error.reason;
    const used = seal(await requestKey());
    await authorize((await create()).id, used);
    expect(await reason(used)).toBe('The key has taken a block before. One key takes one block.');
    for (const secretKey of [ACCOUNTS[1].secretKey, ACCOUNTS[0].liveSecretKey])
      expect(await reason(seal(await requestKey({ secretKey })))).toBe(
        'The key belongs to another account, or to the other mode (test or live).',
      );
    const unknown = { ...used, key_id: 'cek_0' };
    expect(await reason(unknown)).toBe('No key has this id, or it expired more than 24 hours ago.');
    const key = await requestKey();
    service.time.now = key.expires_at + 61_000;
    expect(await reason(seal(key))).toBe('The key expired 61000 ms ago.');
    service.time.now = NOON;
    expect(await reason(seal(key))).toBe('The key expired before the clock was set back.');
  });
});

test('why a card was declined is in the log, and not in the intent', async () => {
  log.length = 0;
  const card = with_({ number: '42424242424242' });
  const { body } = await authorize((await create()).id, seal(await requestKey(), card));
  expect(JSON.parse(log.at(-1)!).reason).toBe(
    'incorrect_number: The number has 14 digits, visa has 13, 16, 19.',
  );
  expect(body.failure_reason).toBe('incorrect_number');
});

test('without explain the reason is in the log and in no answer', async () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const { app, create, requestKey, authorize } = startService({ logger: { stream } });
  const block = { ...seal(await requestKey()), layout: [] };
  const { text } = await authorize((await create()).id, block);
  expect(text).not.toContain('reason');
  expect(JSON.parse(lines.at(-1)!).reason).toBe(`The layout has 0 entries, not 5: ${ORDER}.`);
  await app.close();
});

/** RFC 8017, 7.1.1, step 2, with any two hashes: OpenSSL cannot be told to mix them here. */
function oaepEncode(message: string, hash: string, mgfHash: string): Buffer {
  const label = createHash(hash).digest();
  const block = Buffer.alloc(256 - label.length - 1);
  label.copy(block);
  const bytes = Buffer.from(message);
  bytes.copy(block, block.length - bytes.length);
  block[block.length - bytes.length - 1] = 1;
  const seed = randomBytes(label.length);
  const masked = xor(block, mask(seed, block.length, mgfHash));
  const maskedSeed = xor(seed, mask(masked, seed.length, mgfHash));
  return Buffer.concat([Buffer.alloc(1), maskedSeed, masked]);
}

function mask(seed: Buffer, length: number, hash: string): Buffer {
  const parts = Array.from({ length: Math.ceil(length / 20) }, (_, i) =>
    createHash(hash)
      .update(seed)
      .update(Buffer.of(0, 0, 0, i))
      .digest(),
  );
  return Buffer.concat(parts).subarray(0, length);
}

const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, i) => byte ^ other[i]!));

const rawEncrypt = (key: CardEncryptionKey, encoded: Buffer) =>
  publicEncrypt({ key: publicKey(key), padding: constants.RSA_NO_PADDING }, encoded).toString(
    'base64',
  );
