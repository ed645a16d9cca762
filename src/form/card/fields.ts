import { CardEncryptionError } from '../../core/index.ts';
import { isRendered, isSeen } from '../page/is-rendered.ts';
import { concat } from '../page/old-browsers.ts';
import { elementsOf, unclobbered } from '../page/unclobbered.ts';
import { wordsOf } from './characters.ts';
import { areDateOptions } from './dates.ts';

export type Control = HTMLInputElement | HTMLSelectElement;

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
 * What a control can hold: the words of `data-cardseal-field`, and those of `autocomplete` that
 * count where a control has no such attribute (HTML, 4.10.18.7).
 */
const AUTOCOMPLETE = {
  number: 'cc-number',
  name: 'cc-name',
  given_name: 'cc-given-name',
  additional_name: 'cc-additional-name',
  family_name: 'cc-family-name',
  expiry: 'cc-exp',
  exp_month: 'cc-exp-month',
  exp_year: 'cc-exp-year',
  cvv: 'cc-csc',
};
type Slot = keyof typeof AUTOCOMPLETE;
const SLOTS = Object.keys(AUTOCOMPLETE) as Slot[];
const NAME_SLOTS: Slot[] = ['name', 'given_name', 'additional_name', 'family_name'];

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

function hasDateOptions(control: Control, slot: 'exp_month' | 'exp_year'): boolean {
  if (!isSelect(control)) return true; // an input may hold anything
  const values = [...control.options].map(({ value }) => value);
  return areDateOptions(slot, values);
}

const SHARED = 'data-cardseal-shared';

/** A name that is also the shop's own field: it is sent in clear text and never emptied. */
export const isShared = (control: Element): boolean =>
  control.hasAttribute(SHARED) && isOfName(control);

/** Whether a control is for the name, or a part of it. */
export const isOfName = (control: Element): boolean =>
  NAME_SLOTS.some((slot) => slot === slotOf(control));

/** One of several boxes of a number: marked explicitly, and too short for a whole number. */
const isPartOfNumber = (control: Control): boolean =>
  control.getAttribute('data-cardseal-field') === 'number' &&
  !isSelect(control) &&
  control.maxLength > 0 &&
  control.maxLength <= 6;

/**
 * G7: gives controls the word of `autocomplete` by which browsers keep a card where it belongs. Without
 * it, Chromium and Firefox store in their form history what was typed, the security code included.
 */
export function setAutocomplete(form: HTMLFormElement): void {
  const isOff = unclobbered(form, 'getAttribute')('autocomplete') === 'off';
  for (const control of cardControls(form)) {
    const slot = slotOf(control)!;
    const words = wordsOf((control.getAttribute('autocomplete') ?? '').toLowerCase());
    const isUnset = words.length === 0 ? !isOff : words.includes('on');
    const isKept = words.some((word) => word === 'off' || word === AUTOCOMPLETE[slot]);
    const isOther = slot === 'cvv' && words.length > 0 && !isKept;
    // No browser keeps the history of a select, and widgets copy the word.
    if (isSelect(control) || isShared(control) || !(isUnset || isOther)) continue;
    control.setAttribute('autocomplete', AUTOCOMPLETE[slot]);
  }
}

/** Whether every field of the card has a control, whatever is wrong with it. */
export function isMarked(form: HTMLFormElement): boolean {
  const slots = cardControls(form).map(slotOf);
  const has = (...some: Slot[]) => some.some((slot) => slots.includes(slot));
  return has('number') && has('cvv') && has(...NAME_SLOTS) && has('expiry', 'exp_month');
}

/** Every control of the form that is marked as one of the card's, whatever is wrong with it. */
export function cardControls(form: HTMLFormElement): Element[] {
  const marked = elementsOf(form).filter((element) => slotOf(element));
  return marked.filter((element) => !isSearchBox(element, marked));
}

/** G4: the input of a widget such as Tom Select copies `autocomplete` from the select it replaces. */
const isSearchBox = (element: Element, marked: Element[]): boolean =>
  !isSelect(element) &&
  !element.hasAttribute('data-cardseal-field') &&
  !element.getAttribute('name') &&
  marked.some((other) => isSelect(other) && slotOf(other) === slotOf(element));

/** The controls of number and code, which tell whether a shopper can see the card's fields. */
export const numberAndCode = (form: HTMLFormElement): Control[] =>
  cardControls(form).filter((control): control is Control => {
    const slot = slotOf(control);
    return isControl(control) && (slot === 'number' || slot === 'cvv');
  });

/** What a control is marked to hold. */
export function slotOf(element: Element): Slot | undefined {
  const marked = element.getAttribute('data-cardseal-field');
  if (marked !== null) return SLOTS.find((slot) => slot === marked);
  const tokens = wordsOf((element.getAttribute('autocomplete') ?? '').toLowerCase());
  return SLOTS.find((slot) => tokens.includes(AUTOCOMPLETE[slot]));
}

/**
 * Empties controls as if the shopper had done it, so that everything that keeps a copy of their
 * values (React, Vue, a mask) empties it, too. Also removes the `value` attribute, into which a
 * script of the page may have written: a reset would bring it back.
 */
export function emptyControls(controls: Iterable<Element>): void {
  const own = [...controls].filter(
    (control): control is Control => isControl(control) && !isShared(control),
  );
  // G12: all of them, before code of the page hears of any.
  for (const control of own) emptyControl(control);
  for (const control of own) {
    emptyControl(control); // React renders the old value again when it hears of another control
    for (const type of ['input', 'change']) {
      control.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

function emptyControl(control: Control): void {
  control.removeAttribute('value');
  if (isSelect(control)) {
    control.selectedIndex = -1;
  } else {
    // React defines a setter on the element. Through that one, React would not notice the change.
    Reflect.set(HTMLInputElement.prototype, 'value', '', control);
  }
}

/**
 * G4: whether a widget stands in for a select, and shows what was chosen there. Most widgets do not hear
 * that the select is empty: they would go on showing a date that the form does not have.
 */
export const isReplaced = (control: Element): boolean =>
  isSelect(control) && !isSeen(control) && isRendered(control.parentElement ?? control);

/** Not by `instanceof`: the form may belong to another window. */
export const isControl = (element: Element): element is Control =>
  element.localName === 'input' || element.localName === 'select';

export const isSelect = (element: Element): element is HTMLSelectElement =>
  element.localName === 'select';

const invalidForm = (slot: Slot, what: string) =>
  new CardEncryptionError('invalid_form', `The card form's ${slot} control must ${what}`);
