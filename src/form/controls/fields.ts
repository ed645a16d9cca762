import { CardEncryptionError } from '../../core/index.ts';
import { concat } from '../page/old-browsers.ts';
import { unclobbered } from '../page/unclobbered.ts';
import { hasDateOptions } from './date-options.ts';
import {
  AUTOCOMPLETE,
  type Control,
  cardControls,
  isControl,
  isSelect,
  isShared,
  SHARED,
  type Slot,
  slotOf,
} from './slots.ts';

/** The controls of one card. A date or a name may be split over several controls. */
export interface CardControls {
  /** One control, or several with a part of the number each. */
  number: Control[];
  /** One control, or given name, additional names and family name. */
  name: Control[];
  /** One control, or month and year. */
  expiry: Control[];
  /** One control. */
  cvv: Control[];
}

/**
 * Finds the controls of the card among all that belong to the form.
 *
 * @param mayBeLocked - Whether controls may be disabled or read-only.
 * @throws {@link CardEncryptionError} `invalid_form` if a control is missing or occurs twice, or if
 * the browser could send it in clear text, the library could misread it, or the shopper could not
 * correct it. The error's message names the control and says what to change.
 */
export function findFields(form: HTMLFormElement, mayBeLocked = false): CardControls {
  const found: { [slot in Slot]?: Control[] } = Object.create(null);
  for (const element of cardControls(form)) {
    const slot = slotOf(element)!;
    const control = checkControl(element, slot, mayBeLocked);
    const controls = [...(found[slot] ?? []), control];
    if (controls.length > 1 && !controls.every(isPartOfNumber)) {
      throw invalidForm(slot, 'occur only once');
    }
    found[slot] = controls;
  }
  const need = (slot: Slot): Control[] => {
    const controls = found[slot];
    if (controls) return controls;
    // A custom element keeps its input to itself, and a box around an input is no control.
    const isMarked = unclobbered(form, 'querySelector')(`[data-cardseal-field="${slot}"]`);
    if (isMarked) throw invalidForm(slot, 'be an input or select of the form');
    const mark = `data-cardseal-field="${slot}" or autocomplete="${AUTOCOMPLETE[slot]}"`;
    throw invalidForm(slot, `be marked by ${mark}`);
  };
  const number = need('number');
  const hasNameParts = found.given_name || found.additional_name || found.family_name;
  if (hasNameParts && found.name) throw invalidForm('name', 'occur only once');
  const name = hasNameParts
    ? concat([need('given_name'), found.additional_name ?? [], need('family_name')])
    : need('name');
  const hasExpiryParts = found.exp_month || found.exp_year;
  if (hasExpiryParts && found.expiry) throw invalidForm('expiry', 'occur only once');
  const expiry = hasExpiryParts ? concat([need('exp_month'), need('exp_year')]) : need('expiry');
  return { number, name, expiry, cvv: need('cvv') };
}

function checkControl(element: Element, slot: Slot, mayBeLocked: boolean): Control {
  if (element.hasAttribute(SHARED) && !isShared(element)) {
    throw invalidForm(slot, `not have ${SHARED}: only a name can be shared`);
  }
  if (element.getAttribute('name') && !isShared(element)) {
    const reason = 'without script it would be sent in clear text';
    throw invalidForm(slot, `have no name attribute: ${reason}`);
  }
  if (!isControl(element)) throw invalidForm(slot, 'be an input or select');
  if (element.type === 'number') {
    const advice = 'which loses digits: use inputmode="numeric"';
    throw invalidForm(slot, `not have type="number", ${advice}`);
  }
  if (element.type === 'date') {
    throw invalidForm(slot, 'not have type="date", a card has no day: use type="month" or text');
  }
  if (slot === 'exp_month' && !hasDateOptions(element, slot)) {
    throw invalidForm(slot, 'have options with the values 1 to 12 or 01 to 12');
  }
  if (slot === 'exp_year' && !hasDateOptions(element, slot)) {
    throw invalidForm(slot, 'have options with the values such as 2031 or 31');
  }
  if (!mayBeLocked && !element.willValidate) {
    throw invalidForm(slot, 'not be disabled, read-only or hidden');
  }
  return element;
}

/** One of several boxes of a number: marked explicitly, and too short for a whole number. */
const isPartOfNumber = (control: Control): boolean =>
  control.getAttribute('data-cardseal-field') === 'number' &&
  !isSelect(control) &&
  control.maxLength > 0 &&
  control.maxLength <= 6;

const invalidForm = (slot: Slot, what: string) =>
  new CardEncryptionError('invalid_form', `The card form's ${slot} control must ${what}`);
