import { CardEncryptionError, type EncryptedCard, encryptCard } from '../core/index.ts';
import { formAttributes } from './attributes.ts';
import { isCardPayment, isOtherButton } from './card-payment.ts';
import { checkDestination, leavesPageOpen, opensWindow } from './destination.ts';
import { checkFormBrowser } from './environment.ts';
import { findFields } from './fields.ts';
import { followUps } from './follow-ups.ts';
import { keyRequests } from './key-requests.ts';
import { keySource, type ReadyKey } from './key-source.ts';
import {
  addBoundForm,
  type BoundForm,
  cardButtonsOf,
  isCardButton,
  removeBoundForm,
} from './listeners.ts';
import { cardMessages } from './messages.ts';
import { notices } from './notices.ts';
import type { CardFormBinding, CardFormOptions } from './options.ts';
import { type CardBytes, copyCard, findProblems, isSameCard, zero } from './read.ts';
import { sealedCard } from './sealed-card.ts';
import { statusLine } from './status.ts';
import { stop } from './stop.ts';
import {
  type Button,
  buttonOf,
  clickAgain,
  repeatSubmit,
  submitButtons,
  submitterOf,
} from './submit.ts';
import { textsOf } from './texts.ts';
import { unclobbered, windowOf } from './unclobbered.ts';
import { windowMoments } from './window-moments.ts';

/** One press of the shopper, from the event that was stopped until its block is delivered. */
interface Press {
  /**
   * What happens with the block. `submit`: the form's submit is repeated, or `onEncrypted` gets the
   * block. `click`: the click of a card button is repeated, which is a button of the page with
   * `data-cardseal-button`; its handlers send the block. `encrypt`: the caller gets the block.
   */
  readonly kind: 'submit' | 'click' | 'encrypt';
  readonly submitter: HTMLElement | null;
  /**
   * Set if the form's answer opens in a new window. Waits for the next moment in which the press
   * may open it; `false` if there is none left.
   */
  nextWindowMoment?: () => Promise<boolean>;
  /** The card to encrypt. `openForm` zeroes it, unless `sealed` has taken it over before. */
  card?: CardBytes | undefined;
}

/** What a form is doing. */
type State =
  /** It waits for a press. */
  | { readonly phase: 'open' }
  /** It validates the card, waits for the key, encrypts, or repeats the press. */
  | { readonly phase: 'pressed'; readonly press: Press }
  /**
   * `onEncrypted` has the block, and may submit the form. The form opens when it ends, or after
   * `SENT_MS`.
   */
  | { readonly phase: 'handed over'; readonly press: Press }
  /**
   * A submit passes at once, because its block was there before. The page's listeners may cancel
   * it: see `settleSubmit`.
   */
  | {
      readonly phase: 'submitting';
      readonly event: Event;
      readonly submitter: HTMLElement | null;
      /**
       * Whether a script of the page has the block, too: it may send it although the submit is
       * cancelled.
       */
      readonly scriptHasBlock: boolean;
    }
  /** The form is on its way to the server. It opens after `SENT_MS`. */
  | { readonly phase: 'submitted' }
  /**
   * A script of the page has the block, by a click of a card button, or from `onEncrypted` if that
   * has submitted the form and a listener has cancelled it. The script may validate first, and
   * submit the form then. The form opens after `WITH_SCRIPT_MS`. It opens at once if something
   * changes in the page: the shopper seems to correct something, so the script has not sent the
   * block. If it has, the server gets the same block again and can tell.
   */
  | { readonly phase: 'with script' };

/** How long the server may take to answer a submitted form, before the form opens again. */
const SENT_MS = 30_000;

/**
 * How long a script may take. It is shorter, because nothing tells whether the script has failed
 * and asks for another press.
 */
const WITH_SCRIPT_MS = 5_000;

/** A submit that comes within this time of the shopper's Enter or click counts as caused by it. */
const SAME_PRESS_MS = 100;

/** How long a press waits for the key before the shopper is told. */
const SLOW_KEY_MS = 1000;

/** For `isCardPayment`: the page may have locked the fields, because it is sending them. */
const MAY_BE_LOCKED = true;

/**
 * The behaviour of a bound form: a submit with a fresh block passes; any other submit is stopped, a
 * block is made of the card on the screen, and the submit is repeated.
 *
 * Scripts of the page run inside `emit`, `when`, `messages.report`, `sealed.emptyFields`, a
 * repeated click or submit, and every `await`. Each of them may end the press: see `isCurrent`.
 */
export function cardForm(form: HTMLFormElement, options: CardFormOptions): CardFormBinding {
  const { onEncrypted, fieldName = 'encrypted_card', luhn = true, when } = options;
  const { keyTimeoutMs = 15_000, keyMaxAgeMs = Number.POSITIVE_INFINITY } = options;

  const keys = keySource(options.key, keyTimeoutMs, keyMaxAgeMs);
  const texts = textsOf(options.messages);
  const status = statusLine(form, texts);
  const messages = cardMessages(form, texts, status);
  const sealed = sealedCard(form, fieldName, keys.isYoung);
  const attributes = formAttributes(form);
  const notifier = notices(form, status, keys.isRenewable);
  const { emit, setBusy, tellShopper, fail } = notifier;
  const following = followUps();

  let isBound = true;
  let state: State = { phase: 'open' };
  const isPressed = () => state.phase === 'pressed';
  const requests = keyRequests(keys, notifier, isPressed);
  let sentTimer: ReturnType<typeof setTimeout> | undefined;
  /** When the shopper last pressed Enter or a submit button, until the form has dealt with it. */
  let lastShopperPress: number | undefined;
  /** Whether the shopper or the page has changed something since the last press. */
  let hasChanged = false;

  /** Whether the press is still under way: nothing has ended it. */
  const isCurrent = (press: Press) => 'press' in state && state.press === press;

  /** Whether a block is out of the library's hands, so that other presses have to wait. */
  const isPaymentUnderWay = () => state.phase !== 'open' && state.phase !== 'pressed';

  /** Checks where the browser would send the form, with the block. */
  const checkAddress = (submitter: HTMLElement | null) =>
    checkDestination(form, submitter, options.allowCrossOriginAction);

  /** Opens the form if a submit cannot be prepared and does not pass: nothing is on its way then. */
  const orOpen = (prepare: () => void) => {
    try {
      prepare();
    } catch (error) {
      openForm();
      throw error;
    }
  };

  // A press

  const onPress = (event: Event, kind: 'submit' | 'click', submitter: HTMLElement | null) => {
    if (event.defaultPrevented) return; // a listener of the page refused it before
    try {
      if (takeFollowUp(event, kind, submitter)) return;
      settleSubmit();
      hasChanged = false;
      if (!isCardPayment(form, submitter, when, isPaymentUnderWay())) {
        // The shopper has chosen another way to pay. A card press under way ends.
        if (state.phase === 'pressed') openForm();
        sealed.withdraw();
        if (kind === 'submit' && !validateOthers(event, submitter)) stop(event);
      } else if (kind === 'click' && canPass(kind, submitter)) {
        letClickPass(event);
      } else if (kind === 'submit' && (canPass(kind, submitter) || isSubmitByScript())) {
        letSubmitPass(event, submitter);
      } else {
        stop(event);
        startOrRefuse(kind, submitter); // never rejects
      }
    } catch (error) {
      stop(event);
      fail(error);
    }
  };

  /**
   * Lets an event pass if an earlier press, which the form has handled, has caused it. Returns
   * whether this is so.
   *
   * @throws {@link CardEncryptionError} `invalid_form` if it is a submit that must not pass.
   */
  const takeFollowUp = (
    event: Event,
    kind: 'submit' | 'click',
    submitter: HTMLElement | null,
  ): boolean => {
    // `following` knows the clicks during a press that the library repeats, and
    // `takeClickDuringSubmit` those during a submit that has passed at once.
    if (kind === 'click') return following.takeClick() || takeClickDuringSubmit();
    const cause = following.takeSubmit(event);
    if (cause === 'click') takeSubmitByClick(event, submitter);
    return cause !== undefined;
  };

  /**
   * A listener of a submit that passes may click a card button. The click passes, too, and a script
   * of the page has the block. Returns whether this is so.
   */
  const takeClickDuringSubmit = (): boolean => {
    if (state.phase !== 'submitting') return false;
    const isBeingDispatched = state.event.eventPhase !== Event.NONE;
    if (!isBeingDispatched) return false;
    state = { ...state, scriptHasBlock: true };
    return true;
  };

  /** A handler of a click that passed submits the form. */
  const takeSubmitByClick = (event: Event, submitter: HTMLElement | null) => {
    orOpen(() => checkAddress(submitter));
    const scriptHasBlock = true;
    // By then the listeners have run, and `letClickPass` or `clickButtonAgain` has set the phase,
    // unless something has opened the form.
    setTimeout(() => {
      if (state.phase === 'with script') settle(event, submitter, scriptHasBlock);
    });
  };

  /**
   * Whether there is nothing to do: the block is fresh, and the page's controls are valid. The
   * fields that the library has emptied may be `required`: then the form is never valid again, and
   * the page's controls are left to its server.
   */
  const canPass = (kind: 'submit' | 'click', submitter: HTMLElement | null): boolean => {
    if (state.phase !== 'open' || !sealed.freshBlock()) return false;
    if (kind === 'submit' && onEncrypted) return false; // it gets the block, and nothing passes
    if (sealed.isEmptied() || validatesOnlyCard(kind, submitter)) return true;
    return unclobbered(form, 'matches')(':valid');
  };

  /**
   * Validates the page's controls for a submit without a card, as the browser would do if the
   * library had not set `novalidate`. It does not for an event that a script has made. Shows what
   * is wrong, and returns whether nothing is.
   */
  const validateOthers = (event: Event, submitter: HTMLElement | null): boolean => {
    if (!event.isTrusted || validatesOnlyCard('submit', submitter)) return true;
    return messages.reportOthers();
  };

  const isShopperPressing = (): boolean =>
    lastShopperPress !== undefined && Date.now() - lastShopperPress <= SAME_PRESS_MS;

  /** Whether a script of the page has the block: that of a card button, or `onEncrypted`. */
  const hasScriptBlock = (): boolean =>
    state.phase === 'with script' || state.phase === 'handed over';

  /** Whether the script that has the block submits the form, and not the shopper. */
  const isSubmitByScript = (): boolean => hasScriptBlock() && !isShopperPressing();

  const offer = () => {
    sealed.offer();
    // Not added at binding: such a listener can keep a page out of the back/forward cache.
    windowOf(form).addEventListener('beforeunload', onLeaving);
  };

  /**
   * `form.submit()` raises no event. That the form's data was collected and the page is being left
   * is the only sign of it. `wasJustCollected` has a limit in time: otherwise a link to a download
   * would count, if the shopper clicks it after a submit that the page has cancelled.
   */
  const onLeaving = () => {
    if (sealed.wasJustCollected()) refuseWhile('submitted');
  };

  const unwatchLeaving = () => windowOf(form).removeEventListener('beforeunload', onLeaving);

  const letClickPass = (event: Event) => {
    status.clear();
    offer();
    sealed.emptyFields(); // before its handlers: many send controls without a name, too
    if (!sealed.exists()) {
      stop(event); // a listener has dropped the block
      tellShopper('press_again');
      return;
    }
    refuseWhile('with script');
    following.afterClick();
  };

  const letSubmitPass = (event: Event, submitter: HTMLElement | null) => {
    status.clear();
    orOpen(() => {
      checkAddress(submitter);
      offer();
    });
    clearTimeout(sentTimer); // that of the script's phase
    const scriptHasBlock = hasScriptBlock();
    state = { phase: 'submitting', event, submitter, scriptHasBlock };
    sealed.keepBlock(); // whatever the page's listeners do to the fields
    setTimeout(settleSubmit);
  };

  /**
   * After the dispatch of a submit that passed: the page's listeners have run. A timer calls this,
   * or the next press, if that comes before the timer.
   */
  const settleSubmit = () => {
    if (state.phase !== 'submitting') return;
    const { event, submitter, scriptHasBlock } = state;
    sealed.endKeepingBlock();
    state = { phase: 'open' };
    settle(event, submitter, scriptHasBlock);
  };

  /** One press at a time. */
  const startOrRefuse = async (
    kind: Press['kind'],
    submitter: HTMLElement | null,
  ): Promise<EncryptedCard | undefined> => {
    if (state.phase === 'open') return start(kind, submitter);
    tellShopper(isPaymentUnderWay() ? 'payment_under_way' : 'one_moment');
    return undefined;
  };

  /**
   * Makes a block and delivers it. Never rejects. Returns the block for `encrypt()`, unless
   * something has ended the press.
   */
  const start = async (
    kind: Press['kind'],
    submitter: HTMLElement | null,
  ): Promise<EncryptedCard | undefined> => {
    const press: Press = { kind, submitter };
    state = { phase: 'pressed', press };
    try {
      if (isSentByBrowser(kind) && opensWindow(form, submitter)) {
        press.nextWindowMoment = windowMoments();
      }
      setBusy(true);
      status.clear();
      const isWanted = emit('submit', { submitter });
      const block = isWanted && isCurrent(press) ? await makeBlock(press) : undefined;
      if (!block || !isCurrent(press)) return undefined;
      await deliver(block, press);
      return isCurrent(press) ? block : undefined;
    } catch (error) {
      if (!isCurrent(press)) return undefined;
      openForm(); // first: a listener of the error may press again
      fail(error);
      return undefined;
    } finally {
      if (isCurrent(press)) openForm();
    }
  };

  /**
   * Returns the block for a press, or undefined if the press has ended or the shopper was shown why
   * there is none.
   */
  const makeBlock = async (press: Press): Promise<EncryptedCard | undefined> => {
    checkFormBrowser();
    if (isSentByBrowser(press.kind)) checkAddress(press.submitter);
    const existing = sealed.freshBlock();
    // There is nothing to read, and the page's controls are left to its server: see `canPass`.
    if (existing && sealed.isEmptied()) return existing;
    const card = readValidCard(press);
    if (!card) return undefined;
    if (!isCurrent(press)) {
      zero(card);
      return undefined;
    }
    if (existing) {
      zero(card); // the block is of the same card
      return existing;
    }
    press.card = card;
    dropBlock();

    const ready = await waitForKey(press);
    if (!isCurrent(press)) return undefined;
    const isRefused = refuseIfChanged(card, press); // scripts of the page run in it
    if (isRefused || !isCurrent(press)) return undefined;
    const block = await encrypt(ready, card, press);
    if (!isCurrent(press)) return undefined;
    press.card = undefined;
    sealed.seal(block, ready.arrived, card);
    if (!sealed.isCardInFields()) {
      tellShopper('press_again'); // the card on the screen has changed during the encryption
      return undefined;
    }
    offer(); // every script that sends the form finds the block from now on
    emit('encrypted', { key_id: block.key_id });
    return block;
  };

  /**
   * Reads the card, which the caller has to zero. If the shopper has something to correct, in the
   * card or in a control of the page, shows it and returns undefined.
   */
  const readValidCard = (press: Press): CardBytes | undefined => {
    const { card, controls } = sealed.read();
    const problems = findProblems(card, controls, luhn);
    const isValid = messages.report(problems, validatesOnlyCard(press.kind, press.submitter));
    if (isValid) return card;
    zero(card);
    const [first] = problems;
    if (first && isCurrent(press)) {
      const code = first.problem === 'name_too_long' ? 'card_too_long' : 'invalid_card';
      const message = 'The shopper has to correct the card';
      fail(new CardEncryptionError(code, message, { field: first.field }));
    }
    return undefined;
  };

  const waitForKey = async (press: Press): Promise<ReadyKey> => {
    const timer = setTimeout(() => {
      if (isCurrent(press)) tellShopper('one_moment');
    }, SLOW_KEY_MS);
    try {
      return await keys.get();
    } finally {
      clearTimeout(timer);
      if (isCurrent(press)) status.endWaiting();
    }
  };

  /**
   * While the key was on its way, the shopper could change the form and the way to pay. If the card
   * is not that of the press any more, or the form is not valid, the shopper reads why nothing is
   * sent.
   *
   * @returns Whether this is so.
   */
  const refuseIfChanged = (card: CardBytes, press: Press): boolean => {
    const isByPage = press.kind === 'encrypt'; // the page has decided that it pays by card
    if (!isByPage && !isCardPayment(form, press.submitter, when)) {
      if (isCurrent(press)) tellShopper('press_again');
      return true;
    }
    const now = readValidCard(press);
    if (!now) return true;
    const isChanged = !isSameCard(now, card);
    zero(now);
    if (isChanged && isCurrent(press)) tellShopper('press_again');
    return isChanged;
  };

  const encrypt = async (
    ready: ReadyKey,
    card: CardBytes,
    press: Press,
  ): Promise<EncryptedCard> => {
    try {
      const block = await encryptCard(ready.key, copyCard(card));
      keys.drop(ready); // one key, one card, whatever becomes of the press
      return block;
    } catch (error) {
      const { code, field } = error as CardEncryptionError;
      if (!field) {
        keys.drop(ready);
      } else if (isCurrent(press)) {
        // The key is not used up. `findProblems` has validated every field but the name.
        const problem = code === 'card_too_long' ? 'name_too_long' : 'name_invalid';
        const controls = findFields(form).name;
        messages.report(
          [{ problem, field, controls }],
          validatesOnlyCard(press.kind, press.submitter),
        );
      }
      throw error;
    }
  };

  // The delivery of a block

  /**
   * A script gets the block of the card that the shopper pressed with, whatever the page has made
   * of the fields since. The browser sends the form as it is now, if the card is still the same.
   */
  const deliver = async (block: EncryptedCard, press: Press): Promise<void> => {
    if (press.kind === 'encrypt') {
      sealed.emptyFields();
      sealed.markSent();
    } else if (press.kind === 'click') {
      await clickButtonAgain(press);
    } else if (onEncrypted) {
      await callPage(onEncrypted, block, press);
    } else {
      await submitAgain(press);
    }
  };

  const callPage = async (
    receive: NonNullable<CardFormOptions['onEncrypted']>,
    block: EncryptedCard,
    press: Press,
  ) => {
    await endOfDispatch(); // the page may submit the form
    if (!isCurrent(press)) return;
    sealed.emptyFields();
    if (!isCurrent(press)) return; // a listener ended it
    sealed.markSent();
    state = { phase: 'handed over', press };
    lastShopperPress = undefined; // dealt with: see `isSubmitByScript`
    openAfter(SENT_MS);
    try {
      await receive(block, press.submitter);
    } catch (error) {
      reportToPage(error);
    }
  };

  const clickButtonAgain = async (press: Press) => {
    await endOfDispatch();
    if (!isCurrent(press)) return;
    const button = press.submitter!;
    if (!button.isConnected) {
      tellShopper('press_again'); // a page that renders anew may have replaced the button
      return;
    }
    offer();
    sealed.emptyFields();
    if (!isCurrent(press)) return; // a listener of the emptied fields has ended it
    const isClicked = following.duringClick(() => clickAgain(button));
    if (!isCurrent(press)) return;
    if (isClicked) refuseWhile('with script');
    else tellShopper('press_again');
  };

  /**
   * Waits until the dispatch of the press is over. If it returns true, the press may open a window
   * now: the caller must not wait for another task before it does.
   */
  const afterDispatch = async ({ nextWindowMoment }: Press): Promise<boolean> => {
    // A moment is a timer of the press, so the dispatch is over by then.
    if (nextWindowMoment && (await nextWindowMoment())) return true;
    await endOfDispatch();
    return false;
  };

  const submitAgain = async (press: Press) => {
    const mayOpenWindow = await afterDispatch(press);
    if (!isCurrent(press)) return;
    const button = buttonOf(form, press.submitter);
    const isBlocked = opensWindow(form, button) && !mayOpenWindow;
    // A listener of `cardseal:encrypted` may have changed the fields, or removed the form.
    if (isBlocked || !sealed.freshBlock() || !form.isConnected) {
      tellShopper('press_again');
      return;
    }
    checkAddress(button);
    offer();
    sealed.keepBlock(); // whatever the page's listeners do to the fields
    const { event, hasClicked } = following.duringSubmit(() => repeatSubmit(form, button));
    sealed.endKeepingBlock(); // also if a listener has ended the press
    if (!isCurrent(press)) return;
    // Without an event a listener of the page has stopped it before the library saw it: the page
    // has refused the press, and the form opens.
    if (event) settle(event, button, hasClicked);
  };

  /**
   * After a submit with the block. If the page has cancelled it and no script has the block, the
   * page has refused the press, or sends the form's data by itself: the form opens, and the next
   * press brings the same block. If nobody has cancelled it, the form is on its way.
   *
   * @param scriptHasBlock - Whether a script of the page has the block, too: it may send it
   * although the submit is cancelled.
   */
  const settle = (event: Event, submitter: HTMLElement | null, scriptHasBlock: boolean) => {
    // An event that a script has made sends nothing by itself.
    if (event.defaultPrevented || !event.isTrusted) {
      if (scriptHasBlock) refuseWhile('with script');
    } else if (leavesPageOpen(form, submitter)) {
      setTimeout(startNextCard); // when this press is over
    } else {
      refuseWhile('submitted');
    }
  };

  /** The answer is shown in another page or frame, and this form stays. */
  const startNextCard = () => {
    if (!isBound || !sealed.exists()) return;
    openForm(); // a script that has the block must not send the form any more
    sealed.emptyFields();
    dropBlock();
    if (keys.isRenewable) requests.start();
  };

  /** Refuses other presses for a while: the block may be on its way. */
  const refuseWhile = (phase: 'submitted' | 'with script') => {
    sealed.markSent();
    setBusy(false);
    state = { phase };
    // The press so far is dealt with: a submit that follows it closely is the script's. See
    // `isSubmitByScript`.
    lastShopperPress = undefined;
    openAfter(phase === 'submitted' ? SENT_MS : WITH_SCRIPT_MS);
  };

  /**
   * Opens the form if the page is still there then. The next press sends the same block again. The
   * block may have paid, so its card does not stay on the screen.
   */
  const openAfter = (ms: number) => {
    clearTimeout(sentTimer);
    sentTimer = setTimeout(() => {
      if (sealed.isCardInFields()) sealed.emptyFields();
      openForm();
    }, ms);
  };

  // The form

  /** Whether the browser sends the block, with the form, and no script does. */
  const isSentByBrowser = (kind: Press['kind']) => kind === 'submit' && !onEncrypted;

  /** Whether only the card is validated, as a script or `novalidate` asks for. */
  const validatesOnlyCard = (kind: Press['kind'], submitter: HTMLElement | null): boolean =>
    kind !== 'submit' ||
    attributes.hadNoValidate ||
    Boolean(submitter?.hasAttribute('formnovalidate'));

  /** Whether the page says that the shopper pays by card. How its fields look does not count. */
  const doesPageSayCard = (): boolean => {
    try {
      return isCardPayment(form, null, when, MAY_BE_LOCKED);
    } catch {
      return false; // without an answer no block goes into the form's data
    }
  };

  /** Checks the form when it is bound, unless another way to pay is chosen at that time. */
  const checkForm = () => {
    checkFormBrowser();
    if (!isCardPayment(form, null, when)) return;
    findFields(form);
    sealed.checkInput();
    // The block goes with the submit of such a button. A card button's script sends it by itself.
    const submitsCard = (button: Button) => !isCardButton(button) && !isOtherButton(button);
    const button = submitButtons(form).find(submitsCard) ?? null;
    const hasCardButton = cardButtonsOf(form).length > 0;
    // A form with card buttons only is sent by a script: its action need not be a destination.
    const hasDestination = !onEncrypted && (button !== null || !hasCardButton);
    if (hasDestination) checkAddress(button);
    if (!button && !hasCardButton) {
      console.warn(
        'cardseal: the card form has no submit button; mark yours: data-cardseal-button',
      );
    }
  };

  /** Opens the form, whatever it is doing. */
  const openForm = () => {
    if ('press' in state && state.press.card) zero(state.press.card);
    state = { phase: 'open' };
    sealed.endKeepingBlock();
    clearTimeout(sentTimer);
    setBusy(false);
    status.endWaiting();
  };

  const dropBlock = () => {
    sealed.drop();
    unwatchLeaving();
  };

  /** Opens the form as if nobody had pressed: without a block or a message. */
  const resetPress = () => {
    openForm();
    dropBlock();
    messages.clear();
    status.clear();
  };

  const startAgain = (): Promise<void> => {
    resetPress();
    sealed.emptyFields();
    keys.drop();
    return requests.start();
  };

  const bound: BoundForm = {
    form,
    onSubmit: (event) => onPress(event, 'submit', submitterOf(event, form)),
    onCardButton(event, button) {
      attributes.apply(); // the page may have rendered the form's attributes again
      onPress(event, 'click', button);
    },
    onEnter() {
      lastShopperPress = Date.now();
    },
    onButton(event, button) {
      attributes.apply();
      if (event.isTrusted) lastShopperPress = Date.now();
      // The second click of a double click, after the first one has made a block: a script of the
      // page may be sending it, and would do so twice. A shopper who has corrected something
      // between the clicks means both.
      const isDoubleClick = event.detail > 1 && !hasChanged;
      const hasBlock = state.phase === 'open' && sealed.isOffered(); // other phases refuse a press
      if (isDoubleClick && hasBlock && isCardPayment(form, button, when, MAY_BE_LOCKED)) {
        event.preventDefault();
      }
    },
    onChange(control) {
      attributes.apply();
      sealed.onChange(control);
      if (!sealed.exists()) unwatchLeaving();
    },
    onPossibleCorrection() {
      if (sealed.isEmptying()) return; // the library changes its fields itself
      hasChanged = true;
      if (state.phase === 'with script') openForm();
    },
    onFormData(data) {
      // After a card press the shopper may choose another way to pay, which a script sends. The
      // data of the card's own submit was collected before it was on its way.
      const isAfterPress = state.phase === 'open' || state.phase === 'submitted';
      if (isAfterPress && !doesPageSayCard()) sealed.withdraw();
      sealed.onFormData(data);
    },
    onReset(event) {
      // At once, because a script may send the form in the same task. If the reset is cancelled,
      // the next press offers the block again.
      sealed.withdraw();
      const restoreDefaults = sealed.clearDefaults();
      // Whether a listener cancels the reset is known when the dispatch of the event is over.
      setTimeout(() => {
        if (event.defaultPrevented) restoreDefaults();
        if (!isBound || event.defaultPrevented) return;
        const needsKey = sealed.exists() && keys.isRenewable; // the block has used up its key
        resetPress();
        sealed.emptyFields();
        if (needsKey) requests.start();
      });
    },
    onPageHide() {
      requests.silence();
      resetPress();
      sealed.emptyFields();
    },
    onPageRestored() {
      if (form.isConnected) startAgain();
      else keys.drop(); // a page that replaces its contents has left the form behind
    },
    unbind() {
      if (!isBound) return;
      isBound = false;
      removeBoundForm(bound);
      if (sealed.isCardInFields()) sealed.emptyFields();
      const isInterrupted = state.phase === 'pressed';
      requests.silence();
      resetPress();
      attributes.restore();
      // The shopper has to know. The text stays until the form's next binding writes or clears one:
      // a component may render because of the press, and bind the form again.
      if (isInterrupted && form.isConnected) {
        tellShopper('press_again');
        status.leaveToNextBinding();
      }
    },
  };
  addBoundForm(bound); // before `apply`, which asks for the buttons of bound forms
  attributes.apply();
  sealed.withdraw(); // a block that the server has rendered again, or a copy of the form has

  return {
    ready: requests.start(checkForm),
    restart: () => (isBound ? startAgain() : Promise.resolve()),
    unbind: bound.unbind,
    encrypt: () => (isBound ? startOrRefuse('encrypt', null) : Promise.resolve(undefined)),
  };
}

/** Chromium ignores `requestSubmit()` and `click()` while it dispatches the event of the press. */
const endOfDispatch = () => new Promise((resolve) => setTimeout(resolve));

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
