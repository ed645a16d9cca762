/**
 * Two functions for a server that has its own way of paying: which part of a key a browser may see,
 * and whether a posted text is an encrypted card. `cardseal/checkout` calls both.
 *
 * They run wherever `atob` does, and need no network. `CardEncryptionError` is that of `cardseal`.
 */

import { decodeBase64 } from '../core/base64.ts';
import { CardEncryptionError } from '../core/errors.ts';
import { ownProperty } from '../core/own-property.ts';
import { findScheme, type Scheme } from '../core/scheme.ts';
import type { CardEncryptionKey, EncryptedCard } from '../core/types.ts';

export { CardEncryptionError };

/** The default never changes: a new version of this package must not break a running checkout. */
const DEFAULT_SCHEME = 'RSA_OAEP_SHA256_V1';

/**
 * Returns the part of the service's key that a browser may see, in a new object: `id`, `scheme` and
 * `public_key`, each as the service sent it. `expires_at` and everything else stay on the server.
 *
 * @param key - The card encryption key resource, parsed.
 * @param accepted - The schemes that your checkout pages can encrypt under. Default:
 * `['RSA_OAEP_SHA256_V1']`, in every version of this package.
 * @throws {@link CardEncryptionError}:
 * - `invalid_key` if `key` is not an object, or one of the three is not a non-empty string
 * - `unsupported_scheme` if `scheme` is not accepted, or this version does not know it. A browser
 *   would refuse it, too, but then the error would not be in your log
 *
 * Scheme: docs/scheme.md#the-key
 *
 * @example
 * ```ts
 * import { browserKey } from 'cardseal/server';
 *
 * // What the service has answered:
 * const resource = {
 *   id: 'cek_1',
 *   scheme: 'RSA_OAEP_SHA256_V1',
 *   public_key: 'MIIB…',
 *   expires_at: 1_790_000_000_000,
 * };
 * console.log(Object.keys(browserKey(resource))); // id, scheme, public_key
 * ```
 */
export function browserKey(
  key: CardEncryptionKey,
  accepted: readonly string[] = [DEFAULT_SCHEME],
): CardEncryptionKey {
  const { id, scheme, public_key } = keyFields(key);
  if (!isText(id) || !isText(scheme) || !isText(public_key)) throw notTheKeyOfTheService();
  if (!accepted.includes(scheme) || !findScheme(scheme)) {
    throw new CardEncryptionError(
      'unsupported_scheme',
      'The scheme of this key is not accepted here, or this version of cardseal does not know it',
    );
  }
  return { id, scheme, public_key };
}

function keyFields(key: CardEncryptionKey): Record<keyof CardEncryptionKey, unknown> {
  try {
    return { id: key.id, scheme: key.scheme, public_key: key.public_key };
  } catch {
    throw notTheKeyOfTheService(); // the key is null or undefined, or one of its getters throws
  }
}

function notTheKeyOfTheService(): CardEncryptionError {
  return new CardEncryptionError(
    'invalid_key',
    "This is not the service's answer: id, scheme and public_key must be text",
  );
}

/** What the session of a checkout remembers about its key. */
export interface ExpectedKey {
  /** The `id` of the key that was forwarded to the browser. */
  keyId: string | undefined;
  /** The service's `expires_at`: a Unix time in milliseconds. */
  expiresAt: number | undefined;
  /** The `scheme` of the key. Default: `RSA_OAEP_SHA256_V1`, in every version of this package. */
  scheme?: string | undefined;
}

/**
 * Validates an encrypted card block that a browser posted. Refuses everything else, for example a
 * card in clear text. It cannot know what is inside a block: only the service can decrypt it.
 * Call it before anything else has parsed or logged the posted data.
 *
 * @param input - The block as an object, or as the JSON text that `JSON.stringify` makes of it, of
 * at most 4,096 characters. Getters are not run.
 * @param expected - What the session of this checkout remembers about its key. If `keyId` or
 * `expiresAt` is `undefined`, every block is refused.
 * @returns A new, plain object, the body for authorize: `payload`, canonical Base64 of a ciphertext
 * of a length that the scheme allows; `key_id`; `layout`, one entry for each field of the scheme in
 * order, with lengths that the fields can have and that fit the key together.
 * @throws {@link CardEncryptionError} `invalid_encrypted_card` if `input` is anything else, if the
 * block was made under another key, or if `Date.now()` is past `expiresAt`. The error repeats
 * nothing of `input` and `expected`.
 *
 * Scheme: docs/scheme.md#the-block
 *
 * @example
 * ```ts
 * import { CardEncryptionError, parseEncryptedCard } from 'cardseal/server';
 *
 * const posted = '{"number":"4242424242424242"}'; // the text of the request: no block
 * const session = { keyId: 'cek_1', expiresAt: Date.now() + 60_000 };
 * try {
 *   const block = parseEncryptedCard(posted, session);
 *   console.log(`forward the block under ${block.key_id}`);
 * } catch (error) {
 *   if (!(error instanceof CardEncryptionError)) throw error;
 *   console.log(error.code); // invalid_encrypted_card
 * }
 * ```
 */
export function parseEncryptedCard(input: unknown, expected: ExpectedKey): EncryptedCard {
  if (!isObject(expected)) throw refusal('No key was issued for this checkout: start it again');
  const { keyId, expiresAt, scheme: schemeName = DEFAULT_SCHEME } = expected;
  const scheme = findScheme(schemeName);
  if (!scheme) throw refusal('This version of cardseal does not know the scheme of this checkout');

  const block = readBlock(input, scheme);
  if (block.key_id !== keyId) {
    throw refusal('The card was not encrypted under the key of this checkout');
  }
  // A session store may have made text of the time. `undefined` becomes NaN, and is refused.
  const isAlive = Date.now() <= Number(expiresAt);
  if (!isAlive) {
    throw refusal('The key of this checkout has expired: start it again with a fresh one');
  }
  return block;
}

function readBlock(input: unknown, scheme: Scheme): EncryptedCard {
  try {
    const block = typeof input === 'string' ? parseText(input) : input;
    const [payload, key_id, entries] = readValues(block, ['payload', 'key_id', 'layout']);
    ensure(isText(payload));
    ensure(isText(key_id));
    const layout = readLayout(entries, scheme);
    const capacity = scheme.capacities.get(ciphertextLength(payload));
    ensure(capacity);
    const length = layout.reduce((sum, { len }) => sum + len, 0);
    ensure(length <= capacity);
    return { payload, key_id, layout };
  } catch {
    // A JSON error repeats its input, and what a proxy throws could say anything.
    throw refusal('Invalid encrypted card: expected exactly payload, key_id, layout');
  }
}

/** In characters. Nothing longer is worth the work of parsing or decoding it. */
const LONGEST_TEXT = 4096;

/**
 * Accepts only text that `JSON.stringify` would write. This refuses a property that occurs twice,
 * of which the parser would silently drop one.
 */
function parseText(text: string): unknown {
  ensure(text.length <= LONGEST_TEXT);
  const value: unknown = JSON.parse(text);
  ensure(JSON.stringify(value) === text);
  return value;
}

function readLayout(entries: unknown, { fields }: Scheme): EncryptedCard['layout'] {
  ensure(Array.isArray(entries));
  ensureOwnKeys(entries, fields.length + 1); // its indexes and `length`
  return fields.map(({ identifier, minBytes, maxBytes }, i) => {
    const [field, len] = readValues(readValue(entries, String(i)), ['field', 'len']);
    ensure(field === identifier);
    ensure(isInteger(len));
    ensure(len >= minBytes && len <= maxBytes);
    return { field: identifier, len };
  });
}

/** The values of an object that has exactly these own properties, none of them with a getter. */
function readValues(object: unknown, names: string[]): unknown[] {
  ensure(isObject(object));
  ensureOwnKeys(object, names.length);
  return names.map((name) => readValue(object, name));
}

function ensureOwnKeys(object: object, count: number): void {
  ensure(Reflect.ownKeys(object).length === count);
}

/** The value of an own property without a getter. */
function readValue(object: object, name: string): unknown {
  const property = ownProperty(object, name);
  ensure('value' in property);
  return property.value;
}

/** The length in bytes of what canonical Base64 encodes. */
function ciphertextLength(payload: string): number {
  ensure(payload.length <= LONGEST_TEXT);
  const ciphertext = decodeBase64(payload);
  ensure(ciphertext);
  return ciphertext.length;
}

/** `readBlock` catches the error. */
function ensure(condition: unknown): asserts condition {
  if (!condition) throw new Error('not an encrypted card block');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function refusal(message: string): CardEncryptionError {
  return new CardEncryptionError('invalid_encrypted_card', message);
}
