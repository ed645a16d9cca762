import { isDigits, isMonth, isName } from './field-rules.ts';
import { CAPACITIES, type ImportedKey, importRsaOaepSha256, LARGEST_CAPACITY } from './rsa-oaep.ts';
import type { Card, CardField, LayoutField } from './types.ts';

/** The rules of a scheme for one card field. Lengths are in bytes of UTF-8. */
export interface FieldDefinition {
  /** The property of {@link Card}. */
  readonly name: CardField;
  /** The field's name in the layout. */
  readonly identifier: LayoutField;
  /** The fewest bytes. */
  readonly minBytes: number;
  /** The most bytes. */
  readonly maxBytes: number;
  /** Whether the bytes obey the field's rule. Called only if the number of bytes is allowed. */
  readonly isValid: (bytes: Uint8Array) => boolean;
  /** The rule in words, for developers. */
  readonly rule: string;
}

/** Everything that distinguishes one encryption scheme from another. */
export interface Scheme {
  /** The value of `scheme` in the service's keys. */
  readonly name: string;
  /** The card fields in the order of the plaintext. */
  readonly fields: readonly FieldDefinition[];
  /** The field that `card_too_long` names: the only one that a shopper can shorten. */
  readonly shortenable: CardField;
  /** The lengths that a ciphertext can have, each with the most bytes of plaintext in it. */
  readonly capacities: ReadonlyMap<number, number>;
  /** Checks, imports and tries the `public_key` of a key of this scheme. */
  readonly importKey: (publicKey: string) => Promise<ImportedKey>;
}

const NUMBER: FieldDefinition = {
  name: 'number',
  identifier: 'Pan',
  minBytes: 12, // ISO/IEC 7812-1
  maxBytes: 19,
  isValid: isDigits,
  rule: '12 to 19 digits',
};

const NAME: FieldDefinition = {
  name: 'name',
  identifier: 'Name',
  minBytes: 1,
  maxBytes: LARGEST_CAPACITY, // checkCapacity counts the other fields, too
  isValid: isName,
  rule: 'well-formed text without control characters',
};

const EXP_MONTH: FieldDefinition = {
  name: 'exp_month',
  identifier: 'ExpMonth',
  minBytes: 2,
  maxBytes: 2,
  isValid: isMonth,
  rule: '01 to 12',
};

const EXP_YEAR: FieldDefinition = {
  name: 'exp_year',
  identifier: 'ExpYear',
  minBytes: 4,
  maxBytes: 4,
  isValid: isDigits,
  rule: 'four digits',
};

const CVV: FieldDefinition = {
  name: 'cvv',
  identifier: 'Cvc',
  minBytes: 3,
  maxBytes: 4,
  isValid: isDigits,
  rule: '3 or 4 digits',
};

/** In words: docs/scheme.md#the-plaintext */
const RSA_OAEP_SHA256_V1: Scheme = {
  name: 'RSA_OAEP_SHA256_V1',
  fields: [NUMBER, NAME, EXP_MONTH, EXP_YEAR, CVV],
  shortenable: 'name',
  capacities: CAPACITIES,
  importKey: importRsaOaepSha256,
};

/** Every scheme that this version knows. */
export const SCHEMES: readonly Scheme[] = [RSA_OAEP_SHA256_V1];

/** The scheme of that name, if this version knows it. */
export const findScheme = (name: unknown): Scheme | undefined =>
  SCHEMES.find((scheme) => scheme.name === name);

/** Every card field that any scheme has: `encryptCard` empties all of them. */
export const CARD_FIELDS: Readonly<Record<CardField, FieldDefinition>> = {
  number: NUMBER,
  name: NAME,
  exp_month: EXP_MONTH,
  exp_year: EXP_YEAR,
  cvv: CVV,
};
