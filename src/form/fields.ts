import { CardEncryptionError } from '../index.ts';
import { own } from './own.ts';

export type Control = HTMLInputElement | HTMLSelectElement;

/** The controls of one card: `name` is one control or given name and family name, `expiry` one control or month and year. */
export type CardControls = Record<'number' | 'name' | 'expiry' | 'cvv', Control[]>;

/** What a control can hold, in the words of `data-cardseal-field` and, where it has no such attribute, of `autocomplete` (HTML, 4.10.18.7). */
const TOKENS = {
  number: 'cc-number',
  name: 'cc-name',
  given_name: 'cc-given-name',
  family_name: 'cc-family-name',
  expiry: 'cc-exp',
  exp_month: 'cc-exp-month',
  exp_year: 'cc-exp-year',
  cvv: 'cc-csc',
};
type Slot = keyof typeof TOKENS;

/**
 * Finds the controls of the card among all that belong to the form, those outside it with `form=` included.
 *
 * @throws {@link CardEncryptionError} `invalid_form` if one is missing, doubled, or such that the card could leave in clear text, be misread, or
 * get no message; the error's message names it and tells how to mend it.
 */
export function findFields(form: HTMLFormElement): CardControls {
  const found: { [slot in Slot]?: Control } = {};
  for (const control of cardControls(form)) {
    const slot = slotOf(control)!;
    if (control.getAttribute('name')) throw refuse(slot, 'have no name attribute: without script it would be sent in clear text');
    if (!isControl(control)) throw refuse(slot, 'be an input or select');
    if (control.type === 'number') throw refuse(slot, 'not have type="number", which loses digits: use inputmode="numeric"');
    if (!control.willValidate) throw refuse(slot, 'not be disabled, read-only or hidden');
    if (found[slot]) throw refuse(slot, 'be there only once');
    found[slot] = control;
  }
  const pick = (whole: Slot, ...parts: Slot[]): Control[] => {
    const apart = parts.some((part) => found[part]);
    if (apart && found[whole]) throw refuse(whole, 'be there only once');
    return (apart ? parts : [whole]).map((slot) => {
      const control = found[slot];
      if (control) return control;
      throw refuse(slot, `be marked by data-cardseal-field="${slot}" or autocomplete="${TOKENS[slot]}"`);
    });
  };
  return {
    number: pick('number'),
    name: pick('name', 'given_name', 'family_name'),
    expiry: pick('expiry', 'exp_month', 'exp_year'),
    cvv: pick('cvv'),
  };
}

/** Every control of the form that is marked as one of the card's, whatever else may be wrong with it. */
export const cardControls = (form: HTMLFormElement): Element[] => [...own(form, 'elements')].filter(slotOf);

const slotOf = (control: Element) =>
  (Object.keys(TOKENS) as Slot[]).find((slot) =>
    control.matches(`[data-cardseal-field=${slot}],[autocomplete~=${TOKENS[slot]} i]:not([data-cardseal-field])`),
  );

/** Empties controls as if the shopper had done it, so that whatever keeps a copy of their values (React, Vue, a mask) empties it, too. */
export function emptyControls(controls: Iterable<Element>): void {
  for (const control of controls) {
    if (!isControl(control)) continue;
    if ('selectedIndex' in control) control.selectedIndex = -1;
    else Reflect.set(HTMLInputElement.prototype, 'value', '', control); // React puts a setter of its own before this one
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

/** Not by `instanceof`: the form may belong to another window. */
const isControl = (control: Element): control is Control => control.matches('input, select');

const refuse = (slot: Slot, what: string) => new CardEncryptionError('invalid_form', `The card form's ${slot} control must ${what}`);
