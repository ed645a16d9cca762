import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { CardEncryptionError, type EncryptedCard, encryptCard } from '../../src/core/index.ts';
import { browserKey, parseEncryptedCard } from '../../src/server/index.ts';
import { BITS, freshKey } from '../support/core.ts';

const PAN = '4242424242424242';
const FIELDS = ['Pan', 'Name', 'ExpMonth', 'ExpYear', 'Cvc'];

/** A block that could be right, with a payload of `k` bytes. */
function block(k = 256, lens = [16, 12, 2, 4, 3]): EncryptedCard {
  const layout = FIELDS.map((field, i) => ({ field, len: lens[i] })) as EncryptedCard['layout'];
  return { payload: Buffer.alloc(k, 7).toString('base64'), key_id: 'cek_1', layout };
}

const withLength = (len: unknown) => block().layout.with(0, { field: 'Pan', len: len as number });

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
  // Control parse
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

  // Everything that JSON can write: test/corpus.
  test.each<[string, (valid: EncryptedCard) => unknown]>([
    ['nothing', () => undefined],
    ['a clear card under a symbol', (valid) => ({ ...valid, [Symbol('number')]: PAN })],
    [
      'a clear card that is not enumerable',
      (valid) => Object.defineProperty(valid, 'number', { value: PAN }),
    ],
    [
      'a clear card on the layout',
      (valid) => ({ ...valid, layout: Object.assign(valid.layout, { number: PAN }) }),
    ],
    ['payload as String object', (valid) => ({ ...valid, payload: new String(valid.payload) })],
    [
      'a sparse layout',
      (valid) => ({ ...valid, layout: Object.assign(valid.layout.slice(0, 4), { length: 5 }) }),
    ],
    ['a length that is NaN', (valid) => ({ ...valid, layout: withLength(Number.NaN) })],
    ['a length that is a bigint', (valid) => ({ ...valid, layout: withLength(16n) })],
  ])('refuses %s', (_, alter) => {
    expect(refused(alter(block()))).toMatch('expected exactly payload, key_id, layout');
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

  // Claim parse
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

  test('refuses text that is not JSON', () => {
    refused(`{"number": "${PAN}", Secret}`);
  });

  // Claim parse. Why: `readBlock` in src/server/index.ts builds a new object of checked values,
  // reads no getter, and drops every error: [the block](docs/scheme.md#the-block).
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
    for (const keyId of ['cek_2', undefined, ['cek_1']]) {
      const message = refused(block(), { ...EXPECTED, keyId });
      expect(message).toMatch('not encrypted under the key of this checkout');
    }
    for (const expected of [undefined, null, `Secret ${PAN}`]) {
      expect(refused(block(), expected)).toMatch('No key was issued');
    }
  });

  test('takes a block until its key expires and not a millisecond longer', () => {
    vi.useFakeTimers({ now: 1_000 });
    try {
      expect(parseEncryptedCard(block(), { ...EXPECTED, expiresAt: 1_000 })).toEqual(block());
      for (const expiresAt of [999, undefined]) {
        expect(refused(block(), { ...EXPECTED, expiresAt })).toMatch('has expired');
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test('reads the block by the scheme of the session: RSA_OAEP_SHA256_V1 unless it says another', () => {
    for (const scheme of ['RSA_OAEP_SHA256_V1', undefined]) {
      expect(parseEncryptedCard(block(), { ...EXPECTED, scheme })).toEqual(block());
    }
    for (const scheme of ['RSA_OAEP_SHA256_V99', { Secret: PAN }]) {
      const message = refused(block(), { ...EXPECTED, scheme });
      expect(message).toMatch('does not know the scheme of this checkout');
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

  const failing = () => {
    throw new Error('Secret');
  };

  test.each<[string, object, string, string]>([
    ['an id that is no text', { id: 1 }, 'invalid_key', 'must be text'],
    [
      'another scheme',
      { scheme: 'RSA_OAEP_SHA256_V99' },
      'unsupported_scheme',
      'scheme of this key is not accepted here',
    ],
  ])('refuses %s', (_, wrong, code, message) => {
    expect(() => browserKey({ ...freshKey(), ...wrong })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test('refuses a getter that throws, and repeats nothing of it', () => {
    const key = Object.defineProperty(freshKey(), 'id', { get: failing });
    const message = "This is not the service's answer: id, scheme and public_key must be text";
    expect(() => browserKey(key)).toThrow(
      expect.objectContaining({ code: 'invalid_key', message }),
    );
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
