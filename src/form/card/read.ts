import { encodeInto } from '../../core/browser.ts';
import type { CardField } from '../../core/index.ts';
import { CARD_FIELDS } from '../../core/scheme.ts';
import type { CardControls } from '../controls/fields.ts';
import { type Control, isControl, isOfName, isSelect, isShared } from '../controls/slots.ts';
import type { CardProblem } from '../feedback/texts.ts';
import { concat } from '../page/old-browsers.ts';
import {
  hasDigit,
  isSpace,
  LONGEST_VALUE,
  readDigits,
  readNumerals,
  visible,
} from './characters.ts';
import { readExpiry } from './dates.ts';

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
 * Reads what the controls hold now: autofill does not always fire events. `readCard` ignores what
 * follows the longest value, and `findProblems` refuses it: see `areWhole`.
 */
export function readCard(controls: CardControls): CardBytes {
  const { month, year } = readExpiry(valuesOf(controls.expiry));
  return {
    number: toBytes(digitsOf(controls.number)),
    name: readName(controls.name),
    exp_month: toBytes(month),
    exp_year: toBytes(year),
    cvv: toBytes(digitsOf(controls.cvv)),
  };
}

/**
 * The digits of the number, whatever stands between them: a script may have copied them alone. The
 * caller has to zero them.
 */
export const readNumberDigits = (controls: Control[]): Uint8Array =>
  toBytes(digitsOf(controls).filter((digit) => digit !== undefined));

const digitsOf = (controls: Control[]) => concat(valuesOf(controls).map(readDigits));

const valuesOf = (controls: Control[]): string[] => controls.map(({ value }) => value);

/** Finds what the shopper has to correct. `encryptCard` checks the characters of the name. */
export function findProblems(card: CardBytes, controls: CardControls, luhn: boolean): Problem[] {
  const problems: Problem[] = [];
  const report = (problem: CardProblem, field: 'number' | 'name' | 'cvv') =>
    problems.push({ problem, field, controls: controls[field] });
  const validateDigits = (field: 'number' | 'cvv', isValid: boolean) => {
    if (card[field].length === 0) report(`${field}_required`, field);
    else if (!isValid || !areWhole(controls[field])) report(`${field}_invalid`, field);
  };
  const isNumber = obeysRule(card, 'number') && (!luhn || passesLuhn(card.number));
  validateDigits('number', isNumber && !isCutOff(card.number, controls.number));
  if (card.name.length === 0) report('name_required', 'name');
  else if (!areWhole(controls.name)) report('name_too_long', 'name');
  else if (controls.name.some(isSentNumber)) report('name_invalid', 'name');
  const expiryProblem = findExpiryProblem(card, controls.expiry);
  if (expiryProblem) problems.push(expiryProblem);
  validateDigits('cvv', obeysRule(card, 'cvv'));
  return problems;
}

function findExpiryProblem(card: CardBytes, controls: Control[]): Problem | undefined {
  const monthControl = controls[0]!;
  const yearControl = controls[controls.length - 1]!; // one control may hold both
  const problemAt = (problem: CardProblem, at: Control[]): Problem => {
    const field = at.includes(monthControl) ? 'exp_month' : 'exp_year';
    return { problem, field, controls: at };
  };
  const empty = controls.filter(({ value }) => readNumerals(value).length === 0);
  if (empty.length > 0) return problemAt('expiry_required', empty);

  const wrong = controls.filter(
    (control) =>
      !areWhole([control]) ||
      (control === monthControl && !obeysRule(card, 'exp_month')) ||
      (control === yearControl && !obeysRule(card, 'exp_year')),
  );
  if (wrong.length > 0) return problemAt('expiry_invalid', wrong);

  // Date.UTC counts months from 0, so this is the first day of the next month. UTC-12 is the last
  // time zone in which a month ends.
  const end = Date.UTC(toNumber(card.exp_year), toNumber(card.exp_month), 1, 12);
  return end <= Date.now() ? problemAt('expiry_past', controls) : undefined;
}

/**
 * Whether the control may have cut off a pasted number, which would be paid with if the rest passed
 * its check: the control is full, and gaps took the room of digits.
 */
function isCutOff(number: Uint8Array, controls: Control[]): boolean {
  const [control] = controls as HTMLInputElement[];
  if (controls.length > 1 || number.length >= 16) return false;
  const { value, maxLength } = control!;
  const hasGaps = value.length > number.length;
  return hasGaps && value.length === maxLength && !isWhole(number, groupsOf(value));
}

/**
 * Whether a number of less than 16 digits has them all. One that begins with 34 or 37 has 15. Of
 * any other, the groups tell: the second has 6 digits if there are 14 or 15.
 */
const isWhole = (number: Uint8Array, groups: number[][]): boolean =>
  isAmex(number) ? number.length === 15 : number.length >= 14 && groups[1]?.length === 6;

/** The digits of a number, as spaces and dashes separate them. */
const groupsOf = (value: string): number[][] => readNumerals(value);

const isAmex = ([first, second]: Uint8Array): boolean =>
  first === ZERO + 3 && (second === ZERO + 4 || second === ZERO + 7);

/** Whether a name goes out in clear text with a card number in it, as autofill may put it there. */
const isSentNumber = (control: Control): boolean => isShared(control) && holdsNumber(control.value);

/** Whether a text holds a card number: as many digits as one has, and the check digit. */
export function holdsNumber(text: string): boolean {
  let run: number[] = [];
  for (const digit of concat([readDigits(text), [undefined]])) {
    if (digit !== undefined) {
      run.push(digit);
      continue;
    }
    if (isNumber(run)) return true;
    run = [];
  }
  return false;
}

function isNumber(run: number[]): boolean {
  if (run.length < 12) return false;
  const digits = toBytes(run);
  const isValid = passesLuhn(digits);
  digits.fill(0);
  return isValid;
}

/** Whether all of what stands in the controls of a card was read. */
export const areAllWhole = ({ number, name, expiry, cvv }: CardControls): boolean =>
  [number, name, expiry, cvv].every(areWhole);

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

/** Whether nothing of a card stands in one of its own controls, whatever else the form has. */
export function isCleared(control: Element): boolean {
  if (!isControl(control) || isSelect(control) || isShared(control)) return true;
  return isOfName(control) ? control.value === '' : !hasDigit(control);
}

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
