import { ownSite, type Site } from './call-site.ts';
import { watch } from './patch.ts';

/** What could lock a form, as it is before or after a press. */
export interface Snapshot {
  /** All buttons, each with whether it was locked. */
  buttons: Map<Element, boolean>;
  /** The names of global flags that were set. */
  flags: string[];
}

/** Something that a press has locked. */
export interface Lock {
  what: string;
  site?: Site | undefined;
}

const BUTTONS = 'button, input[type=submit], input[type=button], input[type=image]';

/** Names of global variables by which pages count presses, such as `gf_submitting_1`. */
const FLAG = /submit|sending|busy|lock|process|paying|pending|clicked|in_?progress/i;

/** Classes that pages give to a button while they send. */
const LOCKED_CLASS = /(^|[\s_-])(disabled|loading|busy|processing|submitting)($|[\s_-])/i;

/** The code that has disabled a button last. */
const disabledBy = new WeakMap<Element, Site>();

/** Notes which code of the page disables buttons. */
export function watchLocks(): void {
  const note = (button: Element, [value]: unknown[]) => {
    const site = value === false ? undefined : ownSite();
    if (site) disabledBy.set(button, site);
  };
  watch(HTMLButtonElement.prototype, 'disabled', note, 'set');
  watch(HTMLInputElement.prototype, 'disabled', note, 'set');
  watch(Element.prototype, 'setAttribute', (element: Element, [name]) => {
    if (name === 'disabled' || name === 'aria-disabled') note(element, [true]);
  });
}

export function takeSnapshot(roots: (Document | ShadowRoot)[]): Snapshot {
  const buttons = new Map<Element, boolean>();
  for (const root of roots) {
    root.querySelectorAll(BUTTONS).forEach((button) => {
      buttons.set(button, isLocked(button));
    });
  }
  return { buttons, flags: flags() };
}

/** What is locked after a press of a form and was not before. */
export function newLocks(before: Snapshot, after: Snapshot, form: HTMLFormElement): Lock[] {
  const locks: Lock[] = [];
  after.buttons.forEach((isLocked, button) => {
    const isOfForm = (button as HTMLButtonElement).form === form;
    const isCardButton = button.hasAttribute('data-cardseal-button');
    const wasUnlocked = before.buttons.get(button) === false;
    if (!isLocked || !wasUnlocked || !(isOfForm || isCardButton)) return;
    const what = `The button${button.id && ` #${button.id}`} is still locked`;
    locks.push({ what, site: disabledBy.get(button) });
  });
  for (const name of after.flags) {
    const wasSet = before.flags.indexOf(name) >= 0;
    if (!wasSet) locks.push({ what: `The global variable ${name} is still set` });
  }
  return locks;
}

function isLocked(button: Element): boolean {
  const { disabled, style } = button as HTMLButtonElement;
  const isOff = disabled || button.getAttribute('aria-disabled') === 'true';
  return isOff || style.pointerEvents === 'none' || LOCKED_CLASS.test(button.className);
}

const flags = (): string[] =>
  Object.keys(window).filter((name) => {
    if (!FLAG.test(name)) return false;
    const { value } = Object.getOwnPropertyDescriptor(window, name) || {};
    return value === true || value === 1;
  });
