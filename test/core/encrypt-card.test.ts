import { afterEach, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { type EncryptedCard, encryptCard, prepareKey } from '../../src/core/index.ts';
import {
  BITS,
  byteCard,
  card,
  decrypt,
  FIELD_NAMES,
  type Field,
  freshKey,
  fromBase64,
  outcome,
  read,
  type StringCard,
  toBase64,
  utf8,
} from '../support/core.ts';

/** By both: WebCrypto in the page and node:crypto on the other side. */
async function decryptTwice(block: EncryptedCard): Promise<StringCard> {
  const inNode = read(block, Uint8Array.from(await commands.decryptInNode(block.payload)));
  expect(await decrypt(block)).toEqual(inNode);
  return inNode;
}

/** The same outcome for strings and for bytes. */
async function outcomeOf(given: Partial<StringCard>, bits = BITS[0]!): Promise<string> {
  const [ofStrings, ofBytes] = [
    await outcome(encryptCard(freshKey(bits), card(given))),
    await outcome(encryptCard(freshKey(bits), byteCard(given))),
  ];
  expect(ofBytes).toBe(ofStrings);
  return ofStrings;
}

describe.each(BITS)('%i bits', (bits) => {
  // Claim exact-card. Why: `checkCard` and `checkCapacity` in src/core/card.ts refuse what does not
  // fit. There is no code that cuts, trims or normalises: [the
  // plaintext](docs/scheme.md#the-plaintext).
  test('what is encrypted decrypts to the card, from strings, bytes and mixtures', async () => {
    const mixtures = [[], ...FIELD_NAMES.map((field) => [field]), FIELD_NAMES];
    for (const inBytes of mixtures) {
      const bytes = Object.fromEntries(inBytes.map((field) => [field, byteCard()[field]]));
      const block = await encryptCard(freshKey(bits), { ...card(), ...bytes });
      expect(await decryptTwice(block)).toEqual(card());
    }
  });

  test.each(['x', 'é', '水', '𝒵'])(
    'takes a name of %s up to the last byte, and tells how many fit',
    async (char) => {
      const [number, cvv] = ['4'.repeat(19), '5839'];
      const limit = bits / 8 - 66 - number.length - 2 - 4 - cvv.length;
      const width = utf8(char).length;
      const name = 'x'.repeat(limit % width) + char.repeat(Math.floor(limit / width));
      expect(utf8(name).length).toBe(limit);
      const block = await encryptCard(freshKey(bits), card({ number, cvv, name }));
      expect(await decrypt(block)).toEqual(card({ number, cvv, name }));
      expect(await outcomeOf({ number, cvv, name }, bits)).toBe('ok');
      for (const long of [`x${name}`, name + char]) {
        const expected = `card_too_long name ${limit}`;
        expect(await outcomeOf({ number, cvv, name: long }, bits)).toBe(expected);
      }
    },
  );
});

test('a name that is too long for any key: no limit is named', async () => {
  for (const name of ['x'.repeat(447), '水'.repeat(149), 'x'.repeat(100_000)]) {
    expect(await outcomeOf({ name })).toBe('card_too_long name');
  }
  expect(await outcomeOf({ name: 'x'.repeat(446) })).toBe('card_too_long name 165');
});

// Claim exact-card
test('a full key never cuts the security code', async () => {
  const [number, name] = ['4'.repeat(19), 'x'.repeat(418)];
  expect(await outcomeOf({ number, name, cvv: '1234' }, 4096)).toBe('card_too_long name 417');
  const fits = card({ number, name, cvv: '123' });
  expect(await decrypt(await encryptCard(freshKey(4096), { ...fits }))).toEqual(fits);
});

/** The first and the last values that each field takes; a name exactly as it is given. */
const TAKEN: Record<Field, string[]> = {
  number: ['0'.repeat(12), '9'.repeat(19)],
  name: ['x', ' x ', 'e\u0301\u00e9', '\ufeffx\u200f', 'x'.repeat(165)],
  exp_month: ['01', '12'],
  exp_year: ['0000', '9999'],
  cvv: ['000', '9999'],
};

const REFUSED: Record<Field, string[]> = {
  number: ['', '4'.repeat(11), '4'.repeat(20), '4111 1111 1111 1111', '٠'.repeat(16)],
  name: ['', 'x\u202e'],
  exp_month: ['', '1', '001', '00', '13'],
  exp_year: ['', '030', '02030', '203x'],
  cvv: ['', '12', '12345', '12x'],
};

test.each(FIELD_NAMES)('%s: what is taken, and what is refused by its rule', async (field) => {
  for (const value of TAKEN[field]) {
    const given = { [field]: value };
    expect(await decrypt(await encryptCard(freshKey(), card(given)))).toEqual(card(given));
    expect(await outcomeOf(given)).toBe('ok');
  }
  for (const value of REFUSED[field]) {
    expect(await outcomeOf({ [field]: value })).toBe(`invalid_card ${field}`);
  }
});

test('the first field at fault is named, in the order of the specification', async () => {
  for (const [i, field] of FIELD_NAMES.entries()) {
    const bad = Object.fromEntries(FIELD_NAMES.slice(i).map((name) => [name, '']));
    expect(await outcomeOf(bad)).toBe(`invalid_card ${field}`);
  }
  const long = 'x'.repeat(447);
  expect(await outcomeOf({ number: '', name: long })).toBe('invalid_card number');
  expect(await outcomeOf({ name: long, cvv: '' })).toBe('card_too_long name');
  expect(await outcomeOf({ name: 'x'.repeat(446), cvv: '' })).toBe('invalid_card cvv');
});

// Claim ciphertext-only
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
  expect(fromBase64(block.payload)).toHaveLength(256);
});

// Control exact-card
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
  await expect(decrypt({ ...block, payload: toBase64(altered) })).rejects.toThrow();
});

test('the id is opaque and comes back unmodified', async () => {
  for (const id of [` Ключ \ud800 ${crypto.randomUUID()}`, '__proto__']) {
    expect((await encryptCard({ ...freshKey(), id }, card())).key_id).toBe(id);
  }
});

describe('the Base64 of the engine', () => {
  const owners = { toBase64: Uint8Array.prototype, fromBase64: Uint8Array };
  type Name = keyof typeof owners;
  const names = Object.keys(owners) as Name[];
  const native = names.map((name) => Object.getOwnPropertyDescriptor(owners[name], name));
  const set = (name: Name, value: unknown) =>
    Object.defineProperty(owners[name], name, { configurable: true, writable: true, value });

  afterEach(() => {
    vi.restoreAllMocks();
    for (const [i, name] of names.entries()) {
      Reflect.deleteProperty(owners[name], name);
      if (native[i]) Object.defineProperty(owners[name], name, native[i]);
    }
  });

  test('makes the same payload as the library does where the engine has none', async () => {
    const ciphertext = Uint8Array.from({ length: 256 }, (_, i) => i);
    const keys = [await prepareKey(freshKey()), await prepareKey(freshKey())] as const;
    vi.spyOn(crypto.subtle, 'encrypt').mockResolvedValue(ciphertext.buffer);
    expect((await encryptCard(keys[0], card())).payload).toBe(toBase64(ciphertext));
    set('toBase64', undefined);
    expect((await encryptCard(keys[1], card())).payload).toBe(toBase64(ciphertext));
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
