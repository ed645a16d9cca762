import { type Control, isControl, isSelect, isShared } from '../controls/slots.ts';

/**
 * Empties controls as if the shopper had done it, so that everything that keeps a copy of their
 * values (React, Vue, a mask) empties it, too. Also removes the `value` attribute, into which a
 * script of the page may have written: a reset would bring it back.
 */
export function emptyControls(controls: Iterable<Element>): void {
  const own = [...controls].filter(
    (control): control is Control => isControl(control) && !isShared(control),
  );
  // G12: all of them, before code of the page hears of any.
  for (const control of own) emptyControl(control);
  for (const control of own) {
    emptyControl(control); // React renders the old value again when it hears of another control
    for (const type of ['input', 'change']) {
      control.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

function emptyControl(control: Control): void {
  control.removeAttribute('value');
  if (isSelect(control)) {
    control.selectedIndex = -1;
  } else {
    // React defines a setter on the element. Through that one, React would not notice the change.
    Reflect.set(HTMLInputElement.prototype, 'value', '', control);
  }
}
