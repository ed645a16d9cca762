import { isSubmitButton } from './submit.ts';

/** What the shopper has just clicked, or where they have pressed Enter. */
interface Gesture {
  /** From what was pressed to the window. */
  readonly path: EventTarget[];
  /** Whether its task is over. Then only a custom element may still submit because of it. */
  isOver: boolean;
  /** Whether it has caused a press. Then no later task is its doing. */
  hasPressed: boolean;
}

let latest: Gesture | undefined;

/** Any other event of the shopper, such as a key. It counts only while its listeners run. */
let other: { readonly event: Event; readonly path: EventTarget[] } | undefined;

export function rememberEvent(event: Event, path: EventTarget[]): void {
  const own = { event, path };
  other = own;
  setTimeout(() => {
    if (other === own) other = undefined;
  });
}

const isOtherRunning = (): boolean => other !== undefined && other.event.eventPhase !== 0; // NONE

/**
 * Remembers a click or Enter of the shopper. What happens in its task is the shopper's doing. What
 * was pressed is known for one timer longer: Material Web submits in a timer of its own.
 */
export function rememberGesture(path: EventTarget[]): void {
  const own: Gesture = { path, isOver: false, hasPressed: false };
  latest = own;
  setTimeout(() => {
    own.isOver = true;
    setTimeout(() => {
      if (latest === own) latest = undefined;
    });
  });
}

/** Runs what the library does by itself: no gesture of the shopper has caused it. */
export function withoutGesture(action: () => void): void {
  const before = latest;
  latest = undefined;
  try {
    action();
  } finally {
    latest ??= before;
  }
}

/**
 * A press begins: returns whether an event of the shopper has caused it. `onEncrypted` may submit in
 * the timer after their click, and that is not their doing: the click has caused its press before.
 */
export function notePress(): boolean {
  if (isOtherRunning()) return true;
  if (!latest) return false;
  const isLate = latest.isOver;
  const isFirst = !latest.hasPressed;
  latest.hasPressed = true;
  return !isLate || (isFirst && pressedParts().some(isCustomButton));
}

/**
 * G3: whether the shopper has pressed something that does not pay, such as a coupon button. A
 * custom element submits by a button that it makes up, or without one, so the mark is only found
 * where the shopper has pressed. A submit button of the form has its own marks.
 */
export const isSkipPressed = (): boolean => pressedParts().some(isSkipped);

export const isSkipped = (element: Element): boolean => element.hasAttribute('data-cardseal-skip');

/** The elements that were pressed, innermost first, up to a button of a form or the form. */
function pressedParts(): Element[] {
  const path = (isOtherRunning() ? other : latest)?.path ?? [];
  const elements = path.filter((target): target is Element => (target as Element).nodeType === 1);
  const end = elements.findIndex((it) => it.localName === 'form' || isButtonOfForm(it));
  return end < 0 ? elements : elements.slice(0, end);
}

/** The button in the shadow root of a custom element has no form. */
const isButtonOfForm = (element: Element): boolean =>
  isSubmitButton(element) && element.form !== null;

/** A custom element that says of itself that it submits. */
const isCustomButton = (element: Element): boolean =>
  element.localName.includes('-') && (element as HTMLButtonElement).type === 'submit';
