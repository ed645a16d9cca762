/** The events that a press which the form has handled may still cause. */
interface Expectation {
  /** Whether a click of the page's own button causes them, whose handlers may submit the form. */
  readonly isByClick: boolean;
  /** Whether a click may still come. Any further click is a new press. */
  awaitsClick: boolean;
  /** Whether a click has come. */
  hasClicked: boolean;
  /** The last submit that has come. */
  submit?: Event;
}

/** Tells the events that follow from a handled press from those of a new press. They pass. */
export function followUps() {
  let expected: Expectation | undefined;

  const expectDuring = <Result>(expectation: Expectation, action: () => Result): Result => {
    expected = expectation;
    try {
      return action();
    } finally {
      expected = undefined;
    }
  };

  return {
    /** Returns whether a click follows from the press. The next click does not. */
    takeClick(): boolean {
      if (!expected?.awaitsClick) return false;
      expected.awaitsClick = false; // the browser may have queued another one, which is a new press
      expected.hasClicked = true;
      return true;
    },
    /** Returns whether a submit follows from the press, and keeps its event. */
    takeSubmit(event: Event): boolean {
      if (!expected) return false;
      expected.submit = event;
      return true;
    },
    /** Whether a submit that follows is made by the handlers of a click. */
    isSubmitByClick: () => expected?.isByClick === true,
    /** Expects the click that the action makes, and a submit by its handlers. */
    duringClick: (action: () => boolean): boolean =>
      expectDuring({ isByClick: true, awaitsClick: true, hasClicked: false }, action),
    /**
     * Expects the submit that the action makes, and a click of the page's own button by a listener.
     * Returns the submit's event, unless a listener stopped it, and whether there was a click.
     */
    duringSubmit(action: () => void): { event: Event | undefined; hasClicked: boolean } {
      const during: Expectation = { isByClick: false, awaitsClick: true, hasClicked: false };
      expectDuring(during, action);
      return { event: during.submit, hasClicked: during.hasClicked };
    },
    /** After a click that passes: expects a submit by its handlers, in the same task. */
    afterClick(): void {
      const expectation: Expectation = { isByClick: true, awaitsClick: false, hasClicked: true };
      expected = expectation;
      setTimeout(() => {
        if (expected === expectation) expected = undefined;
      });
    },
  };
}
