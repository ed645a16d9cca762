import { cardControls, isShared } from './slots.ts';

/**
 * F11: how to take `required` off the controls of the card while they are emptied, and how to put
 * it back. Else the browser would refuse a retry with the block, and so would scripts that ask it.
 */
export function requiredOf(form: HTMLFormElement): (isRequired: boolean) => void {
  /** Controls whose `required` is taken off, with what it was. */
  const relaxed = new Map<Element, string>();

  return (isRequired) => {
    for (const [control, value] of relaxed) control.setAttribute('required', value);
    relaxed.clear();
    if (isRequired) return;
    for (const control of cardControls(form)) {
      const value = control.getAttribute('required');
      if (value === null || isShared(control)) continue;
      control.removeAttribute('required');
      relaxed.set(control, value);
    }
  };
}
