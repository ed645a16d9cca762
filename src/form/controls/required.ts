import { cardControls, isShared } from './slots.ts';

/**
 * F11: how to take `required` off the controls of the card while they are emptied, and how to put
 * it back. Else the browser would refuse a retry with the block, and so would scripts that ask it.
 */
export function requiredOf(form: HTMLFormElement): (isRequired: boolean) => void {
  /** Controls whose `required` is taken off, with what it was. */
  let relaxed: { control: Element; before: string }[] = [];

  return (isRequired) => {
    for (const { control, before } of relaxed) control.setAttribute('required', before);
    relaxed = [];
    if (isRequired) return;
    for (const control of cardControls(form)) {
      const before = control.getAttribute('required');
      if (before === null || isShared(control)) continue;
      control.removeAttribute('required');
      relaxed.push({ control, before });
    }
  };
}
