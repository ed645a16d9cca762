import { type Control, cardControls } from '../controls/slots.ts';
import type { ShownProblem } from '../options.ts';
import { whenStill } from '../page/still.ts';
import { watchElements } from '../page/watch-elements.ts';
import { addPlace, bringIntoView, type Place, pagePlace, removeCopies } from './places.ts';
import type { StatusLine } from './status.ts';

export type CardMessages = ReturnType<typeof cardMessages>;

/**
 * Shows what the shopper has to correct. The page's own elements come first: the one for the
 * messages of a control, then the one for the status, which shows the first problem only. Without
 * them, each text stands directly after its control. A text goes when its control changes.
 */
export function cardMessages(form: HTMLFormElement, status: StatusLine) {
  /** What is shown about the controls of one problem, and how to remove it. */
  let shown: { controls: Control[]; remove: () => void }[] = [];
  /** The controls whose problem stands in the status line. */
  let inStatus: Element[] = [];
  let stopWatching = () => {};

  const clear = () => {
    stopWatching();
    removeAll(shown);
    inStatus = [];
    removeCopies(form);
  };

  const show = (all: ShownProblem[]) => {
    clear();
    // If a pointer was down, the page may have replaced controls since they were read.
    const problems = all.filter(isHere);
    const first = findFirst(problems);
    if (!first) {
      writeStatus({ text: all[0]!.text, controls: cardControls(form) as Control[] });
      return;
    }
    const places = problems.map(writeInPage);
    first.control.focus(); // screen readers read its text now, and a page may take it away
    const ofPage = places.map((place) => (place?.isSeen() ? place : undefined));
    const firstOfPage = ofPage[problems.indexOf(first.problem)];
    if (firstOfPage) bringIntoView(firstOfPage.element);
    else if (status.writeOfPage(first.problem.text)) inStatus = first.problem.controls;
    else showFirst(first.problem);
    if (inStatus.length > 0) return;
    problems.forEach((problem, i) => {
      if (!ofPage[i] && problem !== first.problem && isHere(problem)) showBeside(problem);
    });
  };

  /** Writes it into the page's own element, which the shopper may not see. */
  const writeInPage = (problem: ShownProblem): Place | undefined => {
    const { text, controls } = problem;
    const place = pagePlace(controls);
    place?.write(text);
    const marks = controls.map(
      (control) => [control, control.getAttribute('aria-invalid')] as const,
    );
    for (const control of controls) control.setAttribute('aria-invalid', 'true');
    const remove = () => {
      for (const [control, before] of marks) {
        if (before === null) control.removeAttribute('aria-invalid');
        else control.setAttribute('aria-invalid', before);
      }
      place?.remove();
    };
    shown.push({ controls, remove });
    return place;
  };

  const showBeside = (problem: ShownProblem): Place => {
    const place = addPlace(form, problem.controls);
    place.write(problem.text);
    shown.push({ controls: problem.controls, remove: place.remove });
    return place;
  };

  const shownAt = (control: Element) =>
    shown.filter(({ controls }) => controls.some((it) => it === control));

  const removeAll = (all: typeof shown) => {
    shown = shown.filter((it) => !all.includes(it));
    for (const { remove } of all) remove();
  };

  const isHere = ({ controls }: ShownProblem) => controls.every((it) => it.isConnected);

  /**
   * The first one is announced, too: its control may have had the focus before. A page may replace
   * a control when it gets the focus.
   */
  const showFirst = (problem: ShownProblem) => {
    if (!isHere(problem)) {
      writeStatus(problem);
      return;
    }
    const place = showBeside(problem);
    place.element.setAttribute('role', 'alert');
    if (!place.isSeen()) {
      writeStatus(problem);
      return;
    }
    bringIntoView(place.element);
    watch(place, problem);
  };

  const writeStatus = ({ text, controls }: Pick<ShownProblem, 'text' | 'controls'>) => {
    status.write(text);
    inStatus = controls;
  };

  /** A page that renders its form anew may remove the text. Then it stands in the status line. */
  const watch = ({ element }: Place, problem: ShownProblem) => {
    stopWatching = watchElements(form, () => {
      if (element.isConnected) return;
      stopWatching();
      if (shownAt(problem.controls[0]!).length > 0) writeStatus(problem);
    });
  };

  /** The problem whose control comes first in the page, and that control. */
  const findFirst = (problems: ShownProblem[]) => {
    for (const control of cardControls(form) as Control[]) {
      const problem = problems.find(({ controls }) => controls.includes(control));
      if (problem) return { control, problem };
    }
    return undefined;
  };

  const onChange = (control: Element) => {
    removeAll(shownAt(control));
    if (!inStatus.includes(control)) return;
    inStatus = [];
    status.clear();
  };

  return {
    clear: () => whenStill(clear),
    show: (problems: ShownProblem[]) => whenStill(() => show(problems)),
    /** The shopper, or a script, has changed a control. */
    onChange: (control: Element) => whenStill(() => onChange(control)),
  };
}
