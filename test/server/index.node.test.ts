import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { CardEncryptionError, type EncryptedCard, encryptCard } from '../../src/core/index.ts';
import { browserKey, parseEncryptedCard } from '../../src/server/index.ts';
import { BITS, freshKey } from '../tools/support/core.ts';

const PAN = '4242424242424242';
const FIELDS = ['Pan', 'Name', 'ExpMonth', 'ExpYear', 'Cvc'];

/** A block that could be right, with a payload of `k` bytes. */
function block(k = 256, lens = [16, 12, 2, 4, 3]): EncryptedCard {
  const layout = FIELDS.map((field, i) => ({ field, len: lens[i] })) as EncryptedCard['layout'];
  return { payload: Buffer.alloc(k, 7).toString('base64'), key_id: 'cek_1', layout };
}

/** What the session of a checkout remembers whose key made `block()`. */
const EXPECTED = { keyId: 'cek_1', expiresAt: Number.POSITIVE_INFINITY };

/** Parses what must be refused; fails if anything but the one code comes out, or anything of the input with it. */
function refused(input: unknown, ...expected: [unknown?]) {
  try {
    parseEncryptedCard(input, (expected.length ? expected[0] : EXPECTED) as typeof EXPECTED);
  } catch (error) {
    const { name, code, message, stack } = error as Error & { code: string };
    expect({ name, code }).toEqual({ name: 'CardEncryptionError', code: 'invalid_encrypted_card' });
    expect(error).not.toHaveProperty('cause');
    const all = `${inspect(error, { depth: null, showHidden: true })}\n${JSON.stringify(error)}\n${message}\n${stack}`;
    expect(all).not.toContain(PAN);
    expect(all).not.toContain('Secret');
    return message;
  }
  throw new Error('It was let through');
}

describe('parseEncryptedCard', () => {
  test.each(BITS)(
    'lets through what encryptCard makes of any card with a key of %i bits, as object and as text',
    async (bits) => {
      const card = fc.record({
        number: fc.string({ minLength: 12, maxLength: 19, unit: fc.constantFrom(...'0123456789') }),
        name: fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'aZ ß李𝄞-') }),
        exp_month: fc.constantFrom('01', '09', '12'),
        exp_year: fc.constantFrom('2031', '9999'),
        cvv: fc.string({ minLength: 3, maxLength: 4, unit: fc.constantFrom(...'0123456789') }),
      });
      await fc.assert(
        fc.asyncProperty(card, async (card) => {
          const encrypted = await encryptCard(freshKey(bits), { ...card });
          const expected = { keyId: encrypted.key_id, expiresAt: Date.now() + 60_000 };
          expect(parseEncryptedCard(encrypted, expected)).toEqual(encrypted);
          expect(parseEncryptedCard(JSON.stringify(encrypted), expected)).toEqual(encrypted);
        }),
        { numRuns: 30 },
      );
    },
  );

  test('returns a fresh, plain copy', () => {
    const input = block();
    const parsed = parseEncryptedCard(input, EXPECTED);
    expect(parsed).toEqual(input);
    expect(parsed).not.toBe(input);
    expect(parsed.layout).not.toBe(input.layout);
    for (const [i, entry] of parsed.layout.entries()) expect(entry).not.toBe(input.layout[i]);
    expect(
      parseEncryptedCard(Object.assign(Object.create({ toJSON: () => PAN }), input), EXPECTED),
    ).toEqual(input);
  });

  test.each([
    [256, 190],
    [384, 318],
    [512, 446],
  ])(
    'takes a plaintext of k - 66 bytes and no more: %i bytes of payload, %i of plaintext',
    (k, capacity) => {
      const rest = 16 + 2 + 4 + 3;
      expect(parseEncryptedCard(block(k, [16, capacity - rest, 2, 4, 3]), EXPECTED)).toBeTruthy();
      refused(block(k, [16, capacity - rest + 1, 2, 4, 3]));
    },
  );

  test.each<[string, number[], number[]]>([
    ['Pan', [12, 19], [11, 20]],
    ['Name', [1, 420], [0, 447]],
    ['ExpMonth', [2], [1, 3]],
    ['ExpYear', [4], [3, 5]],
    ['Cvc', [3, 4], [2, 5]],
  ])('takes the lengths that %s can have', (field, good, bad) => {
    const withLength = (len: unknown) =>
      block(512, Object.assign([16, 12, 2, 4, 3], { [FIELDS.indexOf(field)]: len }));
    for (const len of good) expect(parseEncryptedCard(withLength(len), EXPECTED)).toBeTruthy();
    const noLengths = [good[0]! + 0.5, Number.NaN, [good[0]], undefined, BigInt(good[0]!)];
    for (const len of [...bad, ...noLengths]) refused(withLength(len));
  });

  // Everything that JSON can write: test/corpus.
  test.each<[string, (valid: EncryptedCard) => unknown]>([
    ['nothing', () => undefined],
    ['a function', () => () => PAN],
    ['an array', () => [block()]],
    ['a clear card beside the block', (valid) => ({ ...valid, number: PAN })],
    ['a clear card under a symbol', (valid) => ({ ...valid, [Symbol('number')]: PAN })],
    [
      'a clear card that is not enumerable',
      (valid) => Object.defineProperty(valid, 'number', { value: PAN }),
    ],
    ['a clear card in the payload', (valid) => ({ ...valid, payload: PAN })],
    [
      'a clear card on the layout',
      (valid) => ({ ...valid, layout: Object.assign(valid.layout, { number: PAN }) }),
    ],
    ['payload as String object', (valid) => ({ ...valid, payload: new String(valid.payload) })],
    ['layout as an object', (valid) => ({ ...valid, layout: { ...valid.layout, length: 5 } })],
    [
      'a sparse layout',
      (valid) => ({ ...valid, layout: Object.assign(valid.layout.slice(0, 4), { length: 5 }) }),
    ],
    ['a payload of 50 MB', (valid) => ({ ...valid, payload: 'A'.repeat(50e6) })],
  ])('refuses %s', (_, alter) => {
    expect(refused(alter(block()))).toMatch('exactly payload, key_id and layout');
  });

  test('takes text of 4,096 characters and no more', () => {
    const withId = (length: number) => JSON.stringify({ ...block(), key_id: 'k'.repeat(length) });
    const longest = 4096 - withId(1).length + 1;
    const keyId = 'k'.repeat(longest);
    expect(parseEncryptedCard(withId(longest), { ...EXPECTED, keyId }).key_id).toBe(keyId);
    refused(withId(longest + 1), { ...EXPECTED, keyId: `${keyId}k` });
  });

  test('decodes no payload of more than 4,096 characters: only the length is looked at', () => {
    const native = Object.getOwnPropertyDescriptor(Uint8Array, 'fromBase64');
    const decoded = vi.fn((text: string) => Uint8Array.from(Buffer.from(text, 'base64')));
    Object.defineProperty(Uint8Array, 'fromBase64', { configurable: true, value: decoded });
    try {
      for (const length of [4096, 4097, 4100]) {
        refused({ ...block(), payload: 'A'.repeat(length) });
      }
    } finally {
      if (native) Object.defineProperty(Uint8Array, 'fromBase64', native);
      else Reflect.deleteProperty(Uint8Array, 'fromBase64');
    }
    expect(decoded.mock.calls).toEqual([['A'.repeat(4096)]]);
  });

  test('runs no getter, and survives proxies that answer as they like', () => {
    let asked = 0;
    const getter = { get: () => `${asked++}`, enumerable: true };
    refused(Object.defineProperty(block(), 'key_id', getter));
    refused({ ...block(), layout: Object.defineProperty([...block().layout], '0', getter) });
    expect(asked).toBe(0);
    for (const trap of Object.getOwnPropertyNames(Reflect)) {
      const fails = { [trap]: () => { throw new Error(`Secret ${PAN}`); } }; // biome-ignore format: one line for one trap
      try {
        expect(parseEncryptedCard(new Proxy(block(), fails), EXPECTED)).toEqual(block()); // a trap that is not asked
      } catch {
        refused(new Proxy(block(), fails));
      }
    }
    let turn = 0;
    const twoFaced = new Proxy(block(), {
      getOwnPropertyDescriptor: (target, name) => ({
        ...Reflect.getOwnPropertyDescriptor(target, name)!,
        ...(name === 'key_id' && { value: turn++ ? PAN : 'cek_1' }),
      }),
    });
    expect(parseEncryptedCard(twoFaced, EXPECTED).key_id).toBe('cek_1');
  });

  test.each<[string, unknown, () => unknown]>([
    ['key_id', 'cek_1', () => ({ payload: block().payload, layout: block().layout })],
    ['value', 'cek_1', () => Object.defineProperty(block(), 'key_id', { get: () => 'cek_1' })],
  ])('is not helped by a polluted Object.prototype.%s', (name, value, make) => {
    const input = make();
    Object.defineProperty(Object.prototype, name, { value, configurable: true });
    let outcome: unknown;
    try {
      outcome = parseEncryptedCard(input, EXPECTED);
    } catch (error) {
      outcome = (error as { code: string }).code;
    }
    delete (Object.prototype as unknown as Record<string, unknown>)[name]; // before anything of the test runner's runs
    expect(outcome).toBe('invalid_encrypted_card');
  });

  test.each<[string, (text: string) => string]>([
    ['that is not JSON', () => `{"number": "${PAN}", Secret}`],
    ['with a property twice', (text) => text.replace('{', `{"payload":"${PAN}",`)],
    ['of 50 MB', (text) => text + ' '.repeat(50e6)],
    ['nested a million deep', () => '['.repeat(1e6)],
  ])('refuses text %s', (_, alter) => {
    refused(alter(JSON.stringify(block())));
  });

  test('refuses any other JSON, as value and as text, and repeats nothing of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        refused(value);
        refused(JSON.stringify(value));
        refused({ ...block(), more: value });
        refused({ ...block(), layout: value });
      }),
    );
  });

  test('takes only the key of this checkout, and no block when the session has none', () => {
    expect(parseEncryptedCard(block(), EXPECTED)).toEqual(block());
    for (const keyId of ['cek_2', 'cek_1 ', '', undefined, null]) {
      expect(refused(block(), { ...EXPECTED, keyId })).toMatch(
        'not encrypted under the key of this checkout',
      );
    }
    const { keyId: _, ...withoutKey } = EXPECTED;
    expect(refused(block(), withoutKey)).toMatch('not encrypted under the key of this checkout');
  });

  test.each([
    ['1e3', 1000],
    ['cek_1', ['cek_1']],
  ])('takes no block of the key %o where the session remembers %o', (key_id, keyId) => {
    expect(refused({ ...block(), key_id }, { ...EXPECTED, keyId })).toMatch('not encrypted under');
  });

  test.each([undefined, null, `Secret ${PAN}`, () => PAN])(
    'takes no block if %o is expected, which is no object',
    (expected) => {
      expect(refused(block(), expected)).toMatch('No key was issued');
    },
  );

  test('takes a block until its key expires and not a millisecond longer', () => {
    vi.useFakeTimers({ now: 1_000 });
    try {
      for (const expiresAt of [1_000, 1_001]) {
        expect(parseEncryptedCard(block(), { ...EXPECTED, expiresAt })).toEqual(block());
      }
      for (const expiresAt of [999, 0, Number.NaN, undefined, null]) {
        expect(refused(block(), { ...EXPECTED, expiresAt })).toMatch('has expired');
      }
      expect(refused(block(), { keyId: 'cek_1' })).toMatch('has expired');
    } finally {
      vi.useRealTimers();
    }
  });

  test('reads the block by the scheme of the session: RSA_OAEP_SHA256_V1 unless it says another', () => {
    for (const scheme of ['RSA_OAEP_SHA256_V1', undefined]) {
      expect(parseEncryptedCard(block(), { ...EXPECTED, scheme })).toEqual(block());
    }
    for (const scheme of ['RSA_OAEP_SHA256_V99', 'toString', null, { Secret: PAN }]) {
      expect(refused(block(), { ...EXPECTED, scheme })).toMatch(
        'does not know the scheme of this checkout',
      );
    }
  });
});

describe('browserKey', () => {
  test('forwards exactly id, scheme and public_key, unmodified', () => {
    const key = freshKey();
    const answer = { ...key, expires_at: 1, secret: 'Secret', [Symbol('more')]: 1 };
    const forwarded = browserKey(answer);
    expect(forwarded).toStrictEqual({
      id: key.id,
      scheme: 'RSA_OAEP_SHA256_V1',
      public_key: key.public_key,
    });
    expect(Reflect.ownKeys(forwarded)).toEqual(['id', 'scheme', 'public_key']);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'invalid_key'],
    ['null', null, 'invalid_key'],
    [
      'an id that is no text',
      { id: { toString: () => 'cek_1' }, scheme: 'RSA_OAEP_SHA256_V1', public_key: 'AAAA' },
      'invalid_key',
    ],
    [
      'another scheme',
      { id: 'cek_1', scheme: 'RSA_OAEP_SHA256_V99', public_key: 'AAAA' },
      'unsupported_scheme',
    ],
    ['a getter that throws', { get id() { throw new Error('Secret'); } }, 'invalid_key'], // biome-ignore format: one line for one row
  ])('refuses %s', (_, answer, code) => {
    try {
      browserKey(answer as never);
    } catch (error) {
      const message =
        code === 'invalid_key' ? 'must be text' : 'scheme of this key is not accepted here';
      expect(error).toMatchObject({
        name: 'CardEncryptionError',
        code,
        message: expect.stringContaining(message),
      });
      expect(inspect(error)).not.toContain('Secret');
      return;
    }
    throw new Error('It was forwarded');
  });

  test('forwards a key of a scheme that the caller accepts and this version knows', () => {
    const key = freshKey();
    expect(browserKey(key, ['RSA_OAEP_SHA256_V99', 'RSA_OAEP_SHA256_V1'])).toEqual(key);
    const other = { ...key, scheme: 'RSA_OAEP_SHA256_V99' };
    for (const [refusedKey, accepted] of [
      [key, []],
      [key, ['RSA_OAEP_SHA256_V99']],
      [other, ['RSA_OAEP_SHA256_V99']], // accepted, but not known
    ] as const) {
      expect(() => browserKey(refusedKey, accepted)).toThrow(
        expect.objectContaining({ code: 'unsupported_scheme' }),
      );
    }
  });
});

test('exports the error class of the core', async () => {
  const server = await import('../../src/server/index.ts');
  expect(Object.keys(server).sort()).toEqual([
    'CardEncryptionError',
    'browserKey',
    'parseEncryptedCard',
  ]);
  expect(server.CardEncryptionError).toBe(CardEncryptionError);
});
