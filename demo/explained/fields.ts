import type { LayoutField } from 'cardseal';

/** One field of the plaintext as it would be encrypted now. */
export interface Field {
  field: LayoutField;
  /** As people count: an accent or an emoji is part of one character. */
  characters: string[];
  /** Of UTF-8. */
  bytes: number;
}

const CONTROLS: [field: LayoutField, token: string, clean: (text: string) => string][] = [
  ['Pan', 'cc-number', digits],
  ['Name', 'cc-name', (text) => text.trim()],
  ['ExpMonth', 'cc-exp', (text) => digits(text).slice(0, 2)],
  ['ExpYear', 'cc-exp', yearIn],
  ['Cvc', 'cc-csc', digits],
];

/** The five fields in the order of the plaintext, as they stand in the form. */
export function readFields(form: HTMLFormElement): Field[] {
  return CONTROLS.map(([field, token, clean]) => {
    const text = clean(cardControl(form, token).value);
    return { field, characters: split(text), bytes: new TextEncoder().encode(text).length };
  });
}

export function cardControl(form: HTMLFormElement, token: string): HTMLInputElement {
  return form.querySelector(`[autocomplete~=${token}]`)!;
}

function digits(text: string): string {
  return [...text].filter((character) => character >= '0' && character <= '9').join('');
}

/** As it is encrypted: with four digits. */
function yearIn(expiry: string): string {
  const year = digits(expiry).slice(2);
  return year.length === 2 ? `20${year}` : year;
}

function split(text: string): string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
