import { concat } from './concat.ts';
import { type Control, cardControls, isShared, wordsOf } from './fields.ts';
import { isRendered } from './is-rendered.ts';
import type { Problem } from './read.ts';
import type { StatusLine } from './status.ts';
import { stop } from './stop.ts';
import type { Texts } from './texts.ts';
import { elementsOf, rootOf, unclobbered } from './unclobbered.ts';

/** The messages about the card's fields. */
export interface CardMessages {
  /**
   * Shows the problems and has the browser report the first one.
   *
   * @param onlyCard - Whether to report the card's controls only, and none of the page's own.
   * @returns Whether the shopper has nothing to correct.
   */
  report(problems: Problem[], onlyCard: boolean): boolean;
  /**
   * Has the browser report the page's own controls, as it would without the library's `novalidate`.
   *
   * @returns Whether they are valid. How the card's controls are does not matter.
   */
  reportOthers(): boolean;
  /** Removes every message. */
  clear(): void;
}

/** What the library has put on the controls of one problem. */
interface Shown {
  text: string;
  remove(): void;
}

/**
 * Shows messages by constraint validation and, where the page has an element for it, as a text
 * beside the control. When the shopper changes the control, its message is removed.
 */
export function cardMessages(
  form: HTMLFormElement,
  texts: Texts,
  status: StatusLine,
): CardMessages {
  /** The page's elements that hold a text. Controls may share one: the first text stays. */
  const filled = new Set<Element>();
  /** What is shown at a control. The controls of one problem share it. */
  const shown = new Map<Element, Shown>();

  const clear = () => {
    for (const { remove } of new Set(shown.values())) remove();
  };

  const show = (problem: Problem) => {
    const text = texts(problem.problem);
    // A text that the page has set stays, and is reported instead.
    const controls = problem.controls.filter(({ validity }) => !validity.customError);
    const undo = controls.map((control) => mark(control, text, filled));
    const remove = () => {
      for (const restore of undo) restore();
      for (const control of controls) {
        shown.delete(control);
        for (const type of CHANGES) control.removeEventListener(type, remove);
      }
    };
    for (const control of controls) {
      shown.set(control, { text, remove });
      for (const type of CHANGES) control.addEventListener(type, remove);
    }
  };

  /** The controls with a problem, in the order of the page. */
  const inOrder = (problems: Problem[]): Control[] => {
    const invalid = concat(problems.map(({ controls }) => controls));
    return cardControls(form).filter((it): it is Control => invalid.includes(it as Control));
  };

  /** Whether the library's text stands beside the control, where the shopper can see it. */
  const isBesideControl = (control: Control): boolean => {
    const element = messageElement(control);
    return shown.has(control) && element !== undefined && isRendered(element);
  };

  /**
   * Has the browser report invalid controls, and leads the shopper to the first one.
   *
   * @param ignored - Controls that are not reported to the page or the shopper.
   * @returns Whether all controls were valid, the ignored ones, too.
   */
  const reportAndShowFirst = (report: () => boolean, ignored: Element[]): boolean => {
    const root = rootOf(form);
    let first: { control: Control; event: Event } | undefined;
    const watch = (event: Event) => {
      // In a shadow root an event has no target any more when its dispatch is over.
      const control = event.target as Control;
      if (ignored.includes(control)) {
        stop(event);
        return;
      }
      first ??= { control, event };
      if (isBesideControl(control)) event.preventDefault(); // no bubble: the text stands there
    };
    root.addEventListener('invalid', watch, true);
    const areValid = report();
    root.removeEventListener('invalid', watch, true);
    if (first) showFirst(first.control, first.event);
    return areValid;
  };

  /** Leads the shopper to the first invalid control, as the browser does by its bubble. */
  const showFirst = (control: Control, event: Event) => {
    const isBeside = isBesideControl(control);
    const isShownByPage = event.defaultPrevented && !isBeside; // else it is the library's own
    if (isShownByPage) return;
    if (isBeside) control.focus();
    // The browser draws no bubble at a control that it cannot focus, nor without a text: a listener
    // of the page may have taken the library's away, to put one of its own in its place.
    const { validationMessage } = control; // a custom element may have none
    if (rootOf(form).activeElement === control && validationMessage !== '') return;
    status.write(validationMessage || shown.get(control)?.text || texts('press_again'));
  };

  return {
    clear,
    report(problems, onlyCard) {
      clear();
      problems.forEach(show);
      const reportForm = unclobbered(form, 'reportValidity');
      const report = onlyCard ? () => reportEach(inOrder(problems)) : reportForm;
      const areValid = reportAndShowFirst(report, []);
      const [first] = problems;
      if (!areValid || !first) return areValid;
      // A script of the page has taken the library's texts away: the card is still wrong.
      status.write(texts(first.problem));
      return false;
    },
    reportOthers() {
      clear();
      const ofCard = cardControls(form).filter((control) => !isShared(control));
      // A fieldset is invalid because of a control in it, which may be one of the card.
      const isInvalid = (element: Element) =>
        element.localName !== 'fieldset' && element.matches(':invalid');
      const others = elementsOf(form).filter((element) => !ofCard.includes(element));
      if (!others.some(isInvalid)) return true;
      reportAndShowFirst(unclobbered(form, 'reportValidity'), ofCard);
      return false; // even if a listener of the page has changed what is invalid
    },
  };
}

/**
 * Reports as the form itself would: an event for each invalid control, a bubble for the first.
 * Returns whether all are valid.
 */
function reportEach([first, ...others]: Control[]): boolean {
  if (!first) return true;
  const validities = [first.reportValidity(), ...others.map((control) => control.checkValidity())];
  return validities.every(Boolean);
}

const CHANGES = ['input', 'change'];

/** Puts a text on a control. Returns how to remove it. */
function mark(control: Control, text: string, filled: Set<Element>): () => void {
  const before = control.getAttribute('aria-invalid');
  const found = messageElement(control);
  const element = found && !filled.has(found) ? found : undefined;
  const wasHidden = element?.hidden ?? false;
  control.setCustomValidity(text);
  control.setAttribute('aria-invalid', 'true');
  if (element) {
    element.textContent = text;
    element.hidden = false;
    filled.add(element);
  }
  return () => {
    if (isOwnText(control, text)) control.setCustomValidity('');
    if (before === null) control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', before);
    if (element) {
      element.textContent = '';
      element.hidden = wasHidden;
      filled.delete(element);
    }
  };
}

/**
 * Whether a control's message is still the library's. Its beginning is enough: Firefox shortens
 * long texts, and a disabled control has an empty one.
 */
const isOwnText = (control: Control, text: string): boolean =>
  text.startsWith(control.validationMessage);

/** The page's own element for the messages of a control. */
function messageElement(control: Control): HTMLElement | undefined {
  const root = rootOf(control);
  for (const attribute of ['aria-errormessage', 'aria-describedby']) {
    for (const id of wordsOf(control.getAttribute(attribute) ?? '')) {
      const element = root.getElementById(id);
      if (element?.hasAttribute('data-cardseal-message')) return element;
    }
  }
  return undefined;
}
