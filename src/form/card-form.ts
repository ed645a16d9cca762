import { isIdle } from './decide.ts';
import { type Check, keyRequests } from './key-requests.ts';
import type { CardFormBinding } from './options.ts';
import type { Parts } from './parts.ts';
import { cardPresses } from './perform.ts';

/**
 * A bound form, from its binding to its end: everything but its presses, which perform.ts
 * handles. It handles the events of the form and, once it is started, gives its binding.
 */
export function cardForm(parts: Omit<Parts, 'startNextCard'>) {
  const { page, fields, kept, keys, notices, later } = parts;
  let isBound = true;

  /** The page stays open for another card. A block has used up its key. */
  const startNextCard = () => {
    if (!isBound) return;
    const needsKey = presses.state().block !== null && keys.isRenewable;
    presses.end({ shallEmpty: true });
    if (needsKey) requests.start();
  };

  const presses = cardPresses({ ...parts, startNextCard });
  const requests = keyRequests(keys, notices, () => isEncrypting());

  const isEncrypting = () => presses.state().doing.is === 'encrypting';

  const restart = (): Promise<void> => {
    presses.end({ shallEmpty: true });
    keys.drop();
    return requests.start();
  };

  /** Whether the page says that the shopper pays by card. How its fields look does not count. */
  const saysCard = (): boolean => {
    try {
      return page.isCardPayment(null, false);
    } catch {
      // A `when` that collects the form's data itself fails here, because it is being collected. It
      // has answered at the press, which was a card press: any other press withdraws the block.
      return true;
    }
  };

  /** @param isQuiet - Whether the payment is over, so that the shopper need not be told. */
  const leave = (isQuiet: boolean) => {
    if (!isBound) return;
    isBound = false;
    parts.stopListening();
    const isInterrupted = isEncrypting();
    requests.silence();
    const { block } = presses.state();
    const isCardInFields = block !== null && !block.isEmptied && kept.isSame();
    presses.end({ shallEmpty: isQuiet || isCardInFields, isQuiet });
    keys.drop();
    // The shopper has to know: a component may bind the form again because of the press.
    if (isInterrupted && !isQuiet && page.isConnected()) notices.tell('press_again');
    notices.leave();
  };

  const unbind = () => leave(false);

  return {
    /** @param check - Throws if the form's developer has to correct it. */
    start(check: Check): CardFormBinding {
      kept.takeOut(); // a block that the server has rendered again, or a copy of the form has
      return {
        ready: requests.start(check),
        restart: () => (isBound ? restart() : Promise.resolve()),
        async encrypt() {
          presses.settleIfOver('encrypt');
          return isBound ? presses.encrypt() : undefined;
        },
        get isBusy() {
          return !isIdle(presses.state());
        },
        unbind,
        close: () => leave(true),
      };
    },

    unbind,
    /** What the form is doing. */
    state: presses.state,
    onPress(event: Event, kind: 'submit' | 'click', button: HTMLElement | null) {
      presses.settleIfOver(kind); // first: a listener of `cardseal:settled` may unbind the form
      if (isBound) presses.onPress(event, kind, button); // F13
    },
    onShopper: () => presses.settleIfOver(),

    onChange(control: Element) {
      if (fields.noteChange(control)) presses.onChange(fields.mayHoldCard(control));
    },

    onFormData(data: FormData) {
      fields.removeFrom(data);
      presses.onFormData(data, saysCard);
    },

    onReset(event: Event) {
      // At once, because a script may send the form in the same task. If the reset is cancelled,
      // the next press offers the block again.
      presses.onReset();
      const restoreDefaults = fields.clearDefaults();
      // Whether a listener cancels the reset is known when its dispatch is over.
      later(() => {
        if (event.defaultPrevented) restoreDefaults();
        else presses.reset();
      });
    },

    onPageHide() {
      requests.silence();
      presses.end({ shallEmpty: true });
    },

    onPageRestored() {
      if (page.isConnected()) restart();
      else keys.drop(); // a page that replaces its contents has left the form behind
    },
  };
}
