import { isDispatched } from './event.ts';
import { isSubmitButton } from './submit.ts';

/** An event of the shopper. */
interface ShopperEvent {
  readonly event: Event;
  /** From what was pressed to the window. */
  readonly path: EventTarget[];
}

/** What the shopper has just clicked, or where they have pressed Enter. */
interface Gesture extends ShopperEvent {
  /** Whether the first timer after it has run. Then only a custom element may still submit. */
  isOver: boolean;
  /** Whether it has caused a press. Then no later one is its doing. */
  hasPressed: boolean;
}

let latest: Gesture | undefined;

/** Those whose listeners may still run, such as a key. */
let remembered: ShopperEvent[] = [];

const isRunning = ({ event }: ShopperEvent): boolean => !isDispatched(event);

/** What its listeners do, also in the microtasks after them, is the shopper's doing. */
export function rememberEvent(event: Event, path: EventTarget[]): void {
  remembered.push({ event, path });
  setTimeout(() => {
    remembered = remembered.filter(isRunning);
  });
}

/** The innermost event of the shopper whose listeners run. */
const running = (): ShopperEvent | undefined => remembered.filter(isRunning).pop();

/**
 * Remembers a click or Enter of the shopper, of which the browser may make a submit. It is known
 * for one timer longer: Material Web submits in a timer of its own.
 */
export function rememberGesture(event: Event, path: EventTarget[]): void {
  const own: Gesture = { event, path, isOver: false, hasPressed: false };
  latest = own;
  setTimeout(() => {
    own.isOver = true;
    setTimeout(() => {
      if (latest === own) latest = undefined;
    });
  });
}

/**
 * Whether the browser makes this submit of a click or Enter of the shopper, whose listeners have
 * run. Another task may have begun since, but seldom with a submit of that button or that form.
 */
export function isMadeByBrowser(form: HTMLFormElement, button: HTMLElement | null): boolean {
  if (!latest || latest.isOver || isRunning(latest)) return false;
  const { event, path } = latest;
  if (event.type === 'click') return path.includes(button!);
  return (path[0] as HTMLInputElement).form === form;
}

/** Whether the shopper holds a modifier key: then browsers open the answer in another tab. */
export function isModified(): boolean {
  if (!latest || latest.isOver) return false;
  const { altKey, ctrlKey, metaKey, shiftKey } = latest.event as MouseEvent;
  return altKey || ctrlKey || metaKey || shiftKey;
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

/** A press begins: returns whether an event of the shopper has caused it. */
export function notePress(form: HTMLFormElement, button: HTMLElement | null): boolean {
  const isFirst = latest?.hasPressed === false;
  if (latest) latest.hasPressed = true;
  return (
    running() !== undefined || isMadeByBrowser(form, button) || (isFirst && isOfCustomButton())
  );
}

/** Whether the shopper has clicked a custom element: it may submit in a timer of its own. */
const isOfCustomButton = (): boolean => partsOf(latest).some(isCustomButton);

/**
 * G3: whether the shopper has pressed something that does not pay, such as a coupon button. A
 * custom element submits by a button that it makes up, or without one, so the mark is only found
 * where the shopper has pressed. A submit button of the form has its own marks.
 */
export const isSkipPressed = (): boolean =>
  partsOf(running() ?? (isOfCustomButton() ? latest : undefined)).some(isSkipped);

export const isSkipped = (element: Element): boolean => element.hasAttribute('data-cardseal-skip');

/** The elements that were pressed, innermost first, up to a button of a form or the form. */
function partsOf(pressed: ShopperEvent | undefined): Element[] {
  const path = pressed?.path ?? [];
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
