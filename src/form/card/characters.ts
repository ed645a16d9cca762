/*
 * The functions of this file look at one character after the other. A regular expression would keep
 * its input within reach of the whole page (`RegExp.input`), and a string that is put together here
 * could not be wiped.
 */

/**
 * No field needs more characters than this, and a long pasted text must not freeze the page.
 * `readCard` ignores what follows them, and `findProblems` refuses such a value: see `areWhole`.
 */
export const LONGEST_VALUE = 1000;

/** Whether a character is white space. Braille has a blank of its own, which counts as a letter. */
export const isSpace = (char: string): boolean => char.trim() === '' || char === '\u2800';

/** Drops spaces and dashes. A character that is not a digit stays as `undefined`. */
export const readDigits = (value: string): (number | undefined)[] =>
  forDigits(value)
    .filter((char) => !isGap(char))
    .map(digitOf);

/**
 * The numerals of a date, each as its digits. Spaces, dashes, slashes and full stops separate them.
 * A character that is neither becomes a numeral without digits, which is never valid.
 */
export function readNumerals(value: string): number[][] {
  const numerals: number[][] = [];
  let isInNumeral = false;
  for (const char of forDigits(value)) {
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

/** Whether a control for digits holds one, or more than is looked at. */
export const hasDigit = ({ value }: { value: string }): boolean =>
  value.length > LONGEST_VALUE || forDigits(value).some((char) => digitOf(char) !== undefined);

/** The characters of a text: the first {@link LONGEST_VALUE}, without marks of direction. */
export const visible = (value: string): string[] =>
  [...value.slice(0, LONGEST_VALUE)].filter((char) => !MARKS.includes(char));

/** The characters that count among digits. A name may need some of the others. */
const forDigits = (value: string): string[] =>
  [...value.slice(0, LONGEST_VALUE)].filter((char) => !isIgnorable(char));

/**
 * Invisible characters that come with pasted text: bidirectional marks, embeddings, overrides and
 * isolates, zero width space, word joiner, byte order mark.
 */
const MARKS =
  '\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff';

/** G15: Unicode 17, Default_Ignorable_Code_Point=Yes, the first and the last of each range. */
const IGNORABLE = [
  { first: 0xad, last: 0xad }, // soft hyphen
  { first: 0x34f, last: 0x34f }, // combining grapheme joiner
  { first: 0x61c, last: 0x61c },
  { first: 0x115f, last: 0x1160 }, // Hangul fillers
  { first: 0x17b4, last: 0x17b5 },
  { first: 0x180b, last: 0x180f }, // Mongolian selectors and vowel separator
  { first: 0x200b, last: 0x200f }, // zero width space and joiners
  { first: 0x202a, last: 0x202e },
  { first: 0x2060, last: 0x206f }, // word joiner, invisible operators, isolates
  { first: 0x3164, last: 0x3164 },
  { first: 0xfe00, last: 0xfe0f }, // variation selectors
  { first: 0xfeff, last: 0xfeff },
  { first: 0xffa0, last: 0xffa0 },
  { first: 0xfff0, last: 0xfff8 },
  { first: 0x1bca0, last: 0x1bca3 },
  { first: 0x1d173, last: 0x1d17a },
  { first: 0xe0000, last: 0xe0fff }, // tags
];

/** What nobody sees among digits. */
export function isIgnorable(char: string): boolean {
  if (char < '\x80') return false; // ASCII has none, and most texts are ASCII
  const codePoint = char.codePointAt(0)!;
  return IGNORABLE.some(({ first, last }) => codePoint >= first && codePoint <= last);
}

/**
 * Unicode 17, Dash=Yes, and what looks like one: the prolonged sound mark, full and half width,
 * which a Japanese keyboard writes for its dash.
 */
const DASHES =
  '-\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2053\u207b\u208b\u2212\u2e17' +
  '\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d' +
  '\u{10d6e}\u{10ead}\u30fc\uff70';

/**
 * Slashes and full stops, full width, too; and what a Japanese keyboard writes for its slash and
 * its full stop, full and half width.
 */
const SLASHES = '/.\u2044\u2215\uff0e\uff0f\u30fb\uff65\u3002\uff61';

/** What stands between digits. */
export const isGap = (char: string): boolean => isSpace(char) || DASHES.includes(char);

const DIGITS = [...'0123456789'];

/** The value of a decimal digit of any script. */
export function digitOf(char: string): number | undefined {
  const value = char < '\x80' ? DIGITS.indexOf(char) : digitValue(char);
  return value < 0 ? undefined : value;
}

/** Made once: to make one for each character of a long text would freeze the page. */
let collator: Intl.Collator | undefined;

/** Numeric collation knows all decimal digits (UTS #35, part 5). For ASCII it would take long. */
function digitValue(char: string): number {
  collator ??= new Intl.Collator('en', {
    __proto__: null, // a polluted Object.prototype must set no further option
    numeric: true,
    sensitivity: 'base', // without it, digits of one value differ between scripts
  } as Intl.CollatorOptions);
  const { compare } = collator;
  // Ten comparisons for each character of a long text would freeze the page.
  if (compare(char, '9') > 0 || compare(char, '0') < 0) return -1;
  return DIGITS.findIndex((digit) => compare(digit, char) === 0);
}
