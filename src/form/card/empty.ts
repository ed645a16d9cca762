import { type Control, isControl, isSelect } from '../controls/slots.ts';
import { createEvent } from '../page/unclobbered.ts';

/**
 * Empties controls as if the shopper had done it, so that everything that keeps a copy of their
 * values (React, Vue, a mask) empties it, too. Also removes the `value` attribute, into which a
 * script of the page may have written: a reset would bring it back.
 */
export function emptyControls(controls: Element[]): void {
  const own = controls.filter(isControl);
  // G12: all of them, before code of the page hears of any.
  for (const control of own) emptyControl(control);
  for (const control of own) {
    emptyControl(control); // React renders the old value again when it hears of another control
    for (const type of ['input', 'change']) {
      const event = createEvent();
      event.initEvent(type, true); // it bubbles
      control.dispatchEvent(event);
    }
  }
}

/** What controls hold that are not empty: the text, or the place of the option of a select. */
export type Contents = { control: Control; content: string | number }[];

export function contentsOf(controls: Element[]): Contents {
  const filled = controls.filter(isControl).filter((control) => !isEmpty(control));
  return filled.map((control) => ({ control, content: contentOf(control) }));
}

const contentOf = (control: Control) => (isSelect(control) ? control.selectedIndex : control.value);

const isEmpty = (control: Control) => ['', -1].includes(contentOf(control));

/** The controls that hold the same as before. */
export const stillHolding = (before: Contents): Control[] =>
  before.filter((it) => contentOf(it.control) === it.content).map(({ control }) => control);

/** The contents of all but some controls. */
export const without = (contents: Contents, controls: Element[]): Contents =>
  contents.filter(({ control }) => !controls.includes(control));

function emptyControl(control: Control): void {
  control.removeAttribute('value');
  if (isSelect(control)) {
    control.selectedIndex = -1;
  } else {
    // React defines a setter on the element. Through that one, React would not notice the change.
    Reflect.set(Object.getPrototypeOf(control), 'value', '', control);
  }
}
