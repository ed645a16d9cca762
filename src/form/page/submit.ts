import { requestSubmitOf } from './old-browsers.ts';
import { createElement, elementsOf, unclobbered } from './unclobbered.ts';

/** A button that submits; it may be an `<input>`. */
export type Button = HTMLButtonElement | HTMLInputElement;

/** Whether an element submits a form when it is clicked. */
export function isSubmitButton(element: Element): element is Button {
  const name = element.localName;
  if (name !== 'button' && name !== 'input') return false;
  const { type } = element as Button;
  return type === 'submit' || type === 'image';
}

/** The buttons that submit the form. `elements` leaves out those that are images. */
export function submitButtons(form: HTMLFormElement): Button[] {
  const images = unclobbered(form, 'querySelectorAll')<HTMLInputElement>('input[type=image]');
  return [...elementsOf(form).filter(isSubmitButton), ...images];
}

/** Where a submit goes: an absolute URL, or a text that is no URL. */
export const formAction = (form: HTMLFormElement, submitter: HTMLElement | null): string =>
  submitter?.hasAttribute('formaction')
    ? (submitter as Button).formAction
    : unclobbered(form, 'action');

/** How a submit is sent: `get`, `post` or `dialog`. A button without `formmethod` has `''`. */
export const methodOf = (form: HTMLFormElement, submitter: HTMLElement | null): string =>
  (submitter as Button | null)?.formMethod || unclobbered(form, 'method');

/** In which page or frame the answer of a submit is shown. */
export function targetOf(form: HTMLFormElement, submitter: HTMLElement | null): string {
  const base = document.querySelector('base[target]');
  const own = submitter?.getAttribute('formtarget') ?? unclobbered(form, 'getAttribute')('target');
  return own ?? base?.getAttribute('target') ?? '';
}

/** Submits the form again, as its button did. */
export function submitAgain(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const button = submitter as Button | null;
  const requestSubmit = requestSubmitOf(form);
  // A page may disable or replace its button while it waits, or make it one that does not submit.
  const isOurs = button?.form === form && isSubmitButton(button);
  const canSubmit = !button || (isOurs && !button.matches(':disabled'));
  if (requestSubmit && canSubmit) requestSubmit(button);
  else clickStandIn(form, button);
}

/**
 * Clicks a hidden button that sends what the real one would send, if that one cannot submit now or
 * the browser has no `requestSubmit`.
 */
function clickStandIn(form: HTMLFormElement, button: Button | null): void {
  const standIn = createElement('button');
  standIn.hidden = true;
  const ofSubmit = ['formaction', 'formenctype', 'formmethod', 'formnovalidate', 'formtarget'];
  for (const name of ['name', 'value', ...ofSubmit]) {
    const value = button?.getAttribute(name);
    if (value != null) standIn.setAttribute(name, value);
  }
  unclobbered(form, 'appendChild')(standIn);
  try {
    standIn.click();
  } finally {
    standIn.parentNode?.removeChild(standIn);
  }
}

/**
 * Clicks a card button where it was clicked, also if the page has disabled it while it waits: a
 * disabled button ignores `click()`. If the page has replaced the button, or disabled a fieldset
 * around it, nothing is clicked.
 *
 * @param clicked - It may stand in the button, or in the shadow root of a custom element.
 */
export function clickAgain(button: HTMLElement, clicked: EventTarget | null): void {
  if (!button.isConnected) return;
  const control = button as HTMLButtonElement;
  const part = clicked as HTMLElement | null; // an icon may be of SVG, which has no `click()`
  const canClick = part?.click && part.isConnected && !part.matches(':disabled');
  const target = canClick ? part : button;
  const wasDisabled = control.disabled;
  if (wasDisabled) control.disabled = false;
  try {
    target.click();
  } finally {
    if (wasDisabled) control.disabled = true;
  }
}
