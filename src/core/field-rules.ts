/*
 * The rules of the card fields look at single bytes on purpose: a regular expression would
 * keep what it looked at within reach of the whole page (`RegExp.input`), and a string that is put
 * together here could not be wiped.
 */

/** ASCII digits only. */
export function isDigits(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x30 && byte <= 0x39);
}

/** `01` to `12`. */
export function isMonth(bytes: Uint8Array): boolean {
  if (!isDigits(bytes)) return false;
  const month = bytes.reduce((number, byte) => number * 10 + (byte - 0x30), 0);
  return month >= 1 && month <= 12;
}

/**
 * Well-formed UTF-8 without control characters, line separators, U+FFFD, and bidirectional
 * embeddings, overrides and isolates.
 */
export function isName(bytes: Uint8Array): boolean {
  let start = 0;
  while (start < bytes.length) {
    const lead = bytes[start]!;
    const sequence = SEQUENCES.find(({ mask, pattern }) => (lead & mask) === pattern);
    if (!sequence) return false;

    const end = start + sequence.length;
    if (end > bytes.length) return false;

    let codePoint = lead & ~sequence.mask;
    for (const byte of bytes.subarray(start + 1, end)) {
      if ((byte & 0xc0) !== 0x80) return false;
      codePoint = (codePoint << 6) | (byte & 0x3f);
    }
    if (codePoint < sequence.least || isRefused(codePoint)) return false;

    start = end;
  }
  return true;
}

/**
 * RFC 3629, section 3. `length` is in bytes. The first byte, masked by `mask`, equals `pattern`.
 * `least` is the smallest code point that needs this length: a smaller one would be overlong.
 */
const SEQUENCES = [
  { length: 1, mask: 0x80, pattern: 0x00, least: 0 },
  { length: 2, mask: 0xe0, pattern: 0xc0, least: 0x80 },
  { length: 3, mask: 0xf0, pattern: 0xe0, least: 0x800 },
  { length: 4, mask: 0xf8, pattern: 0xf0, least: 0x10000 },
];

/** The first and the last code point of each range that a name must not contain. */
const REFUSED_RANGES = [
  { first: 0x00, last: 0x1f }, // controls (C0)
  { first: 0x7f, last: 0x9f }, // delete, and controls (C1)
  { first: 0x2028, last: 0x2029 }, // line and paragraph separator
  { first: 0x202a, last: 0x202e }, // bidirectional embeddings and overrides
  { first: 0x2066, last: 0x2069 }, // bidirectional isolates
  { first: 0xd800, last: 0xdfff }, // surrogates, which UTF-8 must not encode
  { first: 0xfffd, last: 0xfffd }, // what TextEncoder makes of a lone surrogate
  { first: 0x110000, last: 0x1fffff }, // beyond Unicode
];

function isRefused(codePoint: number): boolean {
  return REFUSED_RANGES.some(({ first, last }) => codePoint >= first && codePoint <= last);
}
