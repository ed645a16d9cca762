import { encodeInto } from '../../core/browser.ts';
import type { CardField } from '../../core/index.ts';
import { CARD_FIELDS } from '../../core/scheme.ts';
import type { CardProblem } from '../feedback/texts.ts';
import { concat } from './concat.ts';
import {
  type CardControls,
  type Control,
  isControl,
  isOfName,
  isSelect,
  isShared,
  isSpace,
} from './fields.ts';

/** The fields that shoppers type. A scheme with others needs a form that asks for them. */
type TypedField = 'number' | 'name' | 'exp_month' | 'exp_year' | 'cvv';

/** A card as bytes, for `encryptCard` to take over or for {@link zero}. */
export type CardBytes = Record<TypedField, Uint8Array>;

/** A problem with the card, and the controls that show it. */
export interface Problem {
  problem: CardProblem;
  field: CardField;
  controls: Control[];
}

/**
 * No field needs more characters than this, and a long pasted text must not freeze the page.
 * `readCard` ignores what follows them, and `findProblems` refuses such a value: see `areWhole`.
 */
const LONGEST_VALUE = 1000;

/**
 * Reads what the controls hold now: autofill does not always fire events.
 *
 * The functions of this file look at one character after the other. A regular expression would keep
 * its input within reach of the whole page (`RegExp.input`), and a string that is put together here
 * could not be wiped.
 */
export function readCard(controls: CardControls): CardBytes {
  const { month, year } = readExpiry(controls.expiry);
  return {
    number: toBytes(concat(controls.number.map(readDigits))),
    name: readName(controls.name),
    exp_month: toBytes(month),
    exp_year: toBytes(year),
    cvv: toBytes(concat(controls.cvv.map(readDigits))),
  };
}

/** Finds what the shopper has to correct. `encryptCard` checks the characters of the name. */
export function findProblems(card: CardBytes, controls: CardControls, luhn: boolean): Problem[] {
  const problems: Problem[] = [];
  const report = (problem: CardProblem, field: 'number' | 'name' | 'cvv') =>
    problems.push({ problem, field, controls: controls[field] });
  const validateDigits = (field: 'number' | 'cvv', isValid: boolean) => {
    if (card[field].length === 0) report(`${field}_required`, field);
    else if (!isValid || !areWhole(controls[field])) report(`${field}_invalid`, field);
  };
  validateDigits('number', obeysRule(card, 'number') && (!luhn || passesLuhn(card.number)));
  if (card.name.length === 0) report('name_required', 'name');
  else if (!areWhole(controls.name)) report('name_too_long', 'name');
  const expiryProblem = findExpiryProblem(card, controls.expiry);
  if (expiryProblem) problems.push(expiryProblem);
  validateDigits('cvv', obeysRule(card, 'cvv'));
  return problems;
}

function findExpiryProblem(card: CardBytes, controls: Control[]): Problem | undefined {
  const monthControl = controls[0]!;
  const yearControl = controls[1] ?? monthControl; // one control may hold both
  const problemAt = (problem: CardProblem, at: Control[]): Problem => {
    const field = at.includes(monthControl) ? 'exp_month' : 'exp_year';
    return { problem, field, controls: at };
  };
  const empty = controls.filter(({ value }) => readNumerals(value).length === 0);
  if (empty.length > 0) return problemAt('expiry_required', empty);

  const wrong = new Set<Control>();
  for (const control of controls) if (!areWhole([control])) wrong.add(control);
  if (!obeysRule(card, 'exp_month')) wrong.add(monthControl);
  if (!obeysRule(card, 'exp_year')) wrong.add(yearControl);
  if (wrong.size > 0) return problemAt('expiry_invalid', [...wrong]);

  // Date.UTC counts months from 0, so this is the first day of the next month. UTC-12 is the last
  // time zone in which a month ends.
  const end = Date.UTC(toNumber(card.exp_year), toNumber(card.exp_month), 1, 12);
  return end <= Date.now() ? problemAt('expiry_past', controls) : undefined;
}

/** Whether all of what stands in the controls was read. */
const areWhole = (controls: Control[]): boolean =>
  controls.every(({ value }) => value.length <= LONGEST_VALUE);

function obeysRule(card: CardBytes, field: TypedField): boolean {
  const { minBytes, maxBytes, isValid } = CARD_FIELDS[field];
  const bytes = card[field];
  return bytes.length >= minBytes && bytes.length <= maxBytes && isValid(bytes);
}

/** Whether two readings are of the same card. */
export function isSameCard(card: CardBytes, other: CardBytes): boolean {
  return fieldsOf(card).every((field) => {
    const bytes = card[field];
    const others = other[field];
    return bytes.length === others.length && bytes.every((byte, i) => byte === others[i]);
  });
}

/** A copy, which `encryptCard` may empty. */
export function copyCard(card: CardBytes): CardBytes {
  const copy: CardBytes = Object.create(null);
  for (const field of fieldsOf(card)) copy[field] = card[field].slice();
  return copy;
}

/** Overwrites the bytes of a card. */
export function zero(card: CardBytes): void {
  for (const field of fieldsOf(card)) card[field].fill(0);
}

const fieldsOf = (card: CardBytes) => Object.keys(card) as TypedField[];

/**
 * Whether the card's own fields hold neither a digit nor a name. A mask may show its placeholder. A
 * select does not count: if it has no empty option, a page that renders it anew chooses one. A name
 * that the shop needs itself does not count, either.
 */
export const holdsNoCard = ({ number, name, expiry, cvv }: CardControls): boolean =>
  !concat([number, expiry, cvv]).some((control) => !isSelect(control) && hasDigit(control)) &&
  name.every((control) => isShared(control) || control.value === '');

/** Whether nothing of a card stands in one of its own controls: the same, for one control. */
export function isCleared(control: Element): boolean {
  if (!isControl(control) || isSelect(control) || isShared(control)) return true;
  return isOfName(control) ? control.value === '' : !hasDigit(control);
}

/** Whether a control for digits holds one. */
export const hasDigit = ({ value }: Control): boolean =>
  visible(value).some((char) => digitOf(char) !== undefined);

/** ISO/IEC 7812-1, Annex B. */
function passesLuhn(digits: Uint8Array): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[digits.length - 1 - i]! - ZERO;
    const isSecond = i % 2 === 1; // every second digit from the right counts twice
    const weighted = isSecond ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** Month and year, as digits: none if the text is not a date. */
function readExpiry(controls: Control[]): { month: number[]; year: number[] } {
  const numerals = controls.map(({ value }) => readNumerals(value));
  const isSplit = numerals.length > 1; // month and year have a control each
  const parts = isSplit ? numerals.map(onlyNumeral) : splitDate(numerals[0]!);
  const [month = [], year = []] = parts;
  return {
    month: month.length === 1 ? [0, ...month] : month,
    year: year.length === 2 ? [2, 0, ...year] : year,
  };
}

const onlyNumeral = (numerals: number[][]): number[] => (numerals.length === 1 ? numerals[0]! : []);

/**
 * Month and year out of one control: two numerals, or one of four or six digits, such as `1126` and
 * `112026`. What autofill and password managers write may have the year first: `2026-11`, `202611`,
 * `26/11`. Where both readings are dates, the month comes first.
 */
function splitDate(numerals: number[][]): number[][] {
  const [first = [], second = []] = numerals;
  if (numerals.length > 2) return [];
  if (numerals.length === 2) return monthFirst(first, second);
  const isYearFirst = first.length === 6 && !mayBeMonth(first.slice(0, 2));
  const end = isYearFirst ? 4 : 2;
  return monthFirst(first.slice(0, end), first.slice(end));
}

const monthFirst = (first: number[], second: number[]): number[][] =>
  !mayBeMonth(first) && mayBeMonth(second) ? [second, first] : [first, second];

/** Tells a month from a year. The rules of the fields refuse 0, and a month of three digits. */
function mayBeMonth(digits: number[]): boolean {
  let number = 0; // by a loop: Prototype 1.6 replaces the `reduce` of arrays
  for (const digit of digits) number = number * 10 + digit;
  return number <= 12;
}

/**
 * The numerals of a date, each as its digits. Spaces, dashes, slashes and full stops separate them.
 * A character that is neither becomes a numeral without digits, which is never valid.
 */
function readNumerals(value: string): number[][] {
  const numerals: number[][] = [];
  let isInNumeral = false;
  for (const char of visible(value)) {
    const digit = digitOf(char);
    if (digit !== undefined) {
      if (!isInNumeral) numerals.push([]);
      numerals[numerals.length - 1]!.push(digit);
    } else if (!isGap(char) && !SLASHES.includes(char)) {
      numerals.push([]);
    }
    isInNumeral = digit !== undefined;
  }
  return numerals;
}

/** Drops spaces and dashes. A character that is not a digit stays as `undefined`. */
const readDigits = ({ value }: Control): (number | undefined)[] =>
  visible(value)
    .filter((char) => !isGap(char))
    .map(digitOf);

const ZERO = 0x30; // the digit 0 in ASCII

/**
 * Stands for a character that is not a digit: the letter x. It keeps its place, so that the length
 * is right, and the rules of the fields refuse it.
 */
const NOT_A_DIGIT = 0x78;

/** In ASCII. */
const toBytes = (digits: (number | undefined)[]) =>
  Uint8Array.from(digits, (digit) => (digit === undefined ? NOT_A_DIGIT : ZERO + digit));

const toNumber = (digits: Uint8Array) =>
  digits.reduce((number, byte) => number * 10 + (byte - ZERO), 0);

/** Trimmed; every run of white space is one space. The parts of a name are joined by one. */
function readName(controls: Control[]): Uint8Array {
  const chars = concat(controls.map(({ value }) => [...visible(value), ' ']));
  const bytes = new Uint8Array(chars.length * 4);
  let length = 0;
  let needsSpace = false;
  for (const char of chars) {
    if (isSpace(char)) {
      needsSpace = length > 0;
      continue;
    }
    if (needsSpace) {
      bytes[length] = 0x20;
      length += 1;
    }
    length += encodeInto(char, bytes.subarray(length)).written;
    needsSpace = false;
  }
  return bytes.subarray(0, length);
}

/** The characters that a person sees, of the first {@link LONGEST_VALUE} of a value. */
const visible = (value: string): string[] =>
  [...value.slice(0, LONGEST_VALUE)].filter((char) => !MARKS.includes(char));

/**
 * Invisible characters that come with pasted text: bidirectional marks, embeddings, overrides and
 * isolates, zero width space, word joiner, byte order mark.
 */
const MARKS =
  '\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff';

/** Unicode 17, Dash=Yes. */
const DASHES =
  '-\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2053\u207b\u208b\u2212\u2e17' +
  '\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d' +
  '\u{10d6e}\u{10ead}';

/** Slashes and full stops, full width, too. */
const SLASHES = '/.\u2044\u2215\uff0e\uff0f';

const isGap = (char: string) => isSpace(char) || DASHES.includes(char);

const DIGITS = [...'0123456789'];

/** The value of a decimal digit of any script. */
function digitOf(char: string): number | undefined {
  const value = char < '\x80' ? DIGITS.indexOf(char) : digitValue(char);
  return value < 0 ? undefined : value;
}

/** Numeric collation knows all decimal digits (UTS #35, part 5). For ASCII it would take long. */
function digitValue(char: string): number {
  const { compare } = new Intl.Collator('en', {
    __proto__: null, // a polluted Object.prototype must set no further option
    numeric: true,
    sensitivity: 'base', // without it, digits of one value differ between scripts
  } as Intl.CollatorOptions);
  return DIGITS.findIndex((digit) => compare(digit, char) === 0);
}
