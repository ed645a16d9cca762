import type { EncryptedCard } from '../core/index.ts';
import { type CardBytes, zero } from './card/read.ts';
import { makeBlock } from './make-block.ts';
import { stop } from './page/stop.ts';
import type { Parts } from './parts.ts';

/** A submit, a click of a button with `data-cardseal-button`, or a call of `encrypt()`. */
export type Kind = 'submit' | 'click' | 'encrypt';

/**
 * What a form is doing. Each state is an object of its own. Code of the page runs in events, in
 * `when`, while fields are emptied and at each `await`, and may end a press. So code that continues
 * after one of these first checks that its own state is still the current one.
 */
export type State = Idle | Making | Passing | Sending;

/** It waits for a press. */
interface Idle {
  readonly phase: 'idle';
  /** The promise of `onEncrypted` has not settled in time. If it does, the text about it goes. */
  readonly isOverdue?: boolean;
}

/** A press was stopped, and its block is being made. */
export interface Making {
  readonly phase: 'making';
  readonly kind: Kind;
  readonly button: HTMLElement | null;
  /** The card as bytes, from when it was read until its block is made. */
  card?: CardBytes | undefined;
}

/** A press passes: code of the page runs, with the block in the form's data. */
interface Passing {
  readonly phase: 'passing';
  readonly event: Event;
  readonly kind: 'submit' | 'click';
  /** Its own submit, and those that code of the page makes meanwhile. */
  readonly submits: { readonly event: Event; readonly button: HTMLElement | null }[];
  /** What the form did before. */
  readonly before: Idle | Sending;
}

/** The browser has the block, or `onEncrypted` has, whose promise is pending. */
interface Sending {
  readonly phase: 'sending';
  readonly by: 'browser' | 'page';
  /** Whether the promise of `onEncrypted` has settled. */
  isOver?: true;
  /** The page has reset the form. This is done when `onEncrypted` is done. */
  whenOver?: () => void;
  /** The idle state that follows because no answer came in time. */
  after?: State;
}

/** How long an answer may take before the form opens again, in milliseconds. */
const SENDING_MS = 30_000;

/**
 * Decides what becomes of each press of a form.
 *
 * A card press whose block is there passes. Any other card press is stopped, its block is made, and
 * it is repeated: then it is a press whose block is there. What passes goes through `gate`.
 */
export function cardPresses(parts: Parts) {
  const { page, sealed, notices, onEncrypted, later } = parts;

  let state: State = { phase: 'idle' };
  /** Whether the next event is the library's own repeat of a press. */
  let isRepeating = false;
  /** Whether a `cardseal:submit` still needs its `cardseal:settled`. */
  let owesSettled = false;

  const onPress = (event: Event, kind: 'submit' | 'click', button: HTMLElement | null) => {
    // An earlier listener of the page has refused it. A repeat that is refused counts as missing.
    if (event.defaultPrevented) return;
    const isRepeat = isRepeating;
    isRepeating = false;
    try {
      const isByScript = kind === 'submit' && !page.isByShopper() && isScripts(button);
      // While a payment is under way, the page may lock or hide the fields.
      const doLooksCount = isIdle() && !isByScript;
      const isCard = page.isCardPayment(button, doLooksCount);
      if (isRepeat && !isCard) {
        refuse(event, 'press_again'); // the way to pay has changed since
      } else if (!isCard) {
        passOther();
      } else if (isRepeat || isByScript || state.phase === 'passing') {
        pass(event, kind, button);
      } else if (state.phase === 'idle') {
        accept(event, kind, button);
      } else {
        // A script whose block the shopper has withdrawn by another press: nobody is waited for.
        const isOver = isHandedOver() && !page.isByShopper();
        refuse(event, isOver ? 'press_again' : waitText());
      }
    } catch (error) {
      stop(event);
      fail(error);
    }
  };

  /**
   * Whether a script may submit the block. An `onEncrypted` that is overdue may still submit the
   * form itself; if it never does so, the form has no place where the browser could send it.
   */
  const isScripts = (button: HTMLElement | null): boolean =>
    sealed.isWithScript() && !(state.phase === 'idle' && state.isOverdue && !isSendable(button));

  const isSendable = (button: HTMLElement | null): boolean => {
    try {
      page.checkDestination(button);
      return true;
    } catch {
      return false;
    }
  };

  /** The shopper pays in another way, or has pressed something else, such as Cancel. */
  const passOther = () => {
    const wasMaking = state.phase === 'making';
    if (wasMaking) end();
    sealed.withdraw();
    if (wasMaking) notices.tell('press_again');
    tellSettled();
  };

  /** A new card press of an idle form. */
  const accept = (event: Event, kind: 'submit' | 'click', button: HTMLElement | null) => {
    const press = begin(kind, button);
    const canPass = kind === 'click' || !onEncrypted;
    if (press && canPass && sealed.isFresh()) {
      end();
      // A listener of `cardseal:submit` may have chosen another way to pay.
      if (page.isCardPayment(button, true)) pass(event, kind, button);
      else refuse(event, 'press_again');
    } else {
      stop(event);
      if (press) make(press); // never rejects
    }
  };

  /** Returns the press, unless the page refuses it or ends it. */
  const begin = (kind: Kind, button: HTMLElement | null): Making | undefined => {
    // `card` is its own, also where a polluted Object.prototype has one.
    const press: Making = { phase: 'making', kind, button, card: undefined };
    state = press;
    sealed.takeFromScript();
    notices.clear();
    owesSettled = true;
    const isWanted = notices.emit('submit', { submitter: button });
    if (state !== press) return undefined;
    if (isWanted) return press;
    end();
    tellSettled();
    return undefined;
  };

  // The gate

  const isFresh = () => (isCommitted() ? sealed.exists() : sealed.isFresh());

  /**
   * Whether code of the page may send the block at any time. It is the block of the press, whatever
   * becomes of the fields meanwhile.
   */
  const isCommitted = () => state.phase === 'passing' || isHandedOver();

  const isHandedOver = () => state.phase === 'sending' && state.by === 'page';

  /**
   * Every block that leaves the form by a press goes through here. Puts it into the form's data,
   * and returns whether there is one.
   *
   * @param sentBy - For a submit that the browser will send, the destination is checked.
   * @throws `CardEncryptionError` `invalid_form` if the destination is wrong.
   */
  const gate = (sentBy: 'browser' | 'page', button: HTMLElement | null): boolean => {
    if (!isFresh()) return false;
    if (sentBy === 'browser') page.checkDestination(button);
    sealed.letOut();
    return true;
  };

  // A press that passes

  const pass = (event: Event, kind: 'submit' | 'click', button: HTMLElement | null) => {
    if (!gate(kind === 'submit' ? 'browser' : 'page', button)) {
      sealed.compare(); // else a script that has the block of another card could never press again
      refuse(event, 'press_again');
      return;
    }
    const passing = state.phase === 'passing' ? state : startPassing(event, kind);
    notices.clear();
    if (kind === 'submit') {
      passing.submits.push({ event, button });
      return;
    }
    sealed.giveToScript();
    sealed.emptyFields(); // before its handlers: many send controls without a name, too
    if (state !== passing) refuse(event, 'press_again');
  };

  const startPassing = (event: Event, kind: 'submit' | 'click'): Passing => {
    const before = state as Idle | Sending; // no press passes while one is being made
    state = { phase: 'passing', event, kind, submits: [], before };
    later(settle); // if nothing settles it before
    return state;
  };

  /**
   * Settles the submit that was passing if its dispatch is over. A click that passes may still
   * submit the form then.
   */
  const settleIfOver = () => {
    if (state.phase !== 'passing' || state.kind !== 'submit') return;
    if (isDispatched(state.event)) settle();
  };

  /**
   * Code of the page has run. The page refuses a press by cancelling its submit, or sends the block
   * by itself: then the next press passes with the same block.
   */
  const settle = () => {
    if (state.phase !== 'passing') return;
    const { submits, before } = state;
    // An event that a script has made sends nothing, but Firefox sends the form: then the next
    // press brings the same block, as after any block that a script may have sent.
    const sent = submits.find(({ event }) => event.isTrusted && !event.defaultPrevented);
    if (sent && page.isConnected()) {
      startSending(sent.button);
    } else if (before.phase === 'sending' && !before.isOver) {
      state = before;
    } else {
      end();
    }
    tellSettled();
  };

  const startSending = (button: HTMLElement | null) => {
    const sending: Sending = { phase: 'sending', by: 'browser' };
    end();
    state = sending;
    sealed.takeFromScript(); // it has been sent, once
    if (page.isAnsweredElsewhere(button)) parts.startNextCard();
    else giveUpLater(sending);
  };

  /** The payment may have been made, so its card does not stay on the screen. Another one does. */
  const giveUpLater = (sending: Sending) => {
    later(() => {
      settle(); // what was passing is over
      if (state !== sending) return;
      if (sealed.isCardInFields()) sealed.emptyFields();
      if (state !== sending) return;
      end();
      state = { phase: 'idle', isOverdue: true };
      sending.after = state;
      sealed.compare();
      notices.tell('no_answer');
      tellSettled();
    }, SENDING_MS);
  };

  // A press whose block is made

  /** Returns the block for `encrypt()`. Never rejects. */
  const make = async (press: Making): Promise<EncryptedCard | undefined> => {
    const { kind, button } = press;
    const isCurrent = () => state === press;
    const isSubmit = kind === 'submit' && !onEncrypted;
    const isRepeated = isSubmit || kind === 'click';
    const isCard = () => kind === 'encrypt' || page.isCardPayment(button, true);
    try {
      notices.setBusy(true);
      if (isSubmit) page.checkDestination(button);
      if (!sealed.isFresh()) {
        const block = await makeBlock(parts, press, isCurrent);
        if (!block || !isCurrent()) return undefined;
        // Scripts of the page find it from now on, unless the card has changed. With any other
        // press they find it when the fields are empty.
        if (isSubmit && sealed.isFresh()) sealed.offer();
        notices.emit('encrypted', { key_id: block.key_id });
      }
      // Chromium ignores `requestSubmit()` and `click()` while it dispatches the event of a press.
      await new Promise<void>((resolve) => later(resolve));
      if (!isCurrent()) return undefined;
      if (isRepeated) {
        end(); // the repeat is a press like any other
        repeat(press);
        return undefined;
      }
      const isStillCard = isCard();
      if (!isCurrent()) return undefined;
      if (!isStillCard || !gate('page', button)) {
        notices.tell('press_again'); // the card, or the way to pay, has changed since
        return undefined;
      }
      sealed.emptyFields();
      if (!isCurrent()) return undefined;
      if (kind === 'encrypt') return sealed.block();
      await handOver(sealed.block()!, button);
      return undefined;
    } catch (error) {
      if (!isCurrent()) return undefined;
      end();
      fail(error);
      return undefined;
    } finally {
      if (isCurrent()) end();
      tellSettled();
    }
  };

  const repeat = ({ kind, button }: Making) => {
    isRepeating = true;
    try {
      page.repeat(kind, button);
    } catch (error) {
      parts.report(error); // a function of the page, which has not let it come
    }
    const hasCome = !isRepeating;
    isRepeating = false;
    settle();
    // The form or the button is gone. If the browser objects to a control, it says so itself.
    if (!hasCome && !page.isInvalid(kind, button)) notices.tell('press_again');
  };

  /** Calls `onEncrypted`, which may submit the form. */
  const handOver = async (block: EncryptedCard, button: HTMLElement | null) => {
    const sending: Sending = { phase: 'sending', by: 'page' };
    state = sending;
    notices.setBusy(true); // which takes a text about the making of the block away
    sealed.giveToScript();
    giveUpLater(sending);
    let isAnswered = false;
    try {
      isAnswered = (await onEncrypted!(block, button)) !== 'no_answer';
    } catch (error) {
      parts.report(error);
    }
    settleIfOver();
    sending.isOver = true;
    // The shopper reads that there is no answer, and has not pressed since.
    if (state === sending.after) notices.clear();
    else if (state !== sending) return;
    end();
    const idle = state;
    // Whoever presses next hands over the same block: this try is over, and nobody knows how.
    if (!isAnswered) sealed.takeFromScript();
    sealed.compare(); // the shopper may have begun another card
    tellSettled(); // first: code of the page may press when the fields are emptied
    sending.whenOver?.();
    // The card may have been sent. Code of the page may have pressed, or ended it, since.
    if (!isAnswered && state === idle) notices.tell('no_answer');
  };

  // All states

  const refuse = (event: Event, problem: Parameters<typeof notices.tell>[0]) => {
    stop(event);
    notices.tell(problem);
    tellSettled();
  };

  /** Tells why a press came to nothing, unless code of the page has gone on since. */
  const fail = (error: unknown) => {
    const before = state;
    tellSettled(); // first: a listener of the error may press again
    if (state === before) notices.fail(error, state.phase === 'sending');
  };

  const isIdle = () => state.phase === 'idle';

  const waitText = () => (state.phase === 'making' ? 'one_moment' : 'payment_under_way');

  /** Ends what the form is doing. */
  const end = () => {
    if (state.phase === 'making' && state.card) zero(state.card);
    state = { phase: 'idle' };
    notices.setBusy(false);
  };

  /** Raises `cardseal:settled` if the form is idle, or its block is on its way. */
  const tellSettled = () => {
    const isSettled = isIdle() || (state.phase === 'sending' && !isHandedOver());
    if (!owesSettled || !isSettled) return;
    owesSettled = false;
    notices.emit('settled');
  };

  return {
    settleIfOver,
    onPress,
    end,
    tellSettled,
    isCommitted,
    state: () => state,
    /**
     * Stops the submits that are passing, because the form ends: without its block, the browser
     * would send an order without a card. Returns whether there were some.
     */
    stopPassing(): boolean {
      const submits = state.phase === 'passing' ? state.submits : [];
      const open = submits.filter(({ event }) => !isDispatched(event) && !event.defaultPrevented);
      for (const { event } of open) stop(event);
      return open.length > 0;
    },
    /**
     * The shopper has clicked, or pressed Enter: what passed before is over. But in WebKit (2.50) a
     * listener of the press that passes causes a trusted click, too, by `label.click()`.
     */
    onShopper() {
      if (state.phase === 'passing' && isDispatched(state.event)) settle();
    },
    /** Runs it now, or when `onEncrypted` is done. */
    whenOver(action: () => void) {
      settle(); // what was passing is over: this is a task of its own
      if (state.phase === 'sending' && state.by === 'page') state.whenOver = action;
      else action();
    },
    async encrypt(): Promise<EncryptedCard | undefined> {
      if (!isIdle()) {
        notices.tell(waitText());
        return undefined;
      }
      const press = begin('encrypt', null);
      return press && make(press);
    },
  };
}

const isDispatched = (event: Event) => event.eventPhase === 0; // Event.NONE
