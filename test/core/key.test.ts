import { afterEach, describe, expect, test, vi } from 'vitest';
import { type CardEncryptionKey, encryptCard, prepareKey } from '../../src/core/index.ts';
import {
  BITS,
  card,
  decrypt,
  freshKey,
  fromBase64,
  isEmpty,
  outcome,
  toBase64,
} from '../support/core.ts';
import { goodModulus, malformedKeys, spki } from '../support/malformed-keys.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A key that notes each property that is read of it. */
function watched(key: object, read: PropertyKey[]): CardEncryptionKey {
  const get = (target: object, name: PropertyKey) => {
    read.push(name);
    return Reflect.get(target, name);
  };
  return new Proxy(key, { get }) as CardEncryptionKey;
}

const withPublicKey = (public_key: unknown) => ({ ...freshKey(), public_key }) as CardEncryptionKey;
const withSpki = (spki: Uint8Array) => withPublicKey(toBase64(spki));

/** The places of the given keys that were not refused as invalid_key. */
async function notRefused(spkis: Iterable<Uint8Array>) {
  const wrong: string[] = [];
  let i = 0;
  for (const spki of spkis) {
    const result = await outcome(prepareKey(withSpki(spki)));
    if (result !== 'invalid_key') wrong.push(`${i}: ${result}`);
    i++;
  }
  expect(i).toBeGreaterThan(0);
  return wrong;
}

// Claim exact-key. Why: `readSpki` in src/core/rsa-oaep.ts compares every byte of the key but the
// modulus, because engines check little and disagree.
describe('a malformed public_key is invalid_key', () => {
  test.each(malformedKeys().map(({ what, spki }) => [what, spki] as const))(
    '%s',
    async (_, spki) => {
      const importKey = vi.spyOn(crypto.subtle, 'importKey');
      expect(await outcome(prepareKey(withSpki(spki)))).toBe('invalid_key');
      const given = card();
      expect(await outcome(encryptCard(withSpki(spki), given))).toBe('invalid_key');
      expect(isEmpty(given)).toBe(true);
      expect(importKey).not.toHaveBeenCalled(); // the engines disagree: they are not asked
    },
  );

  test('but a modulus that begins with the byte 0x80 is as long as it claims', async () => {
    const modulus = goodModulus().with(1, 0x80); // after the leading zero
    expect(await notRefused([spki({ modulus })])).toEqual(['0: ok']);
  });

  describe.each(BITS)('%i bits', (bits) => {
    const good = () => fromBase64(freshKey(bits).public_key);
    const header = 33;

    // Control exact-key
    test('a good one is taken', async () => {
      expect(await notRefused([good()])).toEqual(['0: ok']);
    });

    test('cut short, anywhere', async () => {
      expect(
        await notRefused(Array.from(good(), (_, length) => good().subarray(0, length))),
      ).toEqual([]);
    });

    test("with bytes before or after it, or another size's header", async () => {
      const more = [[0], [5, 0], [2, 3, 1, 0, 1]];
      const longer = more.flatMap((bytes) => [
        Uint8Array.of(...good(), ...bytes),
        Uint8Array.of(...bytes, ...good()),
      ]);
      const mixed = BITS.filter((other) => other !== bits).map((other) => {
        const otherHeader = fromBase64(freshKey(other).public_key).subarray(0, header);
        return Uint8Array.of(...otherHeader, ...good().subarray(header));
      });
      expect(await notRefused([...longer, ...mixed])).toEqual([]);
    });

    // Claim exact-key
    test("with any byte changed but the modulus's", async () => {
      const places = [...Array(header).keys(), -5, -4, -3, -2, -1];
      const changed = places.flatMap((place) =>
        [1, 0x80, 0xff].map((mask) => good().with(place, good().at(place)! ^ mask)),
      );
      expect(await notRefused(changed)).toEqual([]);
    });
  });
});

const ADVICE = 'forward it as the service sent it';

// Claim exact-key
describe('a public_key that is not canonical Base64 is invalid_key', () => {
  const PEM = 'PEM, not canonical Base64';
  const BASE64URL = 'base64url, not canonical Base64';
  const NO_KEY = 'not an RSA key';
  const HEADER = '-----BEGIN PUBLIC KEY-----';

  test.each<[string, (base64: string) => unknown, named?: string]>([
    ['PEM', (base64) => `${HEADER}\n${base64}\n-----END PUBLIC KEY-----\n`, PEM],
    [
      'base64url',
      (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
      BASE64URL,
    ],
    ['base64url without a minus', (base64) => base64.replace('/', '_'), BASE64URL],
    ['lines of 64', (base64) => base64.replaceAll(/.{64}/g, '$&\n')],
    ['a space before it', (base64) => ` ${base64}`],
    ['without padding', (base64) => base64.replaceAll('=', '')],
    [
      'with stray bits',
      (base64) => base64.replace(/.(?==)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    ],
    ['another alphabet', (base64) => base64.replace('A', 'А')],
    ['another text', () => 'MIIB', NO_KEY],
  ])('%s', async (_, change, named = `altered, not canonical Base64: ${ADVICE}`) => {
    // 3072 bits end in '=' and 4096 bits in '=='.
    const publicKey = freshKey(
      change(freshKey().public_key) === freshKey().public_key ? 4096 : 3072,
    ).public_key;
    expect(publicKey).toContain('=');
    const changed = change(publicKey);
    expect(changed).not.toBe(publicKey);
    const error = await prepareKey(withPublicKey(changed)).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'invalid_key' });
    expect(error.message).toContain(`public_key is ${named}`);
  });

  // Control exact-key
  test('although atob alone would take it', () => {
    const publicKey = freshKey(3072).public_key;
    for (const lax of [
      `${publicKey.slice(0, 9)} ${publicKey.slice(9)}`,
      publicKey.replace('=', ''),
      publicKey.replace(/.=/, 'B='),
    ]) {
      expect(atob(lax)).toHaveLength(422);
    }
  });
});

describe('what is no key at all', () => {
  const failing = () => {
    throw new Error('4929119283746505');
  };

  test.each<[string, unknown]>([
    ['null', null],
    ['an error answer', { error: 'failed' }],
    ['with a list for its scheme', { ...freshKey(), scheme: ['RSA_OAEP_SHA256_V1'] }],
    ['with an empty id', { ...freshKey(), id: '' }],
    ['with a number for its id', { ...freshKey(), id: 1 }],
    ['without a public_key', { ...freshKey(), public_key: undefined }],
    ...['scheme', 'id', 'public_key'].map((field): [string, unknown] => [
      `whose ${field} throws`,
      Object.defineProperty(freshKey(), field, { get: failing }),
    ]),
  ])('%s: invalid_key', async (_, key) => {
    const message = expect.stringContaining('that the service sent');
    const error = { code: 'invalid_key', message };
    await expect(prepareKey(key as never)).rejects.toMatchObject(error);
    const given = card();
    const result = encryptCard(key as never, given);
    expect(isEmpty(given)).toBe(true);
    await expect(result).rejects.toMatchObject(error);
  });
});

// Claim exact-key. Why: `readKey` in src/core/key.ts reads `scheme` first: [the
// scheme](docs/scheme.md#the-key).
describe('a scheme that is not exactly RSA_OAEP_SHA256_V1', () => {
  test.each(['', 'RSA_OAEP_SHA256_V99', 'RSA_OAEP_SHA256_V1 ', '__proto__'])(
    '%o is unsupported_scheme, and nothing else is looked at',
    async (scheme) => {
      const read: PropertyKey[] = [];
      const key = watched({ scheme }, read);
      expect(await outcome(prepareKey(key))).toBe('unsupported_scheme');
      expect(await outcome(encryptCard(key, { ...card(), cvv: 'bad' }))).toBe('unsupported_scheme');
      expect(read).toEqual(['scheme', 'scheme']);
    },
  );
});

describe('a prepared key', () => {
  test('is the three fields, frozen, and nothing more', async () => {
    const key = freshKey();
    const prepared = await prepareKey({ ...key, expires_at: 1, secret: 'sk_test_1' } as never);
    expect(prepared).toStrictEqual(key);
    expect(Reflect.ownKeys(prepared).sort()).toEqual(['id', 'public_key', 'scheme']);
    expect(Object.isFrozen(prepared)).toBe(true);
  });

  test('is not the object that was handed over: what becomes of that changes nothing', async () => {
    const key = freshKey();
    const { id } = key;
    const preparing = prepareKey(key);
    const encrypting = encryptCard(key, card());
    Object.assign(key, { id: 'another', scheme: 'another', public_key: 'another' });
    expect(await preparing).toStrictEqual({ ...freshKey(), id });
    const block = await encrypting;
    expect(block.key_id).toBe(id);
    expect(await decrypt(block)).toEqual(card());
  });

  test('is returned as it is when prepared again', async () => {
    const prepared = await prepareKey(freshKey());
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    expect(await prepareKey(prepared)).toBe(prepared);
    expect(importKey).not.toHaveBeenCalled();
  });

  test.each(['prepareKey', 'encryptCard'])('%s reads each field once', async (call) => {
    const read: PropertyKey[] = [];
    const key = watched(freshKey(), read);
    await (call === 'prepareKey' ? prepareKey(key) : encryptCard(key, card()));
    expect(read.sort()).toEqual(['id', 'public_key', 'scheme']);
  });

  test('has been tried with a zero byte; encrypting with it imports nothing and encrypts once', async () => {
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt');
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const key = await prepareKey(freshKey());
    const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
    const spki = fromBase64(key.public_key);
    // It cannot be extracted, and it encrypts only.
    expect(importKey.mock.calls).toEqual([['spki', spki, algorithm, false, ['encrypt']]]);
    expect(encrypt.mock.calls.map(([, , plaintext]) => plaintext)).toEqual([new Uint8Array(1)]);
    await encryptCard(key, card());
    expect(importKey).toHaveBeenCalledOnce();
    expect(encrypt).toHaveBeenCalledTimes(2);
  });

  test.each(['importKey', 'encrypt'] as const)(
    'is invalid_key if the engine fails in %s',
    async (method) => {
      vi.spyOn(crypto.subtle, method).mockRejectedValue(
        new DOMException('4929119283746505', 'OperationError'),
      );
      expect(await outcome(prepareKey(freshKey()))).toBe('invalid_key');
      expect(await outcome(encryptCard(freshKey(), card()))).toBe('invalid_key');
      vi.spyOn(crypto.subtle, method).mockImplementation(() => {
        throw new TypeError('4929119283746505');
      });
      expect(await outcome(prepareKey(freshKey()))).toBe('invalid_key');
    },
  );
});
