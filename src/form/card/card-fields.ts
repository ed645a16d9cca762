import { CardEncryptionError } from '../../core/index.ts';
import { type CardControls, findFields } from '../controls/fields.ts';
import { newNamesOf } from '../controls/names.ts';
import { requiredOf } from '../controls/required.ts';
import {
  cardControls,
  isReplaced,
  isSelect,
  isShared,
  numberAndCode,
  searchBoxes,
  slotOf,
} from '../controls/slots.ts';
import { log } from '../feedback/report.ts';
import { concat } from '../page/old-browsers.ts';
import { unique } from '../page/unique.ts';
import { hasDigit } from './characters.ts';
import { checkClearText, entriesWith } from './clear-text.ts';
import { type Contents, contentsOf, emptyControls, stillHolding, without } from './empty.ts';
import {
  areAllWhole,
  type CardBytes,
  findProblems,
  holdsNoCard,
  isCleared,
  isSameCard,
  type Problem,
  readCard,
  readNumberDigits,
  zero,
} from './read.ts';

export type CardFields = ReturnType<typeof cardFields>;

/** For how many microtasks fields are emptied again: each component renders in one of its own. */
const TURNS = 100;

/** The fields of a form's card: what they hold now. */
export function cardFields(form: HTMLFormElement, luhn: boolean) {
  /** Every control that a card was read from since the fields were emptied. */
  let readFrom: Element[] = [];
  /** Selects that the shopper does not see: a widget shows what they hold, and so they keep it. */
  let replaced: Element[] = [];
  const removeNewNames = newNamesOf(form);
  let isEmptying = false;
  /**
   * What the fields held before they were emptied or reset, while a framework may bring it back. An
   * event of a control takes it out.
   */
  let contents: Contents = [];

  /** @param mayBeLocked - While a press is under way, the page may lock the fields. */
  const findAndUnname = (mayBeLocked: boolean): CardControls => {
    removeNewNames();
    return findFields(form, mayBeLocked);
  };

  /** Looks at the card in the fields. `false` if the form is not as it must be. */
  const holds = (question: (card: CardBytes, controls: CardControls) => boolean): boolean => {
    try {
      const controls = findAndUnname(true);
      const card = readCard(controls);
      try {
        return question(card, controls);
      } finally {
        zero(card);
      }
    } catch {
      return false;
    }
  };

  /** Also those that a page has replaced, or has taken the mark off, since they were read. */
  const allControls = (): Element[] => unique([readFrom, cardControls(form)]);

  const toEmpty = (): Element[] =>
    allControls().filter((it) => !replaced.includes(it) && !isReplaced(it) && !isShared(it));

  const emptyNow = (controls: Element[]): void => {
    isEmptying = true;
    try {
      emptyControls(controls);
    } finally {
      isEmptying = false;
    }
  };

  /**
   * G12: A page may put the change of each control into the state that it has rendered last. Then
   * only the last change counts, and the other controls soon hold again what they held. React, Vue,
   * Lit and others render in microtasks, so no task of the page finds it.
   */
  const emptyAgain = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn++) {
      await undefined;
      emptyNow(stillHolding(contents));
    }
    contents = [];
  };

  return {
    /**
     * Reads the card, which the caller has to zero, and finds what the shopper has to correct.
     *
     * @throws {@link CardEncryptionError} `invalid_form`.
     */
    read(): { card: CardBytes; problems: Problem[] } {
      const controls = findAndUnname(false);
      checkSearchBoxes(searchBoxes(form));
      const { number, name, expiry, cvv } = controls;
      readFrom = unique([readFrom, number, name, expiry, cvv]);
      replaced = expiry.filter(isReplaced);
      const card = readCard(controls);
      try {
        const problems = findProblems(card, controls, luhn);
        if (problems.length === 0) checkClearText(form, card.number);
        return { card, problems };
      } catch (error) {
        zero(card);
        throw error;
      }
    },
    /** For a name that `encryptCard` has refused. */
    nameProblem: (isTooLong: boolean): Problem[] => [
      {
        problem: isTooLong ? 'name_too_long' : 'name_invalid',
        field: 'name',
        controls: findAndUnname(true).name,
      },
    ],

    /** Whether the fields hold this card. */
    areOfCard: (card: CardBytes): boolean =>
      holds((now, controls) => isSameCard(now, card) && areAllWhole(controls)),
    /** Whether a retry may send the block again: the fields are as the library has emptied them. */
    mayRetry: (): boolean => holds((_, controls) => holdsNoCard(controls)),
    /**
     * Whether code of the page may get the block: nothing of the card stands in what was emptied.
     * This holds, too, if the page has taken the fields out. Selects do not count: see `isCleared`.
     */
    areCleared: (): boolean => cardControls(form).every(isCleared),
    /** Whether the fields hold another card than this one, whole and valid. */
    areOfOther: (card: CardBytes | undefined): boolean =>
      holds((now, controls) => {
        const isOther = !card || !isSameCard(now, card);
        return isOther && findProblems(now, controls, luhn).length === 0;
      }),

    /** An event of a control. Returns whether the shopper or the page has changed the card. */
    noteChange(control: Element): boolean {
      if (isEmptying || !cardControls(form).includes(control)) return false;
      contents = without(contents, [control]); // no framework has brought back what it holds now
      return true;
    },
    /**
     * Whether only an event tells of another card, because the control is not seen empty: one with
     * a shared name was not emptied, and a select may show an option again.
     */
    mayHoldCard: (control: Element): boolean =>
      isShared(control) || (isSelect(control) && hasDigit(control)),

    /** Empties the fields, and what comes back of their contents. */
    empty() {
      if (isEmptying) return; // a listener of the page that calls restart()
      const controls = toEmpty();
      contents = concat([contents, contentsOf(controls)]);
      emptyNow(controls);
      readFrom = [];
      // What a listener has filled at once is left alone: the library does not fight the page.
      contents = without(contents, stillHolding(contents));
      emptyAgain(); // never rejects
    },

    /**
     * A reset must not bring back what a script has written into `value` attributes. Returns how to
     * undo it.
     */
    clearDefaults(): () => void {
      contents = contentsOf(toEmpty());
      const own = cardControls(form).filter((control) => !isShared(control));
      const before = own.map((control) => ({ control, value: control.getAttribute('value') }));
      for (const control of own) control.removeAttribute('value');
      return () => {
        contents = [];
        for (const { control, value } of before) {
          if (value !== null) control.setAttribute('value', value);
        }
      };
    },

    /** Takes `required` off the controls, or puts it back. */
    setRequired: requiredOf(form),

    /** A script may have named or copied a control since it was checked: then the data has it. */
    removeFrom(data: FormData) {
      for (const control of allControls()) {
        const name = control.getAttribute('name');
        if (name && !isShared(control)) data.delete(name);
      }
      removeNewNames();
      // One control, or several boxes. Also if the form is not as it must be.
      const controls = numberAndCode(form).filter((control) => slotOf(control) === 'number');
      const each = controls.map((control) => [control]);
      for (const some of controls.length > 1 ? [controls, ...each] : each) {
        const number = readNumberDigits(some);
        try {
          for (const name of entriesWith(number, data)) {
            data.delete(name);
            log('error', `cardseal: ${name} is not sent, because it holds the card number`);
          }
        } finally {
          number.fill(0);
        }
      }
    },
  };
}

/**
 * G4: A widget leaves the input empty in which it lets a shopper search. A shopper who has typed a
 * date there sees an input of the page, beside a select that the page hides.
 *
 * @throws {@link CardEncryptionError} `invalid_form`.
 */
function checkSearchBoxes(boxes: Element[]): void {
  const typed = boxes.find((box) => (box as HTMLInputElement).value !== '');
  if (!typed) return;
  const slot = slotOf(typed);
  throw new CardEncryptionError(
    'invalid_form',
    `The page shows one ${slot} control and hides another one: mark one of them only`,
  );
}
