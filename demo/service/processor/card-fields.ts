import { isUtf8 } from 'node:buffer';

/** The card fields as views of the plaintext, which is wiped after use. Digits are ASCII. */
export interface CardFields {
  Pan: Uint8Array;
  Name: Uint8Array;
  ExpMonth: Uint8Array;
  ExpYear: Uint8Array;
  Cvc: Uint8Array;
}

export type Layout = readonly { field: string; len: number }[];

const isDigits = (value: Uint8Array) => value.every((byte) => byte >= 0x30 && byte <= 0x39);

/**
 * In the order of the plaintext: field, fewest and most bytes, rule. They say whether the layout
 * matches the contents. Whether there can be such a card is for the decision to say.
 */
export const FIELDS = [
  ['Pan', 12, 19, isDigits],
  ['Name', 1, Number.POSITIVE_INFINITY, isUtf8],
  ['ExpMonth', 2, 2, isDigits],
  ['ExpYear', 4, 4, isDigits],
  ['Cvc', 3, 4, isDigits],
] as const;

/** The value of ASCII digits. */
export function toNumber(digits: Uint8Array): number {
  return digits.reduce((value, byte) => value * 10 + byte - 0x30, 0);
}
