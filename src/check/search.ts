import { readDigits } from '../form/card/characters.ts';
import { concat } from '../form/page/old-browsers.ts';
import { tellingNames } from './code-names.ts';

/** A card that stands or stood in the page's controls. Its number is always a test number. */
export interface TestCard {
  /** ASCII digits. */
  number: string;
  /** As it stands in its control, or in several boxes. */
  typed: string[];
  /** ASCII digits, and as it stands in its control if that differs; empty if unknown. */
  codes: string[];
  /** The id and the name of the code's control. */
  codeNames: string[];
  /** The name on the card; empty if the page knows it from elsewhere, too. */
  name: string;
}

/** What was found of a card, as findings call it. */
export type CardPart = 'card number' | 'security code' | 'name on the card';

/** A text that leaves the page. In a form each has a key, which is its name there. */
export interface Part {
  text: string;
  key?: string | undefined;
}

/**
 * Finds the parts of a card in a text: as typed, digits only, in groups, and encoded for URLs, as
 * JSON, Base64 or hexadecimal.
 */
export function searcher(card: TestCard): (part: Part) => CardPart[] {
  const { number, name, codes } = card;
  const typed = card.typed.join('');
  const spellings = [number, typed, inGroups(number, ' '), inGroups(number, '-')];
  const encoded = concat(spellings.map(encodedSpellings));
  const holdsNumber = numberFinder(number);
  const isInBoxes = card.typed.length > 1;
  const parts = isInBoxes ? card.typed : inGroups(number, ' ').split(' ');
  const inParts = partsPattern(parts);
  const isInParts = isInBoxes || new Set(parts).size > 1; // `4242` four times may be four cards
  const isTelling = tellingNames(card.codeNames);
  const holdsCode = codes.map((code) => codeFinder(code, isTelling));
  const holdsName = nameFinder(name);

  return ({ text, key }) => {
    const readings = readingsOf(text);
    const some = (test: (reading: string) => boolean) => readings.some(test);
    const found: CardPart[] = [];
    const hasNumber =
      some((reading) => holdsNumber(reading) || reading.includes(typed)) ||
      (isInParts && some((reading) => inParts.test(reading))) ||
      encoded.some((spelling) => text.includes(spelling));
    if (hasNumber) found.push('card number');
    const isCode = key !== undefined && codes.includes(unquoted(text)) && isTelling(key);
    if (isCode || holdsCode.some(some)) found.push('security code');
    if (name && some(holdsName)) found.push('name on the card');
    return found;
  };
}

/** `583` of `"583"` and `["583"]`, as JSON writes it. */
const unquoted = (text: string): string => text.replace(/[\s"[\]]/g, '');

/** The parts of a number near each other: `a=4929&b=11928374&c=6509`. */
const partsPattern = (parts: string[]): RegExp => {
  const digits = parts.map((part) => readDigits(part).join(''));
  return new RegExp(`(?:^|[^0-9])${digits.join('(?:(?![0-9])[\\s\\S]{1,60}?)?')}(?![0-9])`);
};

/**
 * Finds the digits of a number, alone or in groups, that are no part of a longer number. At least
 * one group has three digits: `42,42,42` is often a list.
 */
export function numberFinder(number: string): (text: string) => boolean {
  const pattern = new RegExp(`${number.split('').map(literal).join(SEPARATOR)}(?![0-9])`, 'g');
  return (text) => {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const isWhole = match[0].length === number.length || /[0-9]{3}/.test(match[0]);
      if (isWhole && !/[0-9]/.test(text.charAt(match.index - 1))) return true;
    }
    return false;
  };
}

/** A text as a pattern for it: a shopper may type `583)`. */
const literal = (text: string): string => text.replace(/[^\w\s]/g, '\\$&');

/** What may stand between two digits of a number. */
const SEPARATOR = '[^0-9A-Za-z]{0,2}';

/** Finds a name as whole words: "An Le" is not in "You can learn more". */
function nameFinder(name: string): (text: string) => boolean {
  const words = name.toLowerCase();
  return (text) => {
    const lower = text.toLowerCase();
    for (let at = lower.indexOf(words); at >= 0; at = lower.indexOf(words, at + 1)) {
      const around = [lower.charAt(at - 1), lower.charAt(at + words.length)];
      if (!around.some(isLetter)) return true;
    }
    return false;
  };
}

/** Of a script with capitals: Firefox 60 has no pattern for all letters. */
const isLetter = (char: string): boolean => char !== char.toUpperCase();

/** The text as it is, and with its URL encoding undone: twice, for an address in an address. */
export function readingsOf(text: string): string[] {
  const once = unescaped(text);
  return [...new Set([text, once, unescaped(once)])];
}

function unescaped(text: string): string {
  const spaced = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(spaced); // the quick way, for megabytes
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, decoded);
  }
}

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes; // no UTF-8
  }
}

/** A text as Base64 and hexadecimal write it, wherever it stands in a longer text. */
function encodedSpellings(text: string): string[] {
  const bytes = [...new TextEncoder().encode(text)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((before) => {
    // Only the characters that do not depend on what stands before and after.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return btoa('\0'.repeat(before) + String.fromCharCode(...bytes)).slice(start, end);
  });
  return base64.concat(hex, hex.toUpperCase());
}

const inGroups = (digits: string, separator: string): string =>
  digits.replace(/.{4}(?=.)/g, `$&${separator}`);

/**
 * Finds a security code beside a telling name: in URLs, JSON, XML and multipart texts. It looks for
 * the code first, because a text of megabytes has many names and few codes.
 */
function codeFinder(code: string, isTelling: (name: string) => boolean) {
  return (text: string): boolean => {
    for (let at = text.indexOf(code); at >= 0; at = text.indexOf(code, at + 1)) {
      if (/[0-9]/.test(text.charAt(at + code.length))) continue;
      const name = NAME_BEFORE.exec(text.substring(at - 200, at))?.[1];
      if (name && isTelling(name)) return true;
    }
    return false;
  };
}

/** What formats put between a name and its value. */
const BETWEEN = `[\\s"'\\\\[\\]{}<>:=,]{1,20}`;
/**
 * The name at the end of the text before a value: `card[cvv]=`, `"cvv":"`, `<cvv>`, `["cvv","`;
 * or before the word `value`: `"name":"cvv","value":"`, `field=cvv&value=`, and
 * `fields[2][name]=cvv&fields[2][value]=`.
 */
const NAME_BEFORE = new RegExp(
  `(\\w[\\w.[\\]-]{1,80})(?:(?:&|${BETWEEN})(?:\\w[\\w.[\\]-]{0,40}[.[])?value)?${BETWEEN}$`,
  'i',
);
