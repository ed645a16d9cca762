/** The events that a press which the form has handled may still cause. */
interface Expectation {
  /** What causes them: a click of a card button, whose handlers may submit, or a submit. */
  readonly cause: 'click' | 'submit';
  /** Whether a click may still come. Any further click is a new press. */
  awaitsClick: boolean;
  /** Set when a click has come. */
  hasClicked?: true;
  /** The submit that has come: the last one that no script has made up. */
  submit?: Event;
}

/** Recognises events that a handled press has caused. They pass; all others are new presses. */
export function followUps() {
  let expected: Expectation | undefined;

  const expectDuring = <Result>(expectation: Expectation, run: () => Result): Result => {
    expected = expectation;
    try {
      return run();
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
    /** If a submit follows from the press, keeps its event and returns the cause. */
    takeSubmit(event: Event): 'click' | 'submit' | undefined {
      if (!expected) return undefined;
      // A listener may make a submit up, which sends nothing: the real one counts.
      if (event.isTrusted) expected.submit = event;
      return expected.cause;
    },
    /** Expects the click that `run` makes, and a submit by its handlers. */
    duringClick: (run: () => boolean): boolean =>
      expectDuring({ cause: 'click', awaitsClick: true }, run),
    /**
     * Expects the submit that `run` makes, and a click of a card button by a listener.
     * Returns the submit's event, unless a listener stopped it, and whether there was a click.
     */
    duringSubmit(run: () => void): { event: Event | undefined; hasClicked: boolean } {
      const during: Expectation = { cause: 'submit', awaitsClick: true };
      expectDuring(during, run); // `takeClick` and `takeSubmit` fill it in
      return { event: during.submit, hasClicked: during.hasClicked === true };
    },
    /** After a click that passes: expects a submit by its handlers, in the same task. */
    afterClick(): void {
      // Another click that the browser has queued is a new press.
      expected = { cause: 'click', awaitsClick: false };
      setTimeout(() => {
        expected = undefined;
      });
    },
  };
}
