import { readNumerals } from '../card/characters.ts';
import { numberOf, onlyNumeral } from '../card/dates.ts';
import { type Control, isSelect } from './slots.ts';

/**
 * Whether the options of a select have values that are months, or years. They are read as what is
 * typed, so they must be numbers. One word may be a placeholder such as "Month". An input may hold
 * anything.
 */
export function hasDateOptions(control: Control, slot: 'exp_month' | 'exp_year'): boolean {
  if (!isSelect(control)) return true;
  const values = [...control.options].map(({ value }) => value);
  const numerals = values.filter(Boolean).map((value) => onlyNumeral(readNumerals(value)));
  const isMonth = slot === 'exp_month';
  const lengths = isMonth ? [1, 2] : [2, 4];
  const words = numerals.filter(({ length }) => !lengths.includes(length));
  const most = isMonth ? 1 : numerals.length / 2; // years may have words such as "Never"
  const numbers = numerals.filter(({ length }) => length > 0).map(numberOf);
  const countsFromZero = numbers.includes(0) && numbers.includes(11) && !numbers.includes(12);
  return words.length <= most && !(isMonth && countsFromZero);
}
