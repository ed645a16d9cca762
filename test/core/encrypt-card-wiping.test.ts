/** Whatever becomes of a call: the caller's object is empty when it returns, and nothing of the card stays in the library's own memory. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { type CardEncryptionKey, encryptCard, prepareKey } from '../../src/core/index.ts';
import { byteCard, card, freshKey, isEmpty, outcome, type StringCard } from '../support/core.ts';
import { watchMemory } from '../support/watch-memory.ts';

/** What the watch looks for: a part of each field that does not occur by chance. */
const PARTS = ['492911', 'Quillow', '2749', '5839'];

interface Case {
  expected: string;
  key?(): CardEncryptionKey | Promise<CardEncryptionKey>;
  card?: Partial<StringCard>;
  /** Whether the card is copied. It is not if the browser or the key is found unfit at once. */
  copied?: false;
}

const preparedKey = () => prepareKey(freshKey());

const CASES: Record<string, Case> = {
  'success with a prepared key': { expected: 'ok', key: preparedKey },
  'success with a key that is not prepared': { expected: 'ok' },
  'a key that is used': {
    expected: 'key_already_used',
    key: () => used(freshKey()),
    copied: false,
  },
  'no atob': {
    expected: 'unsupported_browser',
    key: () => {
      vi.stubGlobal('atob', undefined);
      return freshKey();
    },
    copied: false,
  },
  'a key that is no SPKI': {
    expected: 'invalid_key',
    key: () => ({ ...freshKey(), public_key: 'AAAA' }),
  },
  'a number that is too long': {
    expected: 'invalid_card number',
    card: { number: '49291192837465054929' },
  },
  'a code that breaks its rule': { expected: 'invalid_card cvv', card: { cvv: '58391' } },
  'a name too long for the key': {
    expected: 'card_too_long name 165',
    card: { name: 'Quillow '.repeat(25) },
  },
  'an encryption that rejects': {
    expected: 'encryption_failed',
    key: async () => {
      const key = await preparedKey();
      vi.spyOn(crypto.subtle, 'encrypt').mockRejectedValue(new DOMException('', 'OperationError'));
      return key;
    },
  },
};

async function used(key: CardEncryptionKey) {
  await encryptCard(key, card());
  return key;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe.each(Object.entries(CASES))(
  '%s',
  (_, { expected, key: makeKey = freshKey, card: overrides, copied = true }) => {
    // Claim fields-emptied. Why: `takeOver` and `emptyCard` in src/core/card.ts empty each field
    // before the first `await`, and check that it is empty. A field that cannot be emptied is
    // refused.
    test.each([
      ['strings', card],
      ['bytes', byteCard],
    ] as const)('empties the card before the call returns: %s', async (_, make) => {
      const key = await makeKey();
      const given = make(overrides);
      const values = Object.values<string | Uint8Array>(given);
      const result = encryptCard(key, given);
      expect(isEmpty(given)).toBe(true);
      for (const value of values) {
        if (typeof value !== 'string') expect(value.every((byte) => byte === 0)).toBe(true);
      }
      expect(await outcome(result)).toBe(expected);
    });

    // Claim memory-zeroed. Why: All copies lie in one block of memory; a browser without
    // `encodeInto` makes one more, which is zeroed at once. `encryptTaken` in
    // src/core/encrypt-card.ts zeroes it in its `finally`, when WebCrypto has copied the plaintext
    // or nothing will be encrypted.
    test.each([
      ['strings', card],
      ['bytes', byteCard],
    ] as const)('leaves nothing in memory of its own: %s', async (_, make) => {
      const key = await makeKey();
      const given = make(overrides);
      const memory = watchMemory(PARTS);
      const result = await outcome(encryptCard(key, given));
      memory.unwatch();
      expect(result).toBe(expected);
      expect(memory.everHeld(['2749'])).toBe(copied);
      expect(memory.holds()).toBe(0);
    });
  },
);

describe('the plaintext', () => {
  // Claim memory-zeroed
  test('is what WebCrypto is given, and zeroed in that same turn', async () => {
    const key = freshKey();
    const text = Object.values(card()).join('');
    const own = crypto.subtle.encrypt;
    const seen: unknown[] = [];
    vi.spyOn(crypto.subtle, 'encrypt').mockImplementation((algorithm, cryptoKey, plaintext) => {
      const { buffer, byteOffset, byteLength } = plaintext as Uint8Array<ArrayBuffer>;
      const ciphertext = own.call(crypto.subtle, algorithm, cryptoKey, plaintext);
      if (byteLength > 1) {
        seen.push(new TextDecoder().decode(buffer.slice(byteOffset, byteOffset + byteLength)));
        queueMicrotask(() => seen.push(new Uint8Array(buffer).every((byte) => byte === 0)));
      }
      return ciphertext;
    });
    await encryptCard(key, card());
    expect(seen).toEqual([text, true]);
  });

  // Claim memory-zeroed
  test.each([
    ['prepared', 'ok', () => prepareKey(freshKey()), {}],
    ['good', 'invalid_card cvv', freshKey, { cvv: '58391' }],
  ] as const)(
    'is zeroed before the call returns if it is encrypted by then, or clear that it will not be: %s key',
    async (_, expected, make, overrides) => {
      const key = await make();
      const memory = watchMemory(PARTS);
      const result = encryptCard(key, card(overrides));
      memory.unwatch();
      expect(memory.everHeld(['4929119283746505'])).toBe(true);
      expect(memory.holds()).toBe(0);
      expect(await outcome(result)).toBe(expected);
    },
  );
});

/** Wraps it as a script of the page might that waits for something first. */
function encryptLater() {
  const own = crypto.subtle.encrypt;
  vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(async (...args) => {
    await Promise.resolve();
    return own.apply(crypto.subtle, args);
  });
}

// Claim memory-zeroed. Why: WebCrypto copies the plaintext during the call. The core does not wait
// for a promise before it zeroes, because one that never settles would keep the card in memory.
test('a page that makes crypto.subtle.encrypt wait encrypts zeros, and no card', async () => {
  const key = await prepareKey(freshKey());
  encryptLater();
  const block = await encryptCard(key, card());
  // WebKitGTK's own decryption drops leading zeros.
  const plaintext = await commands.decryptInNode(block.payload);
  expect(plaintext.length).toBe(block.layout.reduce((sum, { len }) => sum + len, 0));
  expect(plaintext.filter((byte) => byte !== 0)).toEqual([]);
});

describe('control', () => {
  // Control fields-emptied
  test('a field that is not emptied is noticed', () => {
    const emptied = { number: '', name: '', exp_month: '', exp_year: '' };
    expect(isEmpty({ ...card(), ...emptied })).toBe(false);
    expect(isEmpty({ ...byteCard(), ...emptied })).toBe(false);
    expect(isEmpty({ ...emptied, cvv: new Uint8Array(3) })).toBe(true);
  });

  // Control memory-zeroed
  test('memory that is not zeroed is noticed, and memory that is not watched', () => {
    const unwatched = new Uint8Array(16);
    const memory = watchMemory(PARTS);
    const buffer = new Uint8Array(512);
    const { written } = new TextEncoder().encodeInto(card().number, buffer);
    expect(memory.everHeld([card().number])).toBe(true);
    expect(memory.holds()).toBe(3); // in what was made, in what was written into, and as not zero
    buffer.fill(0, 0, written - 1);
    expect(memory.holds()).toBe(1);
    buffer.fill(0);
    expect(memory.holds()).toBe(0);
    new TextEncoder().encodeInto(card().number, unwatched);
    expect(memory.everHeld([card().number])).toBe(false);
    memory.unwatch();
  });
});

describe('RegExp statics', () => {
  const statics = ['input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext', '$1', '$9'];
  const read = () => statics.map((name) => Reflect.get(RegExp, name));

  // Claim no-regexp. Why: The rules of the fields look at single bytes: src/core/field-rules.ts.
  // `RegExp` statics would keep the values for the whole page.
  test.each(Object.entries(CASES))(
    '%s: keep what they were',
    async (_, { key: makeKey = freshKey, card: overrides }) => {
      const key = await makeKey();
      const given = [card(overrides), byteCard(overrides)];
      expect(/(p)(lan)(ted)/.test('<planted>')).toBe(true);
      const planted = read();
      expect(planted).toContain('<planted>');
      const results = given.map((one) => encryptCard(key, one));
      expect(read()).toEqual(planted);
      await Promise.all(results.map(outcome));
      const kept = read().join();
      for (const value of Object.values(card(overrides)).filter(({ length }) => length > 2))
        expect(kept).not.toContain(value);
    },
  );

  // Control no-regexp
  // Control form-texts
  test('would show it', () => {
    /\d/.test(card().number);
    expect(read()).toContain(card().number);
  });
});
