import { unclobbered } from '../page/unclobbered.ts';
import { wordsOf } from '../page/words.ts';
import { AUTOCOMPLETE, cardControls, isSelect, isShared, slotOf } from './slots.ts';

/**
 * G7: gives controls the word of `autocomplete` by which browsers keep a card where it belongs.
 * Without it, Chromium and Firefox store in their form history what was typed, the security code
 * included.
 */
export function setAutocomplete(form: HTMLFormElement): void {
  const isOff = unclobbered(form, 'getAttribute')('autocomplete') === 'off';
  for (const control of cardControls(form)) {
    const slot = slotOf(control)!;
    const words = wordsOf((control.getAttribute('autocomplete') ?? '').toLowerCase());
    const isUnset = words.length === 0 ? !isOff : words.includes('on');
    const isKept = words.some((word) => word === 'off' || word === AUTOCOMPLETE[slot]);
    const isSecret = slot === 'cvv' || slot === 'number';
    const isOther = isSecret && words.length > 0 && !isKept; // such as `new-password`
    // No browser keeps the history of a select, and widgets copy the word.
    if (isSelect(control) || isShared(control) || !(isUnset || isOther)) continue;
    control.setAttribute('autocomplete', AUTOCOMPLETE[slot]);
  }
}
