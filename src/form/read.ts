import type { CardControls, Control } from './fields.ts';
import type { CardProblem, Problem } from './messages.ts';

/**
 * Reads and judges what the controls hold now (autofill fires no events that could be relied on). The card comes as bytes, for `encryptCard` to
 * take over or for the caller to zero. One character is looked at after the other: a regular expression would keep its input within reach of
 * the whole page (`RegExp.input`), and a string that was put together here could not be wiped.
 */
export function readCard(controls: CardControls, luhn: boolean) {
  const expiry = readExpiry(controls.expiry);
  const card = {
    number: readDigits(controls.number),
    name: readName(controls.name),
    exp_month: toBytes(expiry.month),
    exp_year: toBytes(expiry.year),
    cvv: readDigits(controls.cvv),
  };
  const problems: Problem[] = [];
  const judge = (field: 'number' | 'name' | 'cvv', isValid: boolean) => {
    const { length } = card[field];
    if (!length || !isValid) problems.push({ problem: `${field}_${length ? 'invalid' : 'required'}`, field, controls: controls[field] });
  };
  judge('number', isDigits(card.number, 12, 19) && (!luhn || passesLuhn(card.number)));
  judge('name', true); // which characters it may have is for encryptCard to say
  if (expiry.fault) {
    const [problem, at] = expiry.fault;
    problems.push({ problem, field: at[0] === controls.expiry[1] ? 'exp_year' : 'exp_month', controls: at });
  }
  judge('cvv', isDigits(card.cvv, 3, 4));
  return { card, problems };
}

/** Month and year as digits, and what is wrong with which of the controls. */
function readExpiry(controls: Control[]) {
  const read = controls.map(readNumerals);
  let [month = [], year = []] = read.length > 1 ? read.map((numerals) => (numerals[1] ? [] : numerals[0])) : split(read[0]!);
  if (month.length === 1) month = [0, ...month];
  if (year.length === 2) year = [2, 0, ...year];
  const toNumber = (digits: number[]) => digits.reduce((number, digit) => number * 10 + digit, 0);
  const [m, y] = [toNumber(month), toNumber(year)];
  const empty = controls.filter((_, i) => !read[i]![0]);
  const isMonth = month.length === 2 && m > 0 && m < 13;
  const wrong = controls.filter((_, i) => (!isMonth && i === 0) || (year.length !== 4 && i === controls.length - 1));
  // Over everywhere on Earth: a month ends last at UTC-12. Date.UTC counts months from 0, so this is the first of the next one.
  const isPast = Date.UTC(y, m, 1, 12) <= Date.now();
  const faults: [CardProblem, Control[]][] = [
    ['expiry_required', empty],
    ['expiry_invalid', wrong],
    ['expiry_past', isPast ? controls : []],
  ];
  return { month, year, fault: faults.find(([, at]) => at.length) };
}

/** The numerals of a control, each as its digits, set apart by what dates are set apart by. Anything else is a numeral without digits: never right. */
function readNumerals({ value }: Control): number[][] {
  const numerals: number[][] = [];
  let apart = true;
  for (const char of visible(value)) {
    const digit = digitOf(char);
    const separates = isGap(char) || SLASHES.includes(char);
    if (digit < 0 ? !separates : apart) numerals.push([]);
    if (digit >= 0) numerals[numerals.length - 1]!.push(digit);
    apart = digit < 0;
  }
  return numerals;
}

/** Month and year out of one control: two numerals in either order, or `MMYY` or `MMYYYY`. */
function split([first = [], second, more]: number[][]): number[][] {
  if (more) return [];
  if (second) return first.length === 4 ? [second, first] : [first, second];
  return [first.slice(0, 2), first.slice(2)];
}

/** Spaces and dashes are dropped. */
const readDigits = ([control]: Control[]) =>
  toBytes(
    visible(control!.value)
      .filter((char) => !isGap(char))
      .map(digitOf),
  );

/** ASCII; what is no digit (-1) becomes a byte that is none. */
const toBytes = (digits: number[]) => Uint8Array.from(digits, (digit) => 48 + digit);

/** Trimmed, every run of white space one space; given and family name joined by one. */
function readName(controls: Control[]): Uint8Array {
  const encoder = new TextEncoder();
  const chars = controls.flatMap(({ value }) => [...visible(value), ' ']);
  const bytes = new Uint8Array(chars.length * 4);
  let length = 0;
  let apart = false;
  for (const char of chars) {
    if (!isSpace(char)) {
      if (apart) bytes[length++] = 0x20;
      length += encoder.encodeInto(char, bytes.subarray(length)).written;
    }
    apart = isSpace(char) && length > 0;
  }
  return bytes.subarray(0, length);
}

const isDigits = (bytes: Uint8Array, min: number, max: number) =>
  bytes.length >= min && bytes.length <= max && bytes.every((byte) => byte >= 48 && byte <= 57);

/** ISO/IEC 7812-1, Annex B. */
function passesLuhn(digits: Uint8Array): boolean {
  const sum = digits.reduceRight((sum, byte, i) => {
    const doubled = (byte - 48) << ((digits.length - i + 1) & 1);
    return sum + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Bidi marks, embeddings and isolates, zero width space, word joiner, byte order mark: pasting brings them along. */
const MARKS = '\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff';
/** Unicode 17, Dash=Yes. */
const DASHES =
  '-\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2053\u207b\u208b\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d\u{10d6e}\u{10ead}';
/** Slashes and full stops, full width, too. */
const SLASHES = '/.\u2044\u2215\uff0e\uff0f';

const visible = (text: string) => [...text].filter((char) => !MARKS.includes(char));

const isSpace = (char: string) => !char.trim();

const isGap = (char: string) => isSpace(char) || DASHES.includes(char);

/** The value of a decimal digit of any script, else -1: numeric collation (UTS #35, part 5) knows them all. */
function digitOf(char: string): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return [...'0123456789'].findIndex((digit) => !collator!.compare(digit, char));
}
let collator: Intl.Collator | undefined; // made once, at the first submit: it takes long
