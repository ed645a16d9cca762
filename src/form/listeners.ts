import { concat } from './concat.ts';
import { type Button, isSubmitButton, rememberClick } from './submit.ts';
import { rootOf, windowOf } from './unclobbered.ts';

/** A bound form, and how it handles the events of its page. */
export interface BoundForm {
  readonly form: HTMLFormElement;
  onSubmit(event: Event): void;
  onReset(event: Event): void;
  onFormData(data: FormData): void;
  /** A submit button is about to submit the form, by a click or by Enter. */
  onButton(event: MouseEvent, button: Button): void;
  /** The shopper pressed Enter in a control of the form, which may submit it. */
  onEnter(): void;
  /** A button with `data-cardseal-button` was clicked. */
  onCardButton(event: MouseEvent, button: HTMLElement): void;
  /** The shopper or a script changed a control of the form. */
  onChange(control: Element): void;
  /**
   * A control of the form changed, or the shopper changed another control of the page: they may
   * have corrected something.
   */
  onPossibleCorrection(): void;
  onPageHide(): void;
  onPageRestored(): void;
  unbind(): void;
}

const boundForms: BoundForm[] = [];

/** Passes the events that concern a form to it. */
export function addBoundForm(bound: BoundForm): void {
  boundForms.push(bound);
  listenAround(bound.form);
}

/** The listeners stay: without a bound form they do nothing. */
export function removeBoundForm(bound: BoundForm): void {
  boundForms.splice(boundForms.indexOf(bound), 1);
}

/**
 * `submit`, `reset`, `formdata` and `change` do not leave a shadow root, so the library listens on
 * the form's shadow root, too. The other events reach both: a click is handled once, and to handle
 * `input` and `keydown` twice changes nothing.
 */
function listenAround(form: HTMLFormElement): void {
  listenOn(windowOf(form));
  const root = rootOf(form);
  if (root !== form.ownerDocument) listenOn(root);
}

/**
 * Listens on a window or a shadow root, before any listener of the page that is registered later.
 * Adding the same listeners again changes nothing.
 */
export function listenOn(target: EventTarget): void {
  // `true` and not an object: a polluted Object.prototype would add `once` or `passive` to it.
  for (const type of Object.keys(LISTENERS)) target.addEventListener(type, LISTENERS[type]!, true);
}

const LISTENERS: { [type: string]: EventListener } = {
  submit: (event) => findBoundForm(event.target)?.onSubmit(event),
  reset: (event) => findBoundForm(event.target)?.onReset(event),
  formdata: (event) => {
    findBoundForm(event.target)?.onFormData((event as FormDataEvent).formData);
  },
  click: (event) => onClick(event as MouseEvent),
  keydown: (event) => onKeyDown(event as KeyboardEvent),
  input: onChange,
  change: onChange,
  pagehide: (event) => {
    for (const bound of formsIn(event.currentTarget)) bound.onPageHide();
  },
  pageshow: (event) => {
    if (!(event as PageTransitionEvent).persisted) return; // the page is new
    for (const bound of formsIn(event.currentTarget)) bound.onPageRestored();
  },
};

/** The bound forms of a window. A frame may be left while the page around it stays. */
const formsIn = (target: EventTarget | null): BoundForm[] =>
  boundForms.filter(({ form }) => windowOf(form) === target);

export const findBoundForm = (form: unknown): BoundForm | undefined =>
  boundForms.find((bound) => bound.form === form);

/** The click that was handled last. */
let lastClick: Event | undefined;

function onClick(event: MouseEvent): void {
  const element = pathOf(event).find(isButton);
  // The window does not see the button of a closed shadow root: then the root handles the click.
  if (!element || event === lastClick) return;
  lastClick = event;
  if (isSubmitButton(element)) rememberClick(element);
  if (isCardButton(element)) {
    const ofButton = findBoundForm(formOfCardButton(element));
    if (ofButton) ofButton.onCardButton(event, element);
    else console.warn('cardseal: a button with data-cardseal-button belongs to no bound form');
    return;
  }
  const button = element as Button; // `isButton` knows no others
  const bound = findBoundForm(button.form);
  if (!bound) return;
  listenAround(bound.form); // it may have moved into a shadow root since it was bound
  bound.onButton(event, button);
}

/** The targets of an event, innermost first. An unsupported browser may not know the path. */
const pathOf = (event: Event): EventTarget[] => event.composedPath?.() ?? [event.target!];

const isButton = (target: EventTarget): target is HTMLElement => {
  const element = target as HTMLElement;
  if (element.nodeType !== Node.ELEMENT_NODE) return false;
  return isCardButton(element) || isSubmitButton(element);
};

const CARD_BUTTON = 'data-cardseal-button';

export const isCardButton = (element: Element): boolean => element.hasAttribute(CARD_BUTTON);

/**
 * The form of a button with `data-cardseal-button`: the form whose id the attribute names, the form
 * that the button is in, or the only bound form of the page.
 */
function formOfCardButton(button: HTMLElement): HTMLFormElement | null {
  const id = button.getAttribute(CARD_BUTTON);
  if (id) return rootOf(button).getElementById(id) as HTMLFormElement | null;
  const own = (button as HTMLButtonElement).form ?? button.closest('form');
  if (own) return own;
  const forms = boundForms.map(({ form }) => form).filter(({ isConnected }) => isConnected);
  return forms.length === 1 ? forms[0]! : null;
}

/** The buttons with `data-cardseal-button` that belong to a form, in its shadow root or outside. */
export function cardButtonsOf(form: HTMLFormElement): HTMLElement[] {
  const roots = [...new Set([form.ownerDocument, rootOf(form)])];
  const buttons = roots.map((root) => [...root.querySelectorAll<HTMLElement>(`[${CARD_BUTTON}]`)]);
  return concat(buttons).filter((button) => formOfCardButton(button) === form);
}

function onKeyDown(event: KeyboardEvent): void {
  const control = pathOf(event)[0] as HTMLInputElement;
  const bound = findBoundForm(control.form);
  if (!bound || event.key !== 'Enter' || control.localName === 'textarea') return;
  const isHeldDown = event.repeat; // a key that is held down is one press
  if (isHeldDown) event.preventDefault();
  else bound.onEnter();
}

function onChange(event: Event): void {
  const control = pathOf(event)[0] as HTMLInputElement;
  const own = findBoundForm(control.form);
  own?.onChange(control);
  // Elsewhere in the page only the shopper's changes count: scripts change controls all the time.
  if (event.isTrusted) for (const bound of boundForms) bound.onPossibleCorrection();
  else own?.onPossibleCorrection();
}
