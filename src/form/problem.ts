import type { CardField } from '../index.ts';
import type { Control } from './fields.ts';

/** Everything that the shopper can be asked to correct. */
export type CardProblem =
  | 'number_required'
  | 'number_invalid' // not 12 to 19 digits, or the check digit is wrong
  | 'name_required'
  | 'name_invalid' // control characters, or broken text
  | 'name_too_long' // for this key
  | 'expiry_required'
  | 'expiry_invalid'
  | 'expiry_past' // everywhere on Earth
  | 'cvv_required'
  | 'cvv_invalid';

/** What the shopper has to correct, and in which controls. */
export interface Problem {
  problem: CardProblem;
  field: CardField;
  controls: Control[];
}
