/** Runs in browsers and in Node. */
import { vi } from 'vitest';
import { encryptCard, prepareKey } from '../../src/core/index.ts';
import { card, FIELD_NAMES, freshKey, type StringCard, utf8 } from './core.ts';

export const planted = () => {
  throw new Error('4929119283746505 Quillow planted', { cause: 'planted' });
};

/** Every way to fail, by the code, field and limit of the error that comes of it. Spies stay: restore them. */
export const FAILURES: Record<string, (given: StringCard) => Promise<unknown>> = {
  unsupported_scheme: (given) => encryptCard({ ...freshKey(), scheme: 'planted' }, { ...given }),
  'invalid_key: null': (given) => encryptCard(null as never, { ...given }),
  'invalid_key: throws': (given) =>
    encryptCard(new Proxy(freshKey(), { get: planted }), { ...given }),
  'invalid_key: no Base64': (given) =>
    encryptCard({ ...freshKey(), public_key: 'planted!' }, { ...given }),
  'invalid_key: PEM': (given) =>
    encryptCard({ ...freshKey(), public_key: '-----BEGIN planted-----' }, { ...given }),
  'invalid_key: base64url': (given) =>
    encryptCard({ ...freshKey(), public_key: 'planted-_' }, { ...given }),
  'invalid_key: no SPKI': (given) =>
    encryptCard({ ...freshKey(), public_key: 'AAAA' }, { ...given }),
  'invalid_key: engine': (given) => {
    vi.spyOn(crypto.subtle, 'importKey').mockImplementation(planted);
    return encryptCard(freshKey(), { ...given });
  },
  key_already_used: async (given) => {
    const key = freshKey();
    await encryptCard(key, card());
    return encryptCard(key, { ...given });
  },
  ...Object.fromEntries(
    FIELD_NAMES.map((field) => [
      `invalid_card ${field}`,
      (given) => encryptCard(freshKey(), { ...given, [field]: `${given.number}\n` }),
    ]),
  ),
  'invalid_card name: bytes': (given) =>
    encryptCard(freshKey(), { ...given, name: utf8(`planted ${given.name}\n`) }),
  'invalid_card number: throws': (given) =>
    encryptCard(
      freshKey(),
      new Proxy({ ...given }, { getOwnPropertyDescriptor: planted, set: planted, has: planted }),
    ),
  'card_too_long name 165': (given) =>
    encryptCard(freshKey(), { ...given, name: 'Quillow '.repeat(25) }),
  'card_too_long name': (given) =>
    encryptCard(freshKey(), { ...given, name: 'Quillow '.repeat(99) }),
  insecure_context: async (given) => {
    const key = freshKey();
    Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true });
    return encryptCard(key, { ...given }).finally(() => Reflect.deleteProperty(crypto, 'subtle'));
  },
  unsupported_browser: async (given) => {
    const key = freshKey();
    const { btoa } = globalThis;
    Reflect.set(globalThis, 'btoa', undefined);
    return encryptCard(key, { ...given }).finally(() => Reflect.set(globalThis, 'btoa', btoa));
  },
  encryption_failed: async (given) => {
    const key = await prepareKey(freshKey());
    vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(planted);
    return encryptCard(key, { ...given });
  },
};
