import { readDigits } from '../form/card/characters.ts';
import { holdsNumber } from '../form/card/read.ts';
import { isOfName, slotOf } from '../form/controls/slots.ts';
import { concat } from '../form/page/old-browsers.ts';
import { tellingNames } from './code-names.ts';
import { searcher, type TestCard } from './search.ts';

export type TypedControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The controls of one card, as far as they are there. */
export interface CardControls {
  number: TypedControl[];
  name: TypedControl[];
  code: TypedControl[];
}

/** How many cards are remembered: a page may send the first one after the second was typed. */
const REMEMBERED = 4;

/**
 * Reads which test card stands in the page, and remembers it: the page may keep a copy and send it
 * when the controls are empty again.
 *
 * @param onOtherNumber - Called if there is a card number that is no test number. As long as it is
 * there, no card is known.
 */
export function cardReader(testNumbers: Set<string>, onOtherNumber: () => void) {
  /** The document, and the shadow roots that the shopper has used. */
  const roots: (Document | ShadowRoot)[] = [document];
  let cards: (TestCard & { find: ReturnType<typeof searcher> })[] = [];
  let isOff = false;

  function read(): void {
    const all = allControls(roots);
    const found = findCards(all, testNumbers);
    isOff = found.some(({ number }) => holdsOtherNumber(all, number, testNumbers));
    if (isOff) {
      cards = [];
      onOtherNumber();
    } else {
      for (const controls of found) remember(controls, all);
    }
  }

  function remember(controls: CardControls, all: TypedControl[]): void {
    const number = digitsOf(controls.number);
    if (!testNumbers.has(number)) return;
    const code = digitsOf(controls.code);
    const typed = textOf(controls.code).trim();
    const card: TestCard = {
      number,
      typed: controls.number.map(({ value }) => value),
      codes: /^\d{3,4}$/.test(code) ? [code].concat(typed === code ? [] : typed) : [],
      codeNames: concat(controls.code.map(({ id, name }) => [id, name])),
      name: nameOf(controls, all),
    };
    // Read again while the shopper fills in the rest, it is still the same card.
    const before = cards.find((it) => it.number === number);
    if (before && !card.codes.length) card.codes = before.codes;
    if (before && !card.name) card.name = before.name;
    if (JSON.stringify(before) === JSON.stringify(card)) return;
    cards = cards
      .filter((it) => it !== before)
      .concat({ ...card, find: searcher(card) })
      .slice(-REMEMBERED);
  }

  return {
    read,
    /** Takes note of the shadow roots that an event comes from, and returns the new ones. */
    note(event: Event): ShadowRoot[] {
      const used = event.composedPath().filter(isShadowRoot);
      const added = used.filter((root) => !roots.includes(root));
      roots.push(...added);
      return added;
    },
    /** The test cards that stand in the page now, or did; none if another number is there. */
    cards: () => cards,
    /** Whether another number is there: then nothing is looked at. */
    isOff: () => isOff,
    /** The controls of the card in a form. */
    controls(form: HTMLFormElement): CardControls {
      const found = findCards(allControls(roots), testNumbers);
      const own = found.length > 1 ? found.find((it) => it.number[0]!.form === form) : found[0];
      return own || { number: [], name: [], code: [] };
    },
    roots: () => roots,
  };
}

/** Of what an event passes on its way to the window. Firefox 60 knows no `ShadowRoot`. */
export const isShadowRoot = (target: unknown): target is ShadowRoot =>
  target instanceof DocumentFragment;

export type CardReader = ReturnType<typeof cardReader>;

const NO_TEXT = 'checkbox radio submit button image reset file range color'.split(' ');

function allControls(roots: (Document | ShadowRoot)[]): TypedControl[] {
  const found: TypedControl[] = [];
  for (const root of roots) {
    for (const control of root.querySelectorAll<TypedControl>('input, select, textarea')) {
      if (!NO_TEXT.includes(control.type)) found.push(control);
    }
  }
  return found;
}

/** Ids and names of the holder's control in pages without marks. */
const HOLDER = /holder|owner|name.?on.?card|card.?name|cc.?name|name.?card/i;

const isTellingCode = tellingNames([]);

/** Finds the controls of each card: one in each form, if marked numbers stand in several. */
function findCards(all: TypedControl[], testNumbers: Set<string>): CardControls[] {
  const numbers = filledIn('number', all);
  const forms = new Set(numbers.map(({ form }) => form));
  if (forms.size < 2) return [findCard(all, numbers, testNumbers)];
  return [...forms].map((form) => {
    const isOfForm = (control: TypedControl) => control.form === form;
    return findCard(all.filter(isOfForm), numbers.filter(isOfForm), testNumbers);
  });
}

const filledIn = (slot: 'number' | 'cvv', controls: TypedControl[]) =>
  controls.filter((control) => slotOf(control) === slot && isFilled(control));

/** Finds a card's controls by their marks, or else by their values and names. */
function findCard(
  all: TypedControl[],
  numbers: TypedControl[],
  testNumbers: Set<string>,
): CardControls {
  const named = (test: (name: string) => boolean) =>
    all.filter((it) => it.type !== 'hidden' && (test(it.id) || test(it.name)));
  const or = (first: TypedControl[], second: () => TypedControl[]) =>
    first.length ? first : second();
  return {
    number: or(numbers, () => byContent(all, testNumbers)),
    name: or(all.filter(isOfName), () => named((name) => HOLDER.test(name))),
    code: or(filledIn('cvv', all), () => named(isTellingCode).filter(isFilled)),
  };
}

/** One control, or neighbours with a part each, in which a test number stands. */
function byContent(all: TypedControl[], testNumbers: Set<string>): TypedControl[] {
  const visible = all.filter(({ type }) => type !== 'hidden');
  for (const start of visible.keys()) {
    for (let count = 1; count <= 5; count++) {
      const some = visible.slice(start, start + count);
      if (!some.every(hasOnlyDigits)) break;
      if (testNumbers.has(digitsOf(some))) return some;
    }
  }
  return [];
}

/**
 * Whether the page holds a card number that is not a test number: in the marked controls, or as the
 * whole value of any other control, visible or not. A mistyped number, with a wrong check digit,
 * does not count. Nor does one that is being typed: the beginning of a test number, or boxes in
 * which the shopper is, which may hold parts of two numbers.
 */
function holdsOtherNumber(
  all: TypedControl[],
  marked: TypedControl[],
  testNumbers: Set<string>,
): boolean {
  const numbers = all.filter(hasOnlyDigits).map((it) => digitsOf([it]));
  const isInBoxes = marked.length > 1;
  if (!isInBoxes || !marked.some(hasFocus)) numbers.push(digitsOf(marked));
  const isTest = (number: string) => [...testNumbers].some((test) => test.startsWith(number));
  return numbers.some((number) => isCardNumber(number) && !isTest(number));
}

const hasFocus = (control: TypedControl): boolean =>
  (control.getRootNode() as Document | ShadowRoot).activeElement === control;

/** A number of 13 digits that begins with 1 is a time in milliseconds. */
const isCardNumber = (digits: string): boolean =>
  digits.length <= 19 && holdsNumber(digits) && !/^1\d{12}$/.test(digits);

/** The name on the card, unless it stands elsewhere, too, as in the billing address. */
function nameOf(controls: CardControls, all: TypedControl[]): string {
  const own = controls.name.filter((control) => !control.hasAttribute('data-cardseal-shared'));
  const name = own.map(({ value }) => value.trim()).join(' ');
  if (!/\S\s+\S/.test(name)) return '';
  const others = all.filter((control) => !own.includes(control));
  const words = name.toLowerCase().split(/\s+/);
  const isElsewhere = others.some(({ value }) => words.includes(value.trim().toLowerCase()));
  const isWhole = others.some(({ value }) => value.toLowerCase().includes(name.toLowerCase()));
  return isElsewhere || isWhole || own.length < controls.name.length ? '' : name;
}

const isFilled = ({ value }: TypedControl): boolean => value.trim() !== '';

const textOf = (controls: TypedControl[]): string => controls.map(({ value }) => value).join('');

/** The digits of any script, as ASCII digits. */
const digitsOf = (controls: TypedControl[]): string =>
  concat(controls.map(({ value }) => readDigits(value))).join('');

/** No number is longer, with a gap after each digit. */
const LONGEST_NUMBER = 40;

/** It looks no further than the first other character: digits of other scripts take time. */
const hasOnlyDigits = ({ value }: TypedControl): boolean =>
  value.length <= LONGEST_NUMBER &&
  [...value].every((char) => readDigits(char).indexOf(undefined) < 0);
