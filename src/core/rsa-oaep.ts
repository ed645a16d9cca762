import { decodeBase64 } from './base64.ts';
import { CardEncryptionError } from './errors.ts';

/** A public key that the browser has imported and tried. */
export interface ImportedKey {
  /** The most bytes of plaintext that one encryption takes. */
  readonly capacity: number;
  /** Copies the plaintext during the call: the caller may zero it in the same turn. */
  readonly encrypt: (plaintext: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>;
}

/** The most bytes of plaintext that any key takes. */
export const LARGEST_CAPACITY = 446;

/**
 * The allowed lengths of a modulus, in bytes, each with the most bytes of plaintext that it takes:
 * k - 2 hLen - 2 (RFC 8017, section 7.1.1), where hLen is the 32 bytes of SHA-256.
 */
export const CAPACITIES: ReadonlyMap<number, number> = new Map([
  [256, 190],
  [384, 318],
  [512, LARGEST_CAPACITY],
]);

/**
 * Checks, imports and tries a public key for RSA-OAEP (RFC 8017, section 7.1) with SHA-256 as the
 * OAEP hash and as the MGF1 hash (WebCrypto uses one for both), and without a label.
 *
 * @throws {@link CardEncryptionError} `insecure_context` or `invalid_key`.
 */
export async function importRsaOaepSha256(publicKey: string): Promise<ImportedKey> {
  const subtle = typeof crypto === 'undefined' ? undefined : crypto.subtle;
  if (!subtle) {
    throw new CardEncryptionError(
      'insecure_context',
      'There is no crypto.subtle: use https or localhost, and give it to test environments',
    );
  }
  const { spki, modulusBytes } = readSpki(publicKey);
  try {
    const cryptoKey = await subtle.importKey(
      'spki',
      spki,
      { name: 'RSA-OAEP', hash: 'SHA-256' },
      false,
      ['encrypt'],
    );
    // The empty label is explicit: otherwise, browsers would take one from Object.prototype.
    const algorithm = { name: 'RSA-OAEP', label: new Uint8Array() };
    // `async`, so that an error that WebCrypto throws becomes a rejection.
    const encrypt = async (plaintext: Uint8Array<ArrayBuffer>) =>
      subtle.encrypt(algorithm, cryptoKey, plaintext);
    await encrypt(new Uint8Array(1)); // a key that the browser takes but cannot use fails now
    return { capacity: CAPACITIES.get(modulusBytes)!, encrypt };
  } catch {
    throw invalidKey('The browser cannot use this public_key');
  }
}

/**
 * The 33 bytes before the modulus, for each length of the modulus:
 * SEQUENCE { SEQUENCE { OID rsaEncryption, NULL }, BIT STRING { SEQUENCE { INTEGER modulus, ...
 *
 * The last of them is the zero byte that keeps the INTEGER positive. 33 is a multiple of 3, so they
 * are exactly the first 44 characters of the Base64.
 */
const SPKI_HEADERS = [
  { base64: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA', modulusBytes: 256 },
  { base64: 'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA', modulusBytes: 384 },
  { base64: 'MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA', modulusBytes: 512 },
];
const SPKI_HEADER_LENGTH = 33;

/** The bytes after the modulus: INTEGER 65537. */
const SPKI_TRAILER = [0x02, 0x03, 0x01, 0x00, 0x01];

/**
 * Takes keys of one exact form only, because browsers check little: WebKitGTK 2.50 and Node 20
 * import an exponent of 1 (the ciphertext would be the card), Firefox 153 imports even moduli and
 * RSA-PSS keys, and all of them import 1024 bits. With the size and the exponent fixed, every byte
 * of the SPKI except the modulus is fixed, too (RFC 5280, section 4.1; RFC 8017, appendix A.1.1),
 * so comparing bytes is enough and no ASN.1 parser is needed.
 */
function readSpki(publicKey: string): { spki: Uint8Array<ArrayBuffer>; modulusBytes: number } {
  const spki = decodeBase64(publicKey);
  if (!spki) throw notCanonical(publicKey);

  const header = SPKI_HEADERS.find(({ base64 }) => publicKey.startsWith(base64));
  const modulus = spki.subarray(SPKI_HEADER_LENGTH, -SPKI_TRAILER.length);
  const trailer = spki.subarray(-SPKI_TRAILER.length);
  const isExpected =
    header !== undefined &&
    modulus.length === header.modulusBytes &&
    modulus[0]! >= 0x80 && // not shorter than it claims to be
    modulus[modulus.length - 1]! % 2 === 1 && // a product of two odd primes
    SPKI_TRAILER.every((byte, i) => trailer[i] === byte);
  if (isExpected) return { spki, modulusBytes: modulus.length };

  throw invalidKey(
    'public_key is not an RSA key (SPKI) of 2048, 3072 or 4096 bits with the exponent 65537',
  );
}

function notCanonical(publicKey: string): CardEncryptionError {
  return invalidKey(
    `public_key is ${usualMistake(publicKey)}, not canonical Base64: ` +
      'forward it as the service sent it',
  );
}

/** The likely reason why a text is not canonical Base64. */
function usualMistake(publicKey: string): string {
  if (publicKey.includes('-----')) return 'PEM';
  if (publicKey.includes('-') || publicKey.includes('_')) return 'base64url';
  return 'altered';
}

function invalidKey(message: string): CardEncryptionError {
  return new CardEncryptionError('invalid_key', message);
}
