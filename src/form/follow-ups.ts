/** The events that a press which the form has handled may still cause. */
interface Expectation {
  /** What the press does: it clicks the page's button, whose handlers may submit, or it submits. */
  readonly action: 'click' | 'submit';
  /** Whether a click may still come. Any further click is a new press. */
  awaitsClick: boolean;
  /** Whether a click has come. */
  hasClicked: boolean;
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
    /** Returns whether a click follows from the press. Only one does: the next is a new press. */
    takeClick(): boolean {
      if (!expected?.awaitsClick) return false;
      expected.awaitsClick = false; // a handler may click another button: that is a new press
      expected.hasClicked = true;
      return true;
    },
    /** If a submit follows from the press, keeps its event and returns what the press does. */
    takeSubmit(event: Event): 'click' | 'submit' | undefined {
      if (!expected) return undefined;
      expected.submit = event;
      return expected.action;
    },
    /** Expects the click that the action makes, and a submit by its handlers. */
    duringClick: (action: () => boolean): boolean =>
      expectDuring({ action: 'click', awaitsClick: true, hasClicked: false }, action),
    /**
     * Expects the submit that the action makes, and a click of the page's own button by a listener.
     * Returns the submit's event, unless a listener stopped it, and whether there was a click.
     */
    duringSubmit(action: () => void): { event: Event | undefined; hasClicked: boolean } {
      const during: Expectation = { action: 'submit', awaitsClick: true, hasClicked: false };
      expectDuring(during, action); // `takeClick` and `takeSubmit` fill it in
      return { event: during.submit, hasClicked: during.hasClicked };
    },
    /** After a click that passes: expects a submit by its handlers, in the same task. */
    afterClick(): void {
      // Another click that the browser has queued is a new press.
      const expectation: Expectation = { action: 'click', awaitsClick: false, hasClicked: false };
      expected = expectation;
      setTimeout(() => {
        if (expected === expectation) expected = undefined;
      });
    },
  };
}
