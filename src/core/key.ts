import { CardEncryptionError } from './errors.ts';
import type { ImportedKey } from './rsa-oaep.ts';
import { findScheme, type Scheme } from './scheme.ts';
import type { CardEncryptionKey, PreparedKey } from './types.ts';

/**
 * Created at the first use: where there is no WeakMap, as in some test environments, importing this
 * file must not fail, so that `checkBrowser` can say what is missing.
 */
let importedKeys: WeakMap<object, ImportedKey> | undefined;

/** The imported form of a prepared key; undefined for any other key. */
export function importedKeyOf(key: Readonly<CardEncryptionKey>): ImportedKey | undefined {
  return importedKeys?.get(key);
}

/** Makes a key from `readKey` a prepared one: remembers its imported form. */
export function toPreparedKey(key: KnownKey['key'], imported: ImportedKey): PreparedKey {
  importedKeys ??= new WeakMap();
  importedKeys.set(key, imported);
  return key as PreparedKey;
}

/** A key whose values stay as they were read, with the definition of its scheme. */
export interface KnownKey {
  /** A frozen copy, or the prepared key itself, which is frozen, too. */
  readonly key: Readonly<CardEncryptionKey>;
  /** The scheme that the key names. */
  readonly scheme: Scheme;
}

/**
 * Reads a key: `scheme` first, then, if the scheme is known, `id` and `public_key`. Each is read
 * once.
 *
 * @throws {@link CardEncryptionError} `unsupported_scheme` or `invalid_key`.
 */
export function readKey(key: CardEncryptionKey | PreparedKey): KnownKey {
  const schemeName = readField(key, 'scheme');
  // Not a key at all, for example an error answer or a promise: `unsupported_scheme` would mislead.
  if (typeof schemeName !== 'string') throw notAKey();
  const scheme = findScheme(schemeName);
  if (!scheme) {
    throw new CardEncryptionError(
      'unsupported_scheme',
      'This version of cardseal does not know the scheme of this key: update cardseal',
    );
  }
  if (importedKeyOf(key)) return { key, scheme };

  const id = readField(key, 'id');
  const publicKey = readField(key, 'public_key');
  if (typeof id !== 'string' || id === '' || typeof publicKey !== 'string') throw notAKey();
  return { key: Object.freeze({ id, scheme: schemeName, public_key: publicKey }), scheme };
}

/**
 * Reads a field that the key has itself: a polluted `Object.prototype` must not make a key of an
 * error answer. An error of a getter is dropped, because its text could contain anything.
 */
function readField(key: CardEncryptionKey, name: keyof CardEncryptionKey): unknown {
  try {
    // Throws also if the key is null or undefined.
    return Object.getOwnPropertyDescriptor(key, name) && key[name];
  } catch {
    throw notAKey();
  }
}

function notAKey(): CardEncryptionError {
  return new CardEncryptionError(
    'invalid_key',
    'The key is not an object with the id, scheme and public_key that the service sent',
  );
}
