import { CardEncryptionError } from './errors.ts';

/**
 * The card encryption key as the merchant's server forwards it: these three fields of the service's answer and no more. `id`: opaque, returned
 * unmodified as `key_id`. `public_key`: canonical Base64 of a DER (SPKI) RSA key of 2048, 3072 or 4096 bits with the exponent 65537.
 */
export interface CardEncryptionKey {
  id: string;
  scheme: string;
  public_key: string;
}

/** A key that has been checked, imported and tried. Frozen; its `CryptoKey` is within reach of this copy of the library alone. */
export interface PreparedKey extends Readonly<CardEncryptionKey> {}

/** Every scheme this version knows; a V2 is one more entry. Without a prototype, so that `toString` is no scheme. */
export const SCHEMES: { [scheme: string]: typeof rsaOaepSha256V1 } = { __proto__: null as never, RSA_OAEP_SHA256_V1: rsaOaepSha256V1 };
export const schemeKeys = new WeakMap<PreparedKey, Awaited<ReturnType<typeof rsaOaepSha256V1>>>(); // what it made of a `public_key`

/** A copy of the key that no getter can change any more, or the prepared key itself. */
export function readKey(key: CardEncryptionKey): CardEncryptionKey {
  if (schemeKeys.has(key)) return key;
  let known = true;
  try {
    const { scheme } = Object(key) === key ? key : null!;
    known = typeof scheme === 'string' && scheme in SCHEMES;
    const { id, public_key } = known ? key : ({} as Partial<CardEncryptionKey>);
    if (id && typeof id === 'string' && typeof public_key === 'string') return { id, scheme, public_key };
  } catch {} // no object; or what a getter throws, which could say anything
  if (known) throw invalidKey('The key is not an object with the id, scheme and public_key that the service sent');
  throw new CardEncryptionError('unsupported_scheme', 'This version of cardseal knows the scheme RSA_OAEP_SHA256_V1 only');
}

/**
 * RSA-OAEP with SHA-256 as the OAEP hash and the MGF1 hash (WebCrypto uses one for both) and no label: RFC 8017, 7.1. `capacity`: the most
 * bytes that one encryption takes. `encrypt` copies them during the call: the caller may zero them in the same turn.
 */
async function rsaOaepSha256V1(publicKey: string) {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) throw new CardEncryptionError('insecure_context', 'No crypto.subtle: use https or localhost; give it to test environments');
  const spki = decodeBase64(publicKey);
  const k = checkSpki(publicKey, spki);
  try {
    const cryptoKey = await subtle.importKey('spki', spki, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt']);
    // A label on a polluted Object.prototype would silently become the OAEP label: hence no prototype, and for Node an explicit one.
    const algorithm = { __proto__: null, name: 'RSA-OAEP', label: new Uint8Array() } as RsaOaepParams;
    const encrypt = async (plaintext: Uint8Array<ArrayBuffer>) => subtle.encrypt(algorithm, cryptoKey, plaintext);
    await encrypt(new Uint8Array(1)); // what the engine takes but cannot use shows now
    return { capacity: k - 66, encrypt }; // k - 2 hLen - 2
  } catch {
    throw invalidKey('The browser cannot use this public_key');
  }
}

/** Canonical Base64 only: what engines decode may have white space, stray trailing bits and, with `atob`, no padding. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array();
  try {
    const native = Uint8Array as { fromBase64?(base64: string): Uint8Array<ArrayBuffer> };
    bytes = native.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {} // not Base64 at all
  if (encodeBase64(bytes) === base64) return bytes;
  const what = base64.includes('-----') ? 'PEM' : base64.includes('-') || base64.includes('_') ? 'base64url' : 'altered';
  throw invalidKey(`public_key is ${what}, not canonical Base64: hand it over as the service sent it`);
}

export const encodeBase64 = (bytes: Uint8Array & { toBase64?(): string }): string =>
  bytes.toBase64?.() ?? btoa(bytes.reduce((binary, byte) => binary + String.fromCharCode(byte), ''));

/**
 * Returns the modulus' length in bytes. Engines check little: Node 20 and WebKitGTK 2.50 import an exponent of 1 (the ciphertext IS the card),
 * Firefox 153 even moduli and RSA-PSS keys, all take 1024 bits. With size and exponent fixed, every byte but the modulus is fixed, too
 * (RFC 5280, 4.1; RFC 8017, A.1.1): a comparison does, no ASN.1 parser. The 33 bytes before the modulus are 44 characters of Base64.
 */
function checkSpki(base64: string, spki: Uint8Array): number {
  const k = HEADERS[base64.slice(0, 44)]!;
  const modulus = spki.subarray(33, -5);
  const e = spki.subarray(-5).join(); // an INTEGER of three bytes: 65537
  if (modulus.length === k && modulus[0]! & 0x80 && modulus[k - 1]! & 1 && e === '2,3,1,0,1') return k;
  throw invalidKey('public_key is not an RSA key (SPKI) of 2048, 3072 or 4096 bits with the exponent 65537');
}
const HEADERS: { [base64: string]: number } = {
  __proto__: null as never,
  MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA: 256,
  MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA: 384,
  MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA: 512,
};
const invalidKey = (message: string) => new CardEncryptionError('invalid_key', message);
