import { log } from '../feedback/report.ts';
import { type BoundForm, boundForms, findBoundForm } from './bound-forms.ts';
import { formOfCardButton, isCardButton } from './card-buttons.ts';
import { pathOf } from './event.ts';
import { isMadeByBrowser, rememberEvent, rememberGesture } from './gesture.ts';
import { rememberClick, submitterOf } from './old-browsers.ts';
import { hold, release, releaseSoon } from './still.ts';
import { isSubmitButton } from './submit.ts';
import { rootOf, unclobbered } from './unclobbered.ts';

/** Passes the events that concern a form to it. */
export function addBoundForm(bound: BoundForm): void {
  boundForms.push(bound);
  listenAround(bound.form);
}

/**
 * `submit`, `reset`, `formdata` and `change` do not leave a shadow root, so the library listens on
 * the form's shadow root, too. The other events reach both. To handle one twice does no harm: the
 * second time, a click that passes is a press within itself (F4), and the page hears once more that
 * its fields are emptied.
 */
function listenAround(form: HTMLFormElement): void {
  listenOn(window);
  const root = rootOf(form);
  if (root !== document) listenOn(root);
  const listen = unclobbered(form, 'addEventListener');
  for (const type of OF_FORM) listen(type, onFormEvent, true);
}

/** G11: in a closed shadow root, or a frame, only the form itself hears of these. */
const OF_FORM = ['submit', 'reset', 'formdata', 'click', 'keydown', 'input', 'change'];

/** The innermost target that the window, or a shadow root, has seen of an event. */
let innermostSeen: WeakMap<Event, EventTarget> | undefined;

function onEvent(event: Event): void {
  // Not before, because importing the package does nothing. Without it, no press pays.
  if (typeof WeakMap === 'function') innermostSeen ??= new WeakMap();
  innermostSeen?.set(event, pathOf(event)[0]!);
  handle(event);
}

function onFormEvent(event: Event): void {
  // The window sees no more than the host of a closed shadow root. Then the form handles the event.
  const isHandled = innermostSeen?.get(event) === pathOf(event)[0];
  if (isHandled) return;
  listenAround(event.currentTarget as HTMLFormElement); // it has moved since it was bound
  handle(event);
}

function handle(event: Event): void {
  if (event.isTrusted && BY_SHOPPER.includes(event.type)) {
    rememberEvent(event, pathOf(event));
    for (const bound of [...boundForms]) bound.onShopper(); // also before the first timer has run
  }
  LISTENERS[event.type]!(event);
}

/** In a listener for one of these, a page may submit at once. */
const BY_SHOPPER = [
  ...['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click'],
  ...['keydown', 'keypress', 'keyup', 'input', 'change'],
];

/**
 * Listens on a window or a shadow root, before any listener of the page that is registered later.
 * Adding the same listeners again changes nothing.
 */
export function listenOn(target: EventTarget): void {
  // `true` and not an object: a polluted Object.prototype would add `once` or `passive` to it.
  for (const type of Object.keys(LISTENERS)) target.addEventListener(type, onEvent, true);
}

const LISTENERS: { [type: string]: EventListener } = {
  submit: (event) => {
    const form = event.target as HTMLFormElement;
    const button = submitterOf(event, form);
    // Also of another form, whose listener may submit this one.
    if (event.isTrusted && isMadeByBrowser(form, button)) rememberEvent(event, pathOf(event));
    findBoundForm(form)?.onPress(event, 'submit', button);
  },
  reset: (event) => findBoundForm(event.target)?.onReset(event),
  formdata: (event) => {
    findBoundForm(event.target)?.onFormData((event as FormDataEvent).formData);
  },
  pointerdown: onPointerDown,
  mousedown: onPointerDown, // Safari has pointer events from 13 on
  pointerup: releaseSoon,
  mouseup: releaseSoon,
  pointercancel: releaseSoon,
  touchstart: doNothing, // these are only remembered
  touchend: doNothing,
  keypress: doNothing,
  keyup: doNothing,
  click: (event) => {
    if (event.isTrusted) {
      release();
      rememberGesture(event, pathOf(event));
    }
    onClick(event);
  },
  keydown: (event) => onKeyDown(event as KeyboardEvent),
  focusin: (event) => findBoundForm((pathOf(event)[0] as HTMLInputElement).form)?.onFocus(),
  input: onChange,
  change: onChange,
  pagehide: () => {
    for (const bound of [...boundForms]) bound.onPageHide();
  },
  pageshow: (event) => {
    if (!(event as PageTransitionEvent).persisted) return; // the page is new
    for (const bound of [...boundForms]) bound.onPageRestored();
  },
};

function doNothing(): void {}

function onPointerDown(event: Event): void {
  if (event.isTrusted) hold();
}

function onClick(event: Event): void {
  const element = pathOf(event).find(isButton);
  // The window does not see the button of a closed shadow root: then the root handles the click.
  if (!element) return;
  if (isSubmitButton(element)) rememberClick(element);
  const own = findBoundForm((element as HTMLButtonElement).form);
  if (own) listenAround(own.form); // it may have moved into a shadow root since it was bound
  if (!isCardButton(element)) return;
  const bound = findBoundForm(formOfCardButton(element));
  if (bound) bound.onPress(event, 'click', element);
  else log('warn', 'cardseal: a button with data-cardseal-button belongs to no bound form');
}

const isButton = (target: EventTarget): target is HTMLElement => {
  const element = target as HTMLElement;
  if (element.nodeType !== 1) return false; // an element. A page may have a `Node` of its own
  // The button in the shadow root of a custom element has no form.
  return isCardButton(element) || (isSubmitButton(element) && element.form !== null);
};

/** What stands in the shadow root of a custom element has no form, but stands in one. */
const formAround = ({ form }: HTMLInputElement, event: Event): unknown =>
  form ?? pathOf(event).find(isForm);

const isForm = (target: EventTarget) => (target as Element).localName === 'form';

/** Enter may submit the form. A key that is held down is one press. */
function onKeyDown(event: KeyboardEvent): void {
  const control = pathOf(event)[0] as HTMLInputElement;
  if (event.key !== 'Enter' || !control.localName) return; // a script may raise it on the document
  const form = isCardButton(control) ? formOfCardButton(control) : formAround(control, event);
  const isText = control.localName === 'textarea' || control.isContentEditable;
  if (event.repeat && findBoundForm(form) && !isText) event.preventDefault();
  // A listener of the page may submit in spite of that.
  if (event.isTrusted) rememberGesture(event, pathOf(event));
}

function onChange(event: Event): void {
  const control = pathOf(event)[0] as HTMLInputElement;
  findBoundForm(control.form)?.onChange(control);
}
