/** The events that follow from one press. */
interface Expected {
  /** Whether a click may still follow. Any further click is a new press. */
  awaitsClick: boolean;
  /** Whether submits come from a click, whose handlers may submit the form to any destination. */
  readonly isClick: boolean;
  /** The last submit that has followed. */
  submit?: Event;
}

/**
 * Recognises events that follow from a press which the form has handled already. They pass.
 *
 * @param checkDestination - Throws if a submit must not go where its form or button says.
 */
export function followUps(checkDestination: (submitter: HTMLElement | null) => void) {
  let expected: Expected | undefined;

  const during = <Result>(press: Expected, action: () => Result): Result => {
    expected = press;
    try {
      return action();
    } finally {
      expected = undefined;
    }
  };

  return {
    areExpected: () => expected !== undefined,
    /** Whether a click follows from the press. */
    includeClick(): boolean {
      if (!expected?.awaitsClick) return false;
      expected.awaitsClick = false; // the browser may have queued another one, which is a new press
      return true;
    },
    /** Whether a submit follows from the press. Throws what `checkDestination` throws. */
    includeSubmit(event: Event, submitter: HTMLElement | null): boolean {
      if (!expected) return false;
      if (expected.isClick) checkDestination(submitter);
      expected.submit = event;
      return true;
    },
    /** Expects the click that the action makes, and a submit by its handlers. */
    duringClick: (action: () => boolean): boolean =>
      during({ isClick: true, awaitsClick: true }, action),
    /**
     * Expects the submit that the action makes, and a click of the page's own button by a listener.
     * Returns the submit's event, unless a listener stopped it, and whether there was a click.
     */
    duringSubmit(action: () => void): { event: Event | undefined; isClicked: boolean } {
      const press: Expected = { isClick: false, awaitsClick: true };
      during(press, action);
      return { event: press.submit, isClicked: !press.awaitsClick };
    },
    /** After a click that passes: expects a submit by its handlers, in the same task. */
    inThisTask(): void {
      const press: Expected = { isClick: true, awaitsClick: false };
      expected = press;
      setTimeout(() => {
        if (expected === press) expected = undefined;
      });
    },
  };
}
