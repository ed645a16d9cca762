import { concat } from '../card/concat.ts';
import { type Control, cardControls, wordsOf } from '../card/fields.ts';
import type { ShownProblem } from '../options.ts';
import { isRendered } from '../page/is-rendered.ts';
import { rootOf } from '../page/unclobbered.ts';
import type { StatusLine } from './status.ts';

export type CardMessages = ReturnType<typeof cardMessages>;

/**
 * Shows what the shopper has to correct: beside the control, where the page has an element for it;
 * else the first problem stands in the status line. A text goes when the shopper changes a control.
 */
export function cardMessages(form: HTMLFormElement, status: StatusLine) {
  /** How to remove what is shown, by control. The controls of one problem share it. */
  const shown = new Map<Element, () => void>();
  /** The controls whose problem stands in the status line. */
  let inStatus: Element[] = [];

  const clear = () => {
    for (const remove of new Set(shown.values())) remove();
    inStatus = [];
  };

  /** Returns whether the shopper can see the text. */
  const showBeside = ({ text, controls }: ShownProblem): boolean => {
    const place = controls.map(messageElement).find(isFree);
    const wasHidden = place?.hidden === true;
    const marks = controls.map(
      (control) => [control, control.getAttribute('aria-invalid')] as const,
    );
    if (place) {
      place.textContent = text;
      place.hidden = false;
    }
    for (const control of controls) control.setAttribute('aria-invalid', 'true');
    const remove = () => {
      for (const [control, before] of marks) {
        shown.delete(control);
        if (before === null) control.removeAttribute('aria-invalid');
        else control.setAttribute('aria-invalid', before);
      }
      if (!place) return;
      place.textContent = '';
      place.hidden = wasHidden;
    };
    for (const control of controls) shown.set(control, remove);
    // After the text: an empty element may not be drawn at all, and would seem to be hidden.
    return place !== undefined && isRendered(place);
  };

  /** The problem whose control comes first in the page, and that control. */
  const findFirst = (problems: ShownProblem[]) => {
    const invalid = concat(problems.map(({ controls }) => controls));
    const control = cardControls(form).find((it) => invalid.includes(it as Control)) as Control;
    return { control, problem: problems.find(({ controls }) => controls.includes(control))! };
  };

  return {
    clear,
    show(problems: ShownProblem[]) {
      clear();
      const visible = problems.filter(showBeside);
      const first = findFirst(problems);
      if (!visible.includes(first.problem)) {
        status.write(first.problem.text);
        inStatus = first.problem.controls;
      }
      first.control.focus();
    },
    /** The shopper, or a script, has changed a control. */
    onChange(control: Element) {
      shown.get(control)?.();
      if (!inStatus.includes(control)) return;
      inStatus = [];
      status.clear();
    },
  };
}

/** Controls may share an element: the first text stays. */
const isFree = (element: HTMLElement | undefined) => element?.textContent === '';

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
