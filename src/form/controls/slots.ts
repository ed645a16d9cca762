import { isSeen } from '../page/is-rendered.ts';
import { elementsOf } from '../page/unclobbered.ts';
import { wordsOf } from '../page/words.ts';

export type Control = HTMLInputElement | HTMLSelectElement;

/**
 * What a control can hold: the words of `data-cardseal-field`, and those of `autocomplete` that
 * count where a control has no such attribute (HTML, 4.10.18.7).
 */
export const AUTOCOMPLETE = {
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
export type Slot = keyof typeof AUTOCOMPLETE;
const SLOTS = Object.keys(AUTOCOMPLETE) as Slot[];
const NAME_SLOTS: Slot[] = ['name', 'given_name', 'additional_name', 'family_name'];

/** Every control of the form that is marked as one of the card's, whatever is wrong with it. */
export function cardControls(form: HTMLFormElement): Element[] {
  const marked = markedIn(form);
  return marked.filter((element) => !isSearchBox(element, marked));
}

/** The inputs of widgets that stand in for a select of the card. */
export function searchBoxes(form: HTMLFormElement): Element[] {
  const marked = markedIn(form);
  return marked.filter((element) => isSearchBox(element, marked));
}

const markedIn = (form: HTMLFormElement): Element[] =>
  elementsOf(form).filter((element) => slotOf(element));

/** G4: the input of a widget such as Tom Select copies `autocomplete` from the select behind it. */
const isSearchBox = (element: Element, marked: Element[]): boolean =>
  !isSelect(element) &&
  !element.hasAttribute('data-cardseal-field') &&
  !element.getAttribute('name') &&
  marked.some((other) => slotOf(other) === slotOf(element) && isReplaced(other));

/** What a control is marked to hold. */
export function slotOf(element: Element): Slot | undefined {
  const marked = element.getAttribute('data-cardseal-field');
  if (marked !== null) return SLOTS.find((slot) => slot === marked);
  const tokens = wordsOf((element.getAttribute('autocomplete') ?? '').toLowerCase());
  return SLOTS.find((slot) => tokens.includes(AUTOCOMPLETE[slot]));
}

/** The controls of number and code, which tell whether a shopper can see the card's fields. */
export const numberAndCode = (form: HTMLFormElement): Control[] =>
  cardControls(form).filter((control): control is Control => {
    const slot = slotOf(control);
    return isControl(control) && (slot === 'number' || slot === 'cvv');
  });

/** Whether every field of the card has a control, whatever is wrong with it. */
export function isMarked(form: HTMLFormElement): boolean {
  const slots = cardControls(form).map(slotOf);
  const has = (...some: Slot[]) => some.some((slot) => slots.includes(slot));
  return has('number') && has('cvv') && has(...NAME_SLOTS) && has('expiry', 'exp_month');
}

/**
 * G4: whether a widget stands in for a select, and shows what was chosen there: the select cannot
 * be seen where its surroundings can. So hiding alone counts. Most widgets do not hear that the
 * select is empty: they would go on showing a date that the form does not have.
 */
export const isReplaced = (control: Element): boolean =>
  isSelect(control) && !isSeen(control) && isSeen(control.parentElement ?? control);

/** Not by `instanceof`: the form may belong to another window. */
export const isControl = (element: Element): element is Control =>
  element.localName === 'input' || element.localName === 'select';

export const isSelect = (element: Element): element is HTMLSelectElement =>
  element.localName === 'select';

export const SHARED = 'data-cardseal-shared';

/** A name that is also the shop's own field: it is sent in clear text and never emptied. */
export const isShared = (control: Element): boolean =>
  control.hasAttribute(SHARED) && isOfName(control);

/** Whether a control is for the name, or a part of it. */
export const isOfName = (control: Element): boolean =>
  NAME_SLOTS.some((slot) => slot === slotOf(control));
