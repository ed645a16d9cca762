import { concat } from './concat.ts';
import {
  type CardControls,
  cardControls,
  emptyControls,
  findFields,
  isSelect,
  isShared,
} from './fields.ts';
import {
  type CardBytes,
  findProblems,
  hasDigit,
  holdsNoCard,
  isCleared,
  isSameCard,
  type Problem,
  readCard,
  zero,
} from './read.ts';

export type CardFields = ReturnType<typeof cardFields>;

/** The fields of a form's card: what they hold now. */
export function cardFields(form: HTMLFormElement, luhn: boolean) {
  /** Every control that a card was read from since the fields were emptied. */
  const readFrom = new Set<Element>();
  /** Controls whose `required` is taken off, with what it was. */
  const relaxed = new Map<Element, string>();
  let isEmptying = false;

  /** Looks at the card in the fields. `false` if the form is not as it must be. */
  const ask = (question: (card: CardBytes, controls: CardControls) => boolean): boolean => {
    try {
      const controls = findFields(form, true); // a page may lock the fields while it sends them
      const card = readCard(controls);
      const answer = question(card, controls);
      zero(card);
      return answer;
    } catch {
      return false;
    }
  };

  return {
    /**
     * Reads the card, which the caller has to zero, and finds what the shopper has to correct.
     *
     * @throws {@link CardEncryptionError} `invalid_form`.
     */
    read(): { card: CardBytes; problems: Problem[] } {
      const controls = findFields(form);
      const { number, name, expiry, cvv } = controls;
      for (const control of concat([number, name, expiry, cvv])) readFrom.add(control);
      const card = readCard(controls);
      return { card, problems: findProblems(card, controls, luhn) };
    },
    /** For a name that `encryptCard` has refused. */
    nameProblem: (isTooLong: boolean): Problem[] => [
      {
        problem: isTooLong ? 'name_too_long' : 'name_invalid',
        field: 'name',
        controls: findFields(form).name,
      },
    ],

    /** Whether the fields hold this card. */
    hold: (card: CardBytes): boolean => ask((now) => isSameCard(now, card)),
    /** Whether the fields are as the library has emptied them. */
    areEmpty: (): boolean => ask((_, controls) => holdsNoCard(controls)),
    /** Whether nothing of a card stands in the fields. A page may have taken them out. */
    areCleared: (): boolean => cardControls(form).every(isCleared),
    /** Whether the fields hold another card than this one, whole and valid. */
    holdOther: (card: CardBytes | undefined): boolean =>
      ask((now, controls) => {
        const isOther = !card || !isSameCard(now, card);
        return isOther && findProblems(now, controls, luhn).length === 0;
      }),

    /** Whether the control is one of the card's, and not just being emptied. */
    include: (control: Element): boolean => !isEmptying && cardControls(form).includes(control),
    /**
     * Whether nothing tells if an emptied control has changed: a shared name was not emptied, and a
     * select may show an option again.
     */
    mayHoldCard: (control: Element): boolean =>
      isShared(control) || (isSelect(control) && hasDigit(control)),

    /** Empties the fields, also those that a page has replaced since they were read. */
    empty() {
      if (isEmptying) return; // a listener of the page that calls restart()
      isEmptying = true;
      try {
        emptyControls(new Set([...readFrom, ...cardControls(form)]));
      } finally {
        isEmptying = false;
      }
      readFrom.clear();
    },

    /**
     * A reset must not bring back what a script has written into `value` attributes. Returns how to
     * undo it.
     */
    clearDefaults(): () => void {
      const removed = new Map<Element, string>();
      for (const control of cardControls(form)) {
        const value = control.getAttribute('value');
        if (value !== null && !isShared(control)) removed.set(control, value);
      }
      for (const control of removed.keys()) control.removeAttribute('value');
      return () => {
        for (const [control, value] of removed) control.setAttribute('value', value);
      };
    },

    /** Takes `required` off the controls, or puts it back. */
    setRequired(isRequired: boolean) {
      for (const [control, value] of relaxed) control.setAttribute('required', value);
      relaxed.clear();
      if (isRequired) return;
      for (const control of cardControls(form)) {
        const value = control.getAttribute('required');
        if (value === null || isShared(control)) continue;
        control.removeAttribute('required');
        relaxed.set(control, value);
      }
    },

    /** A script may have named a control since it was checked: then the data has its value. */
    removeFrom(data: FormData) {
      for (const control of cardControls(form)) {
        const name = control.getAttribute('name');
        if (name && !isShared(control)) data.delete(name);
      }
    },
  };
}
