import { readNumerals } from './characters.ts';

/** Month and year, as digits: none if the text is not a date. */
export function readExpiry(values: string[]): { month: number[]; year: number[] } {
  const numerals = values.map(readNumerals);
  const isSplit = numerals.length > 1; // month and year have a control each
  const parts = isSplit ? numerals.map(onlyNumeral) : splitDate(numerals[0]!);
  const [month = [], year = []] = parts;
  return {
    month: month.length === 1 ? [0, ...month] : month,
    year: year.length === 2 ? [2, 0, ...year] : year,
  };
}

export const onlyNumeral = (numerals: number[][]): number[] =>
  numerals.length === 1 ? numerals[0]! : [];

/**
 * G2: month and year out of one control: two numerals, or one of four or six digits, such as `1126`
 * and `112026`. What autofill and password managers write may have the year first: `2026-11` and
 * `202611`. A year that stands first has four digits: a mask makes `32/03` of `3/2031`.
 */
function splitDate(numerals: number[][]): number[][] {
  const [first = [], second = []] = numerals;
  if (numerals.length > 2) return [];
  if (numerals.length === 2) return monthFirst(first, second);
  // Of any other length, its year has neither two digits nor four, and the fields' rules refuse it.
  const isYearFirst = first.length === 6 && !mayBeMonth(first.slice(0, 2));
  const end = isYearFirst ? 4 : 2;
  return monthFirst(first.slice(0, end), first.slice(end));
}

const monthFirst = (first: number[], second: number[]): number[][] =>
  first.length === 4 ? [second, first] : [first, second];

/** Tells a month from a year. The rules of the fields refuse 0, and a month of three digits. */
const mayBeMonth = (digits: number[]): boolean => numberOf(digits) <= 12;

export function numberOf(digits: number[]): number {
  let number = 0; // by a loop: Prototype 1.6 replaces the `reduce` of arrays
  for (const digit of digits) number = number * 10 + digit;
  return number;
}
