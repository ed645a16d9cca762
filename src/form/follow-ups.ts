/** The events that a press which the form has handled may still cause. */
interface Expectation {
  /** What causes them: a click, whose handlers may submit the form, or a submit. */
  readonly cause: 'click' | 'submit';
  /** Whether a click may still come. Any further click is a new press. */
  awaitsClick: boolean;
  /** Whether a click has come. */
  hasClicked?: true;
  /** The last submit that has come. */
  submit?: Event;
}

/** Recognises events that a handled press has caused. They pass; all others are new presses. */
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
    /** Returns what has caused a submit if it follows from the press, and keeps its event. */
    takeSubmit(event: Event): 'click' | 'submit' | undefined {
      if (expected) expected.submit = event;
      return expected?.cause;
    },
    /** Expects the click that the action makes, and a submit by its handlers. */
    duringClick: (action: () => boolean): boolean =>
      expectDuring({ cause: 'click', awaitsClick: true }, action),
    /**
     * Expects the submit that the action makes, and a click of the page's own button by a listener.
     * Returns the submit's event, unless a listener stopped it, and whether there was a click.
     */
    duringSubmit(action: () => void): { event: Event | undefined; hasClicked: boolean } {
      const during: Expectation = { cause: 'submit', awaitsClick: true };
      expectDuring(during, action);
      return { event: during.submit, hasClicked: during.hasClicked === true };
    },
    /** After a click that passes: expects a submit by its handlers, in the same task. */
    afterClick(): void {
      const expectation: Expectation = { cause: 'click', awaitsClick: false };
      expected = expectation;
      setTimeout(() => {
        if (expected === expectation) expected = undefined;
      });
    },
  };
}
