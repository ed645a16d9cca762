import {
  CardEncryptionError,
  type CardEncryptionKey,
  type EncryptedCard,
  encryptCard,
} from '../index.ts';
import { formAttributes } from './attributes.ts';
import { isCardPayment } from './card-payment.ts';
import { checkDestination, leavesPageOpen, opensWindow } from './destination.ts';
import { checkFormBrowser } from './environment.ts';
import { findFields } from './fields.ts';
import { keySource } from './key-source.ts';
import {
  addBoundForm,
  type BoundForm,
  cardButtonsOf,
  isCardButton,
  removeBoundForm,
} from './listeners.ts';
import { cardMessages } from './messages.ts';
import { asCardEncryptionError, notices } from './notices.ts';
import type { CardFormBinding, CardFormOptions } from './options.ts';
import { type CardBytes, copyCard, findProblems, isSameCard, zero } from './read.ts';
import { sealedCard } from './sealed-card.ts';
import { statusLine } from './status.ts';
import {
  buttonOf,
  clickAgain,
  mayOpenWindow,
  repeatSubmit,
  submitButtons,
  submitterOf,
} from './submit.ts';
import { textsOf } from './texts.ts';
import { unclobbered, windowOf } from './unclobbered.ts';

/** One press of the shopper, from the event that was stopped until its block is delivered. */
interface Press {
  /** What happens with the block: the submit or the click is repeated, or a script gets it. */
  readonly kind: 'submit' | 'click' | 'encrypt';
  readonly submitter: HTMLElement | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the browser would have opened a window at the start of the press. */
  readonly couldOpenWindow: boolean;
  /** The card that was on the screen. */
  card?: CardBytes | undefined;
}

/** What a form is doing. */
type State =
  /** It waits for a press. */
  | { readonly phase: 'open' }
  /** It validates the card, waits for the key, encrypts, or is about to repeat the press. */
  | { readonly phase: 'pressed'; readonly press: Press }
  /** The block is on its way. */
  | ({ readonly phase: 'sent' } & Sent);

/** How a form that was sent opens again, besides by the time. */
interface Sent {
  /** Set while `onEncrypted` runs: the press ends with it. */
  readonly press?: Press;
  /**
   * Whether the block went to a script of the page, by a click of its own button. The script may
   * validate first and then submit the form. A change of any control of the page shows that it did
   * not send the block, and opens the form: the shopper corrects something first.
   */
  readonly byScript?: boolean;
}

/**
 * A press whose events pass: the library repeats it, or its click had a fresh block and may submit
 * the form in the same task.
 */
interface PassingPress {
  readonly kind: 'submit' | 'click';
  /** Its last event. */
  event?: Event;
}

/** How long a form that was sent is taken to be on its way to the server. */
const SENT_MS = 30_000;

/**
 * The same after a press of the page's own button. Nothing tells whether its script has failed by
 * then and asks for another press, so the shopper waits no longer than impatience lasts.
 */
const SENT_BY_SCRIPT_MS = 5_000;

/** A submit that comes sooner after Enter or a click of the shopper belongs to it. */
const SAME_PRESS_MS = 100;

/** How long a press waits for the key before the shopper is told. */
const SLOW_KEY_MS = 1000;

/**
 * The behaviour of a bound form: a submit with a fresh block passes; any other submit is stopped, a
 * block is made of the card on the screen, and the submit is repeated.
 */
export function cardForm(form: HTMLFormElement, options: CardFormOptions): CardFormBinding {
  const { onEncrypted, fieldName = 'encrypted_card', luhn = true, when } = options;
  const { keyTimeoutMs = 15_000, keyMaxAgeMs = Number.POSITIVE_INFINITY } = options;
  const key = keySource(options.key, keyTimeoutMs, keyMaxAgeMs);
  const texts = textsOf(options.messages);
  const status = statusLine(form, texts);
  const messages = cardMessages(form, texts, status);
  const sealed = sealedCard(form, fieldName, key.isYoung);
  const attributes = formAttributes(form);
  const { emit, setBusy, tellShopper, tellPage, fail } = notices(form, status, key.isRenewable);

  let isBound = true;
  let state: State = { phase: 'open' };
  let sentTimer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the requests for a key. The outcome of any but the last is not reported. */
  let requests = 0;
  let passing: PassingPress | undefined;
  /** The `timeStamp` of the shopper's last Enter or click of a submit button. */
  let lastShopperPress = Number.NEGATIVE_INFINITY;

  const isCurrent = (press: Press) => state.phase !== 'open' && state.press === press;

  // A press

  const onPress = (event: Event, kind: 'submit' | 'click', submitter: HTMLElement | null) => {
    if (event.defaultPrevented) return; // a listener of the page refused it before
    try {
      // A second click is another press: the browser queued it while the page's handler ran.
      const belongsToPassing = passing && (kind === 'submit' || !passing.event);
      if (passing && belongsToPassing) {
        // The click may submit the form, whose destination was not checked.
        if (passing.kind === 'click' && kind === 'submit') checkDestinationOf(submitter);
        passing.event = event;
        return;
      }
      sealed.release(); // the press before is over
      if (!isCardPayment(form, submitter, when, state.phase === 'sent')) {
        if (state.phase === 'pressed') endPress();
        sealed.withdraw();
      } else if (canPass(kind, submitter) || isSubmitByScript(event, kind)) {
        letPass(event, kind, submitter);
      } else {
        stop(event);
        startOrRefuse(kind, submitter);
      }
    } catch (error) {
      stop(event);
      if (passing) endPress(); // its submit is stopped, so nothing is on its way
      fail(error);
    }
  };

  /** Whether there is nothing to do: the block is fresh, and the page's controls are valid. */
  const canPass = (kind: Press['kind'], submitter: HTMLElement | null): boolean => {
    if (state.phase !== 'open' || onEncrypted || !sealed.freshBlock()) return false;
    // Fields that the library has emptied may be `required`, and so invalid.
    if (sealed.isEmptied() || isOnlyCard(kind, submitter)) return true;
    return unclobbered(form, 'matches')(':valid');
  };

  /** Whether this is the submit of the script that has the block: see `Sent`. */
  const isSubmitByScript = (event: Event, kind: Press['kind']): boolean =>
    kind === 'submit' &&
    state.phase === 'sent' &&
    state.byScript === true &&
    event.timeStamp - lastShopperPress > SAME_PRESS_MS;

  const offer = () => {
    sealed.offer();
    // Not added at binding: such a listener can keep a page out of the back/forward cache.
    windowOf(form).addEventListener('beforeunload', onLeaving);
  };

  /**
   * `form.submit()` raises no event. That the form's data was collected and the page is being left
   * is the only sign of it.
   */
  const onLeaving = () => {
    if (state.phase !== 'sent' && sealed.isCollected()) waitForAnswer();
  };

  const letPass = (event: Event, kind: Press['kind'], submitter: HTMLElement | null) => {
    status.clear();
    if (kind === 'submit') checkDestinationOf(submitter);
    offer();
    if (kind === 'click') {
      sealed.emptyFields();
      waitForAnswer({ byScript: true });
      // The click may submit the form, in this task: that submit belongs to this press.
      passing = { kind, event };
      setTimeout(() => {
        passing = undefined;
      });
      return;
    }
    sealed.hold();
    // The page's listeners have run when the dispatch of the event is over.
    setTimeout(() => {
      sealed.release();
      if (isBound) settle(event, submitter);
    });
  };

  /** One press at a time. */
  const startOrRefuse = (kind: Press['kind'], submitter: HTMLElement | null) => {
    if (state.phase === 'open') return start(kind, submitter);
    tellShopper(state.phase === 'sent' ? 'payment_under_way' : 'one_moment');
    return Promise.resolve(undefined);
  };

  /** Runs a press whose event was stopped. Never rejects. */
  const start = async (
    kind: Press['kind'],
    submitter: HTMLElement | null,
  ): Promise<EncryptedCard | undefined> => {
    const startedAt = Date.now();
    const couldOpenWindow = mayOpenWindow(startedAt);
    const press: Press = { kind, submitter, startedAt, couldOpenWindow };
    state = { phase: 'pressed', press };
    setBusy(true);
    status.clear();
    try {
      const isWanted = emit('submit', { submitter });
      if (!isWanted || !isCurrent(press)) return undefined;
      const block = await makeBlock(press);
      if (!block || !isCurrent(press)) return undefined;
      await deliver(block, press);
      return block;
    } catch (error) {
      if (isCurrent(press)) fail(error);
      return undefined;
    } finally {
      // `endPress` zeroes only what it finds: a listener may end the press before `card` is set.
      if (press.card) zero(press.card);
      if (isCurrent(press)) endPress();
    }
  };

  /**
   * Returns the block for a press, or undefined if the press has ended or the shopper was shown why
   * there is none.
   */
  const makeBlock = async (press: Press): Promise<EncryptedCard | undefined> => {
    checkFormBrowser();
    if (press.kind === 'submit') checkDestinationOf(press.submitter);
    const existing = sealed.freshBlock();
    if (existing && sealed.isEmptied()) return existing;
    // Also with a block at hand: a control of the page may be invalid, and has to be reported.
    press.card = readValidCard(press);
    if (!press.card) return undefined;
    if (existing) return existing;
    sealed.drop();

    const ready = await waitForKey(press);
    if (!isCurrent(press) || !isStillThePress(press)) return undefined;
    const block = await encrypt(ready.key, press);
    if (!isCurrent(press)) return undefined;
    sealed.seal(block, ready.arrived, press.card);
    delete press.card; // `sealed` zeroes it from now on
    offer(); // every script that sends the form finds the block from now on
    emit('encrypted', { key_id: block.key_id });
    return block;
  };

  /** Reads the card, and shows what the shopper has to correct. */
  const readValidCard = ({ kind, submitter }: Press): CardBytes | undefined => {
    const { card, controls } = sealed.read();
    const problems = findProblems(card, controls, luhn);
    const isValid = messages.report(problems, isOnlyCard(kind, submitter));
    if (isValid) return card;
    zero(card);
    if (!problems[0]) return undefined; // a control of the page is invalid
    const { field } = problems[0];
    throw new CardEncryptionError('invalid_card', 'The shopper has to correct the card', { field });
  };

  const waitForKey = async (press: Press) => {
    const timer = setTimeout(() => {
      if (isCurrent(press)) tellShopper('one_moment');
    }, SLOW_KEY_MS);
    try {
      return await key.get();
    } finally {
      clearTimeout(timer);
      if (isCurrent(press)) status.endWaiting();
    }
  };

  /** While the key was on its way, the shopper could change the card or the way to pay. */
  const isStillThePress = (press: Press): boolean => {
    let isSame = false;
    if (press.kind === 'encrypt' || isCardPayment(form, press.submitter, when)) {
      const card = readValidCard(press);
      if (!card) return false;
      isSame = isSameCard(card, press.card!);
      zero(card);
    }
    if (!isSame) tellShopper('press_again');
    return isSame;
  };

  const encrypt = async (preparedKey: CardEncryptionKey, press: Press): Promise<EncryptedCard> => {
    try {
      const block = await encryptCard(preparedKey, copyCard(press.card!));
      key.drop(); // one key, one card, whatever becomes of the press
      return block;
    } catch (error) {
      const { code, field } = error as CardEncryptionError;
      if (!field) {
        key.drop();
      } else if (isCurrent(press)) {
        // The key is not used up. All but the characters and length of the name was validated.
        const problem = code === 'card_too_long' ? 'name_too_long' : 'name_invalid';
        const controls = findFields(form).name;
        messages.report([{ problem, field, controls }], isOnlyCard(press.kind, press.submitter));
      }
      throw error;
    }
  };

  // The delivery of a block

  const deliver = async (block: EncryptedCard, press: Press): Promise<void> => {
    if (press.kind === 'encrypt') {
      sealed.emptyFields();
      sealed.markSent();
    } else if (press.kind === 'click') {
      await repeatClick(press);
    } else if (onEncrypted) {
      await callPage(onEncrypted, block, press);
    } else {
      await repeat(press);
    }
  };

  const callPage = async (
    receive: NonNullable<CardFormOptions['onEncrypted']>,
    block: EncryptedCard,
    press: Press,
  ) => {
    sealed.emptyFields();
    if (!isCurrent(press)) return; // a listener ended it
    waitForAnswer({ press });
    try {
      await receive(block, press.submitter);
    } catch (error) {
      reportToPage(error);
    }
  };

  const repeatClick = async (press: Press) => {
    await endOfDispatch();
    if (!isCurrent(press)) return;
    offer();
    sealed.emptyFields();
    if (!isCurrent(press)) return;
    let isClicked = false;
    watchRepetition('click', () => {
      isClicked = clickAgain(press.submitter!);
    });
    if (!isCurrent(press)) return;
    if (isClicked) waitForAnswer({ byScript: true });
    else tellShopper('press_again');
  };

  const repeat = async (press: Press) => {
    await endOfDispatch();
    if (!isCurrent(press)) return;
    const button = buttonOf(form, press.submitter);
    const isTooLate = press.couldOpenWindow && !mayOpenWindow(press.startedAt);
    const isBlocked = isTooLate && opensWindow(form, button);
    if (isBlocked || !sealed.freshBlock() || !form.isConnected) {
      tellShopper('press_again');
      return;
    }
    checkDestinationOf(button);
    offer();
    const event = watchRepetition('submit', () => repeatSubmit(form, button));
    if (isCurrent(press) && event) settle(event, button);
  };

  /** Returns the last event of the repetition; nothing if a listener of the page stopped it. */
  const watchRepetition = (kind: PassingPress['kind'], action: () => void): Event | undefined => {
    const watched: PassingPress = { kind };
    passing = watched;
    if (kind === 'submit') sealed.hold();
    try {
      action();
    } finally {
      sealed.release();
      passing = undefined;
    }
    return watched.event;
  };

  /** After a submit with the block: unless the page has cancelled it, the form is on its way. */
  const settle = (event: Event, submitter: HTMLElement | null) => {
    if (event.defaultPrevented) return;
    if (leavesPageOpen(form, submitter)) setTimeout(openForNextCard);
    else waitForAnswer();
  };

  /** The answer is shown in another page or frame, and this form stays. */
  const openForNextCard = () => {
    if (!isBound || !sealed.exists()) return;
    sealed.emptyFields();
    sealed.drop();
    if (key.isRenewable) requestKey();
  };

  /**
   * Marks the block as sent. If the page is still there when the time is over, the fields are
   * emptied, and the next press sends the same block again.
   */
  const waitForAnswer = (sent: Sent = {}) => {
    sealed.markSent();
    state = { phase: 'sent', ...sent };
    if (!sent.press) setBusy(false);
    clearTimeout(sentTimer);
    const onTimeout = () => {
      if (sealed.isInFields()) sealed.emptyFields();
      endPress();
    };
    sentTimer = setTimeout(onTimeout, sent.byScript ? SENT_BY_SCRIPT_MS : SENT_MS);
  };

  // The form

  const checkDestinationOf = (submitter: HTMLElement | null) => {
    if (!onEncrypted) checkDestination(form, submitter, options.allowCrossOriginAction);
  };

  /** Whether only the card is validated, because the browser would not validate the rest. */
  const isOnlyCard = (kind: Press['kind'], submitter: HTMLElement | null): boolean =>
    kind !== 'submit' ||
    attributes.hadNoValidate ||
    Boolean(submitter?.hasAttribute('formnovalidate'));

  /** Checks the form when it is bound, unless another way to pay is chosen at that time. */
  const checkForm = () => {
    checkFormBrowser();
    if (!isCardPayment(form, null, when)) return;
    findFields(form);
    sealed.checkInput();
    const button = submitButtons(form).find((it) => !isCardButton(it)) ?? null;
    const hasCardButton = cardButtonsOf(form).length > 0;
    // A form with card buttons only is sent by a script: its action need not be a destination.
    if (button || !hasCardButton) checkDestinationOf(button);
    if (!button && !hasCardButton) {
      console.warn(
        'cardseal: the card form has no submit button; mark yours: data-cardseal-button',
      );
    }
  };

  /** Ends a press, whatever it is waiting for. */
  const endPress = () => {
    if (state.phase === 'pressed' && state.press.card) zero(state.press.card);
    state = { phase: 'open' };
    clearTimeout(sentTimer);
    setBusy(false);
    status.endWaiting();
  };

  /** Ends the press, and drops the block and all messages. */
  const forget = () => {
    requests += 1;
    endPress();
    sealed.drop();
    windowOf(form).removeEventListener('beforeunload', onLeaving);
    messages.clear();
    status.clear();
  };

  /** Requests a key before the shopper presses. A page need not handle the rejection. */
  const requestKey = (check = () => {}): Promise<void> => ignorable(loadKey(check));

  const loadKey = async (check: () => void): Promise<void> => {
    requests += 1;
    const request = requests;
    const isLast = () => request === requests;
    try {
      check();
      await key.get();
    } catch (error) {
      await Promise.resolve(); // what fails at once is reported after the page adds its listeners
      // A press that waits for this key reports the error itself.
      if (isLast() && state.phase !== 'pressed') tellPage(error);
      throw asCardEncryptionError(error);
    }
    if (isLast()) emit('ready');
  };

  const startAgain = (): Promise<void> => {
    forget();
    sealed.emptyFields();
    key.drop();
    return requestKey();
  };

  const bound: BoundForm = {
    form,
    onSubmit: (event) => onPress(event, 'submit', submitterOf(event, form)),
    onCardButton(event, button) {
      attributes.apply();
      onPress(event, 'click', button);
    },
    onEnter(event) {
      lastShopperPress = event.timeStamp;
    },
    onButton(event, button) {
      attributes.apply();
      if (event.isTrusted) lastShopperPress = event.timeStamp;
      // A page that cancels the submit and sends by a script would send twice for a double click.
      const isSecondClick = event.detail > 1 && state.phase === 'open' && sealed.exists();
      if (isSecondClick && isCardPayment(form, button, when)) event.preventDefault();
    },
    onChange(control) {
      attributes.apply();
      sealed.onChange(control);
    },
    onAnyChange() {
      if (state.phase === 'sent' && state.byScript) endPress();
    },
    onFormData: sealed.onFormData,
    onReset(event) {
      sealed.withdraw();
      sealed.clearDefaults();
      // Whether a listener cancels the reset is known when the dispatch of the event is over.
      setTimeout(() => {
        if (!isBound || event.defaultPrevented) return;
        const needsKey = sealed.exists() && key.isRenewable;
        forget();
        sealed.emptyFields();
        if (needsKey) requestKey();
      });
    },
    onPageHide() {
      forget();
      sealed.emptyFields();
    },
    onPageRestored: startAgain,
    unbind() {
      if (!isBound) return;
      isBound = false;
      removeBoundForm(bound);
      if (sealed.isInFields()) sealed.emptyFields();
      const isInterrupted = state.phase === 'pressed';
      forget();
      attributes.restore();
      // For example a component that renders again, and binds again, because of the press.
      if (isInterrupted && form.isConnected) {
        tellShopper('press_again');
        status.leave();
      }
    },
  };
  addBoundForm(bound);
  attributes.apply();

  return {
    ready: requestKey(checkForm),
    restart: () => (isBound ? startAgain() : Promise.resolve()),
    unbind: bound.unbind,
    encrypt: () => (isBound ? startOrRefuse('encrypt', null) : Promise.resolve(undefined)),
  };
}

/** Chromium ignores `requestSubmit()` and `click()` while it dispatches the event of the press. */
const endOfDispatch = () => new Promise((resolve) => setTimeout(resolve));

const stop = (event: Event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};

/** A rejection of this promise is not reported as unhandled. */
function ignorable<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** `reportError` came with Chrome 95, Firefox 93 and Safari 15.4. */
function reportToPage(error: unknown): void {
  if (typeof reportError === 'function') {
    reportError(error);
  } else {
    setTimeout(() => {
      throw error;
    });
  }
}
