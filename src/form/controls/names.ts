import { log } from '../feedback/report.ts';
import { cardControls, isShared } from './slots.ts';

/**
 * G14: how to take off the names that scripts give to controls of the card from now on: the form's
 * data would have their values. A control that has its name already is refused at each press.
 */
export function newNamesOf(form: HTMLFormElement): () => void {
  const named = cardControls(form).filter(hasName);

  return () => {
    for (const control of cardControls(form)) {
      if (isShared(control) || !hasName(control) || named.includes(control)) continue;
      const name = control.getAttribute('name');
      control.removeAttribute('name');
      log('warn', `cardseal: the name ${name} of a card control is removed: it would be sent`);
    }
  };
}

const hasName = (control: Element): boolean => Boolean(control.getAttribute('name'));
