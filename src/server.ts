import type { EncryptedCard } from './encrypt-card.ts';
import { CardEncryptionError } from './errors.ts';
import type { CardEncryptionKey } from './key.ts';

/**
 * What a browser may see of the service's answer: exactly `id`, `scheme` and `public_key`, each as the service sent it, in a fresh object.
 * `expires_at` and everything else stay on the server.
 *
 * @param key - The card encryption key resource, parsed.
 * @throws {@link CardEncryptionError}: `unsupported_scheme` if `scheme` is not `RSA_OAEP_SHA256_V1`: no browser would encrypt under it, and
 * here it shows in your own log; `invalid_key` if the answer is not an object or one of the three is not a non-empty string.
 *
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", rule 6.
 */
export function browserKey(key: CardEncryptionKey): CardEncryptionKey {
  let own: unknown[] = [];
  try {
    own = [key.id, key.scheme, key.public_key];
  } catch {} // not an object, or a getter threw
  const [id, scheme, public_key] = own;
  if (!isText(id) || !isText(scheme) || !isText(public_key)) {
    throw new CardEncryptionError('invalid_key', "This is not the service's answer: id, scheme and public_key must be text");
  }
  if (scheme !== 'RSA_OAEP_SHA256_V1') {
    throw new CardEncryptionError('unsupported_scheme', 'This version of cardseal knows RSA_OAEP_SHA256_V1 only');
  }
  return { id, scheme, public_key };
}

/**
 * Lets through what `encryptCard` made and nothing else, above all no body that carries a card in clear text. Hand it the body before
 * anything has parsed or logged it.
 *
 * @param input - The block as an object, or as its JSON text exactly as `JSON.stringify` writes it (so no property twice), of at most 4,096
 * characters. Getters are not run.
 * @param expected - What the session of this checkout remembers of its key: `keyId`, the `id` that was forwarded, and `expiresAt`, the
 * service's `expires_at` in milliseconds. What is there but `undefined`, either of them or the argument itself, matches nothing: a session
 * without a key lets no block through.
 * @returns A fresh, plain object: `payload`, canonical Base64 of 256, 384 or 512 bytes; `key_id`; `layout`, five entries in order, with
 * lengths that their fields can have and that fit the payload's modulus together. It is the body for authorize.
 * @throws {@link CardEncryptionError} `invalid_encrypted_card`, and nothing else, with nothing of the input in it, if any of this is not so,
 * if the block was made under another key, or if `Date.now()` is past `expiresAt`.
 *
 * Specification: "Encrypted card block".
 */
export function parseEncryptedCard(
  input: unknown,
  expected: { keyId?: string | undefined; expiresAt?: number | undefined } = {},
): EncryptedCard {
  // biome-ignore lint/complexity/noArguments: what a lost session expects is undefined, and must match nothing
  if (arguments.length > 1 && !arguments[1]) throw refusal('This checkout expects no card: start it again');
  const block = readBlock(input);
  if (!block) throw refusal('This is not an encrypted card block: exactly payload, key_id and layout, as encryptCard made them');
  if ('keyId' in expected && block.key_id !== expected.keyId) throw refusal('The card was not encrypted under the key of this checkout');
  const alive = Date.now() <= Number(expected.expiresAt); // never so for NaN
  if ('expiresAt' in expected && !alive) throw refusal('The key of this checkout has expired: start it again with a fresh one');
  return block;
}

/** In the specification's order: layout identifier, fewest and most bytes. */
const FIELDS = [
  ['Pan', 12, 19],
  ['Name', 1, 446],
  ['ExpMonth', 2, 2],
  ['ExpYear', 4, 4],
  ['Cvc', 3, 4],
] as const;

function readBlock(input: unknown): EncryptedCard | undefined {
  try {
    const [payload, key_id, entries] = valuesOf(typeof input === 'string' ? parse(input) : input, ['payload', 'key_id', 'layout']);
    must(isText(payload) && isText(key_id) && Array.isArray(entries));
    const items = valuesOf(entries, ['0', '1', '2', '3', '4', 'length']);
    const layout = FIELDS.map(([field, min, max], i) => {
      const [name, len] = valuesOf(items[i], ['field', 'len']);
      must(name === field && Number.isInteger(len));
      must((len as number) >= min && (len as number) <= max);
      return { field, len: len as number };
    });
    const length = layout.reduce((sum, { len }) => sum + len, 0);
    must(length <= modulusLength(payload) - 66); // k - 2 hLen - 2: RFC 8017, 7.1.1
    return { payload, key_id, layout };
  } catch {} // a JSON error repeats the input, and what a proxy throws could say anything: none of it goes on
  return undefined;
}

/** Only what `JSON.stringify` makes of the text's own meaning: of a property that comes twice, the first is lost in it. */
function parse(text: string): unknown {
  must(text.length <= 4096);
  const value: unknown = JSON.parse(text);
  must(JSON.stringify(value) === text);
  return value;
}

/** The values of an object that has exactly these own properties, all of them data: no getter is run. */
function valuesOf(object: unknown, names: string[]): unknown[] {
  must(Reflect.ownKeys(object as object).length === names.length);
  return names.map((name) => {
    const property = Reflect.getOwnPropertyDescriptor(object as object, name);
    must(property && Object.hasOwn(property, 'value')); // hasOwn: Object.prototype could be polluted with a value
    return property.value;
  });
}

/** In bytes: RSA's ciphertext is as long as the modulus. Canonical Base64 of 2048, 3072 or 4096 bits only. */
function modulusLength(payload: string): number {
  must(payload.length <= 684);
  const bytes = atob(payload);
  must([256, 384, 512].includes(bytes.length) && btoa(bytes) === payload);
  return bytes.length;
}

function must(condition: unknown): asserts condition {
  if (!condition) throw undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const refusal = (message: string) => new CardEncryptionError('invalid_encrypted_card', message);
