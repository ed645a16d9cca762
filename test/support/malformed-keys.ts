/** Public keys that differ from a good one in one respect: well-formed DER each, unless it says otherwise. Runs in browsers and in Node. */
import keys from '../vectors/keys.json';
import { fromBase64 } from './core.ts';

export interface MalformedKey {
  what: string;
  spki: Uint8Array<ArrayBuffer>;
  /** What OpenSSL reads in it, if it can: shows that nothing else is wrong with it. */
  reads?: { type: string; modulusLength?: number; publicExponent?: bigint } | undefined;
}

const OID = {
  rsaEncryption: [0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1],
  'id-RSAES-OAEP': [0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 7],
  'id-RSASSA-PSS': [0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 10],
};
const NULL = [5, 0];

/** The DER of a SubjectPublicKeyInfo. Integers are given as they stand in the DER: big-endian, with the sign's leading zero. */
export function spki({
  modulus = goodModulus(),
  exponent = [1, 0, 1],
  oid = OID.rsaEncryption,
  parameters = NULL,
} = {}) {
  const publicKey = der(0x30, der(2, modulus), der(2, exponent));
  return Uint8Array.from(der(0x30, der(0x30, der(6, oid), parameters), der(3, [0], publicKey)));
}

/** The modulus of the good key of 2048 bits as it stands in its DER: a leading zero and 256 bytes. */
export const goodModulus = () => [...goodKey().subarray(32, 32 + 257)];
export const goodKey = () => fromBase64(keys.rsa[0]!.public_key);

function der(tag: number, ...contents: number[][]): number[] {
  const content = contents.flat();
  const n = content.length;
  return [tag, ...(n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff]), ...content];
}

const rsa = (modulusLength: number, publicExponent = 65537n) => ({
  type: 'rsa',
  modulusLength,
  publicExponent,
});

const exponents: [exponent: number[], reads: bigint][] = [
  [[0], 0n],
  [[1], 1n],
  [[3], 3n],
  [[1, 0, 0], 65536n],
  [[1, 0, 3], 65539n],
];

/** The modulus with some of its bytes changed, counted from the end if negative. */
const modulus = (...changes: [place: number, change: (byte: number) => number][]) =>
  changes.reduce(
    (bytes, [place, change]) => bytes.with(place, change(bytes.at(place)!)),
    goodModulus(),
  );

export const malformedKeys = (): MalformedKey[] => [
  ...keys.refused.map(({ what, public_key }) => ({
    what,
    spki: fromBase64(public_key),
    reads: READS[what],
  })),
  ...exponents.map(([exponent, reads]) => ({
    what: `the exponent ${reads}`,
    spki: spki({ exponent }),
    reads: rsa(2048, reads),
  })),
  {
    what: 'an even modulus',
    spki: spki({ modulus: modulus([-1, (byte) => byte & 0xfe]) }),
    reads: rsa(2048),
  },
  {
    what: 'a modulus of 2047 bits',
    spki: spki({ modulus: modulus([1, (byte) => (byte & 0x3f) | 0x40]) }),
    reads: rsa(2047),
  },
  {
    what: 'a modulus of 2056 bits',
    spki: spki({ modulus: [...goodModulus(), 1] }),
    reads: rsa(2056),
  },
  {
    what: 'a modulus of 2040 bits',
    spki: spki({ modulus: modulus([-2, (byte) => byte | 1]).slice(0, -1) }),
    reads: rsa(2040),
  },
  {
    what: 'the OID of RSASSA-PSS, without parameters',
    spki: spki({ oid: OID['id-RSASSA-PSS'], parameters: [] }),
    reads: { ...rsa(2048), type: 'rsa-pss' },
  },
  { what: 'the OID of RSAES-OAEP, with NULL', spki: spki({ oid: OID['id-RSAES-OAEP'] }) },
  { what: 'rsaEncryption without NULL', spki: spki({ parameters: [] }), reads: rsa(2048) },
  {
    what: 'PKCS #1: an RSAPublicKey alone',
    spki: Uint8Array.from(der(0x30, der(2, goodModulus()), der(2, [1, 0, 1]))),
  },
  { what: 'the private key', spki: fromBase64(keys.rsa[0]!.private_key) },
  { what: 'the key twice', spki: Uint8Array.of(...goodKey(), ...goodKey()) },
];

const READS: Record<string, MalformedKey['reads']> = {
  'RSA of 1024 bits': rsa(1024),
  'RSA of 2050 bits': rsa(2050),
  'RSA of 8192 bits': rsa(8192),
  'RSA of 2048 bits with the exponent 3': rsa(2048, 3n),
  'EC on P-256': { type: 'ec' },
  Ed25519: { type: 'ed25519' },
};
