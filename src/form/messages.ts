import type { CardField } from '../index.ts';
import { type Control, cardControls } from './fields.ts';
import { own } from './own.ts';

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

const MESSAGES: Record<CardProblem, string> = {
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
};

/** Says what is wrong with the card by the platform's own means. A message of ours is gone when the shopper corrects its control, or by `clear`. */
export function cardMessages(form: HTMLFormElement, texts: Partial<Record<CardProblem, string>> | undefined) {
  const shown = new Map<Element, () => void>();
  const clear = () => {
    for (const remove of shown.values()) remove();
  };
  const show = ({ problem, controls }: Problem) => {
    const listening = new AbortController();
    const before = controls.map((control) => control.getAttribute('aria-invalid'));
    const remove = () => {
      listening.abort();
      controls.forEach((control, i) => {
        shown.delete(control);
        control.setCustomValidity('');
        if (before[i] == null) control.removeAttribute('aria-invalid');
        else control.setAttribute('aria-invalid', before[i]);
      });
    };
    for (const control of controls) {
      shown.set(control, remove);
      control.setCustomValidity(texts?.[problem] || MESSAGES[problem]);
      control.setAttribute('aria-invalid', 'true');
      for (const type of ['input', 'change']) control.addEventListener(type, remove, listening);
    }
  };
  return {
    clear,
    /** Shows the problems and has the browser report the first; also what is wrong with the page's own controls, unless the page checks these itself. */
    report(problems: Problem[], onlyCard: boolean): boolean {
      clear();
      problems.forEach(show);
      if (!onlyCard) return own(form, 'reportValidity')() && !problems.length;
      const bad = cardControls(form).filter((control) => shown.has(control)) as Control[];
      for (const control of bad) control === bad[0] ? control.reportValidity() : control.checkValidity();
      return !problems.length;
    },
  };
}
