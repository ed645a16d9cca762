import { ownProperty } from '../../core/own-property.ts';
import { log } from './report.ts';

/** Everything that the shopper can be asked to correct. */
export type CardProblem =
  /** The number is empty. */
  | 'number_required'
  /** The number does not have 12 to 19 digits, or its check digit is wrong. */
  | 'number_invalid'
  /** The name is empty. */
  | 'name_required'
  /** The name has control characters, or is broken text. */
  | 'name_invalid'
  /** The name does not fit the key. */
  | 'name_too_long'
  /** The expiry date, or a part of it, is empty. */
  | 'expiry_required'
  /** The expiry date is not a month and a year. */
  | 'expiry_invalid'
  /** The month is over in every time zone. */
  | 'expiry_past'
  /** The security code is empty. */
  | 'cvv_required'
  /** The security code does not have 3 or 4 digits. */
  | 'cvv_invalid';

/** What the shopper reads when they cannot correct the problem. */
export type FormProblem =
  /** The page or the browser cannot encrypt a card. */
  | 'payment_unavailable'
  /** The page's only key is used up or does not work. */
  | 'reload_page'
  /** Another press may succeed; if none does, a reload tells why. */
  | 'press_again'
  /** The form was sent, and the answer has not come yet. */
  | 'payment_under_way'
  /** The press waits, for example for the key. */
  | 'one_moment'
  /** The card may have been sent. Another press with the same card sends the same block. */
  | 'no_answer';

/**
 * The default texts. None of them says that nothing was sent: a script of the page may read the
 * block from its input without any event, so nobody can know (G13).
 */
export const ENGLISH: Record<CardProblem | FormProblem, string> = {
  number_required: 'Enter the card number',
  number_invalid: 'Check the card number',
  name_required: 'Enter the name on the card',
  name_invalid: 'Check the name on the card',
  name_too_long: 'Shorten the name on the card',
  expiry_required: 'Enter the expiry date',
  expiry_invalid: 'Check the expiry date',
  expiry_past: 'The card has expired',
  cvv_required: 'Enter the security code',
  cvv_invalid: 'Check the security code',
  payment_unavailable: 'Card payment is not available at the moment.',
  reload_page: 'Reload the page and enter the card again.',
  press_again: 'Press the button again.',
  payment_under_way: 'Your payment is under way. Please wait.',
  one_moment: 'One moment, please.',
  no_answer: 'There is no answer yet. Press the button again.',
};

/** The shop's own texts. */
export type Messages = Partial<Record<CardProblem | FormProblem, string | undefined>>;

/** Finds the text for a problem. */
export type Texts = (problem: CardProblem | FormProblem) => string;

/** The shop's texts, with the English ones for those that are missing. */
export function textsOf(given: Messages | undefined): Texts {
  const messages = given ?? {};
  for (const problem of Object.keys(messages)) {
    if (!isProblem(problem)) log('warn', `cardseal has no message named ${problem}`);
  }
  return (problem) => {
    const own: unknown = ownProperty(messages, problem).value;
    return typeof own === 'string' && own !== '' ? own : ENGLISH[problem];
  };
}

const isProblem = (name: string) => Object.keys(ENGLISH).includes(name);
