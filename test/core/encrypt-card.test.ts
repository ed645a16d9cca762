import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { type EncryptedCard, encryptCard, prepareKey } from '../../src/core/index.ts';
import {
  BITS,
  byteCard,
  card,
  decrypt,
  FIELD_NAMES,
  freshKey,
  fromBase64,
  outcome,
  read,
  type StringCard,
  toBase64,
  utf8,
} from '../tools/support/core.ts';

/** By both: WebCrypto in the page and node:crypto on the other side. */
async function decryptTwice(block: EncryptedCard): Promise<StringCard> {
  const inNode = read(block, Uint8Array.from(await commands.decryptInNode(block.payload)));
  expect(await decrypt(block)).toEqual(inNode);
  return inNode;
}

describe.each(BITS)('%i bits', (bits) => {
  test('what is encrypted decrypts to the card, from strings, bytes and mixtures', async () => {
    for (const mixture of Array(32).keys()) {
      const [strings, bytes] = [card(), byteCard()];
      const mixed = Object.fromEntries(
        FIELD_NAMES.map((field, i) => [field, (mixture >> i) & 1 ? bytes[field] : strings[field]]),
      );
      const block = await encryptCard(freshKey(bits), mixed as never);
      expect(await (mixture % 8 ? decrypt(block) : decryptTwice(block))).toEqual(card());
    }
  });

  test.each([
    ['one byte', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '水'],
    ['four bytes', '𝒵'],
  ])(
    'takes a name of characters of %s up to the last byte, and tells how many fit',
    async (_, char) => {
      const capacity = bits / 8 - 66;
      for (const [number, cvv] of [
        ['4'.repeat(12), '583'],
        ['4'.repeat(19), '5839'],
      ] as const) {
        const limit = capacity - number.length - 2 - 4 - cvv.length;
        const width = utf8(char).length;
        const fits = 'x'.repeat(limit % width) + char.repeat(Math.floor(limit / width));
        expect(utf8(fits).length).toBe(limit);

        const block = await encryptCard(freshKey(bits), card({ number, cvv, name: fits }));
        expect(await decryptTwice(block)).toEqual(card({ number, cvv, name: fits }));
        expect(
          await decrypt(await encryptCard(freshKey(bits), byteCard({ number, cvv, name: fits }))),
        ).toEqual(card({ number, cvv, name: fits }));

        const key = freshKey(bits);
        for (const name of [`x${fits}`, `${fits}x`, fits + char]) {
          expect(await outcome(encryptCard(key, card({ number, cvv, name })))).toBe(
            `card_too_long name ${limit}`,
          );
          expect(await outcome(encryptCard(key, byteCard({ number, cvv, name })))).toBe(
            `card_too_long name ${limit}`,
          );
        }
        expect(await outcome(encryptCard(key, card({ number, cvv, name: fits })))).toBe('ok'); // the failures left the key as it was
      }
    },
  );
});

test('a full key never cuts the security code', async () => {
  const [number, name] = ['4'.repeat(19), 'x'.repeat(418)];
  expect(await outcome(encryptCard(freshKey(4096), card({ number, name, cvv: '1234' })))).toBe(
    'card_too_long name 417',
  );
  expect(await outcome(encryptCard(freshKey(4096), byteCard({ number, name, cvv: '1234' })))).toBe(
    'card_too_long name 417',
  );
  const fits = card({ number, name, cvv: '123' });
  expect(await decrypt(await encryptCard(freshKey(4096), { ...fits }))).toEqual(fits);
});

test.each([
  ['x', 447],
  ['é', 224],
  ['水', 149],
  ['𝒵', 112],
  ['x', 100_000],
])('a name of %s, %i times, is too long for any key: no limit is named', async (char, times) => {
  for (const bits of BITS) {
    expect(await outcome(encryptCard(freshKey(bits), card({ name: char.repeat(times) })))).toBe(
      'card_too_long name',
    );
    expect(await outcome(encryptCard(freshKey(bits), byteCard({ name: char.repeat(times) })))).toBe(
      'card_too_long name',
    );
  }
  const error = await encryptCard(freshKey(), card({ name: char.repeat(times) })).catch(
    (reason) => reason,
  );
  expect('limit' in error).toBe(false);
});

test('whether a name of 446 bytes fits depends on the key', async () => {
  for (const [bits, limit] of [
    [2048, 165],
    [3072, 293],
    [4096, 421],
  ] as const) {
    expect(await outcome(encryptCard(freshKey(bits), card({ name: 'x'.repeat(446) })))).toBe(
      `card_too_long name ${limit}`,
    );
  }
});

test('the block is the plain JSON of the specification, its layout in bytes of UTF-8', async () => {
  const key = freshKey();
  const block = await encryptCard(key, card({ name: 'Zoë 水𝒵' }));
  expect(block).toStrictEqual({
    payload: expect.any(String),
    key_id: key.id,
    layout: [
      { field: 'Pan', len: 16 },
      { field: 'Name', len: 12 },
      { field: 'ExpMonth', len: 2 },
      { field: 'ExpYear', len: 4 },
      { field: 'Cvc', len: 3 },
    ],
  });
  expect(JSON.parse(JSON.stringify(block))).toStrictEqual(block);
  expect(Object.keys(block)).toEqual(['payload', 'key_id', 'layout']);
  expect(fromBase64(block.payload)).toHaveLength(256);
});

test('the decryptors refuse what is not exactly so', async () => {
  const block = await encryptCard(freshKey(), card());
  const plaintext = Uint8Array.from(await commands.decryptInNode(block.payload));
  expect(read(block, plaintext)).toEqual(card());
  const [pan, name, month, year, cvc] = block.layout as [never, never, never, never, never];
  for (const layout of [
    [name, pan, month, year, cvc],
    [pan, name, month, year],
    [pan, name, month, year, { field: 'Cvc', len: 4 }],
    [pan, name, month, year, { field: 'Cvc', len: 2 }],
    [pan, name, month, year, { field: 'Cvc', len: 3, more: 1 }],
  ]) {
    expect(() => read({ ...block, layout: layout as never }, plaintext)).toThrow();
  }
  expect(() => read({ ...block, more: 1 } as never, plaintext)).toThrow();
  const altered = fromBase64(block.payload);
  altered[255]! ^= 1;
  await expect(
    decrypt({ ...block, payload: btoa(String.fromCharCode(...altered)) }),
  ).rejects.toThrow();
});

test('any name decrypts exactly as it was given', async () => {
  const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u;
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 41 })
    .filter((text) => !forbidden.test(text));
  await fc.assert(
    fc.asyncProperty(name, fc.boolean(), async (text, asBytes) => {
      const given = (asBytes ? byteCard : card)({ name: text });
      expect(await decrypt(await encryptCard(freshKey(), given))).toEqual(card({ name: text }));
    }),
    { numRuns: 50 },
  );
});

test('nothing is trimmed, folded or normalised', async () => {
  for (const name of [
    ' x ',
    '\u00a0x',
    'e\u0301',
    '\u00e9',
    'ﬁ',
    '\ufeffx',
    '\u200fx\u200d',
    'ß',
    '\u1e9e',
    '.',
    '4111',
  ]) {
    expect((await decrypt(await encryptCard(freshKey(), card({ name })))).name).toBe(name);
  }
});

test('the id is opaque and comes back unmodified', async () => {
  for (const prefix of ['', ' ', 'Ключ ', '\ud800', '<b>', '__proto__']) {
    const id = prefix + crypto.randomUUID();
    expect((await encryptCard({ ...freshKey(), id }, card())).key_id).toBe(id);
  }
  expect((await encryptCard({ ...freshKey(), id: '__proto__' }, card())).key_id).toBe('__proto__');
});

test('the same card never gives the same payload, and no two blocks share a layout', async () => {
  const blocks = await Promise.all(
    Array.from({ length: 8 }, () => encryptCard(freshKey(), card())),
  );
  expect(new Set(blocks.map(({ payload }) => payload)).size).toBe(8);
  blocks[0]!.layout[0]!.len = 0;
  expect(blocks[1]!.layout[0]!.len).toBe(16);
});

describe('the Base64 of the engine', () => {
  type Name = 'toBase64' | 'fromBase64';
  const ownerOf = (name: Name) => (name === 'toBase64' ? Uint8Array.prototype : Uint8Array);
  const native = new Map(
    (['toBase64', 'fromBase64'] as const).map((name) => [
      name,
      Object.getOwnPropertyDescriptor(ownerOf(name), name),
    ]),
  );
  const set = (name: Name, value: unknown) =>
    Object.defineProperty(ownerOf(name), name, { configurable: true, writable: true, value });

  afterEach(() => {
    vi.restoreAllMocks();
    for (const [name, descriptor] of native) {
      if (descriptor) Object.defineProperty(ownerOf(name), name, descriptor);
      else Reflect.deleteProperty(ownerOf(name), name);
    }
  });

  test('makes the same payload as the library does where the engine has none', async () => {
    const ciphertext = Uint8Array.from({ length: 256 }, (_, i) => i);
    const payload = toBase64(ciphertext);
    const [key, other] = [await prepareKey(freshKey()), await prepareKey(freshKey())];
    vi.spyOn(crypto.subtle, 'encrypt').mockResolvedValue(ciphertext.buffer);
    expect((await encryptCard(key, card())).payload).toBe(payload);
    set('toBase64', undefined);
    expect((await encryptCard(other, card())).payload).toBe(payload);
  });

  test('is used where the engine has it: it is faster', async () => {
    const write = vi.fn(function (this: Uint8Array) {
      return toBase64(this);
    });
    const read = vi.fn(fromBase64);
    set('toBase64', write);
    set('fromBase64', read);
    const key = freshKey();
    const { payload } = await encryptCard(key, card());
    expect(read.mock.calls).toEqual([[key.public_key]]);
    expect(write).toHaveLastReturnedWith(payload);
  });
});
