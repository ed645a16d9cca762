/** The events of a press that pass unchanged. */
interface Passing {
  /** Whether its click is still to come. Any other click is a press of its own. */
  awaitsClick: boolean;
  /** Whether it is a click, whose handlers may submit the form to any destination. */
  readonly isClick: boolean;
  /** The last submit that has passed. */
  submit?: Event;
}

/**
 * Lets the events of a press pass: those that the library causes itself, and the submit that a click
 * causes in the same task.
 *
 * @param checkDestination - Throws if a submit must not go where its form or button says.
 */
export function passage(checkDestination: (submitter: HTMLElement | null) => void) {
  let passing: Passing | undefined;

  const during = <Result>(press: Passing, action: () => Result): Result => {
    passing = press;
    try {
      return action();
    } finally {
      passing = undefined;
    }
  };

  return {
    isOpen: () => passing !== undefined,
    /** Whether a click belongs to the press that passes. */
    takesClick(): boolean {
      if (!passing?.awaitsClick) return false;
      passing.awaitsClick = false; // the browser may have queued another one, which is a new press
      return true;
    },
    /** Whether a submit belongs to the press that passes. Throws what `checkDestination` throws. */
    takesSubmit(event: Event, submitter: HTMLElement | null): boolean {
      if (!passing) return false;
      if (passing.isClick) checkDestination(submitter);
      passing.submit = event;
      return true;
    },
    /** Repeats a click. */
    repeatClick: (action: () => boolean): boolean =>
      during({ isClick: true, awaitsClick: true }, action),
    /** Repeats a submit. Returns its event, or undefined if a listener of the page stopped it. */
    repeatSubmit(action: () => void): Event | undefined {
      const press: Passing = { isClick: false, awaitsClick: false };
      during(press, action);
      return press.submit;
    },
    /** After a click that passes: the submit that it may cause, in this task, belongs to it. */
    openForSubmit(): void {
      const press: Passing = { isClick: true, awaitsClick: false };
      passing = press;
      setTimeout(() => {
        if (passing === press) passing = undefined;
      });
    },
  };
}
