import type { EncryptedCard } from '../core/index.ts';
import { type CardBytes, zero } from './card/read.ts';
import {
  decide,
  type Effect,
  type Facts,
  type Input,
  isDispatching,
  isIdle,
  isMaking,
  isScriptsSubmit,
  type Press,
  START,
  type State,
} from './decide.ts';
import { encryptFields, readFields } from './make-block.ts';
import { isDispatched, pathOf, stop } from './page/event.ts';
import type { Parts } from './parts.ts';

/** How long a response may take before the form opens again, in milliseconds. */
const RESPONSE_MS = 30_000;

/**
 * These happen whatever code of the page has done since they were decided. An event that was to be
 * stopped must not go on, nor a card or a block stay; each `cardseal:submit` has its settled.
 */
const DUE: readonly Effect['do'][] = ['stop', 'settled', 'nextCard', 'takeOut'];

/** A press, with what `decide` does not look at. */
interface LivePress extends Press {
  readonly button: HTMLElement | null;
  /** A call of `encrypt()` has none. */
  readonly event: Event | null;
  /** What was clicked: the event forgets what stands in a shadow root. */
  readonly target: EventTarget | null;
  /** Resolves the promise of `encrypt()`. Any other press has none. */
  readonly resolve: ((block: EncryptedCard | undefined) => void) | null;
}

/** Does what `decide` says, and tells it what comes of it. */
export function cardPresses(parts: Parts) {
  const { page, kept, fields, notices, onEncrypted, later } = parts;
  const hasHandler = Boolean(onEncrypted);
  let state: State = START;
  /** Counts up when the form turns to something else: effects of an earlier turn are dropped. */
  let turn = 0;
  let lastId = 0;
  /** The card of the press under way, from when it is read until its block is made. */
  let card: CardBytes | undefined;
  /** The press whose repeat is awaited: the next event belongs to it. */
  let awaited: LivePress | undefined;
  /**
   * The press that passes, and those that code of the page makes meanwhile. `settle` says what has
   * become of them when their dispatch is over, at the latest in a timer. `enter` forgets them,
   * before the next one passes.
   */
  let passing: LivePress[] = [];
  let stopListening: (() => void) | undefined;

  return {
    state: () => state,
    onPress,
    settleIfOver,
    encrypt,
    end,
    onChange(isBegun: boolean) {
      settleIfOver();
      send({ type: 'changed', isSame: isSame(), isBegun });
    },
    /** @param saysCard - Whether the page says that the shopper pays by card. */
    onFormData(data: FormData, saysCard: () => boolean) {
      const isCard = isDispatching(state) || saysCard(); // F4: a press that passes is a card press
      send({ type: 'collected', isCard, isOther: kept.isOther() });
      kept.fill(data);
    },
    onReset: () => send({ type: 'resets' }),
    /** The reset takes effect, in a task of its own. */
    reset() {
      settle();
      send({ type: 'reset' });
    },
  };

  // What happens is decided, and done

  /**
   * Code of the page runs in many effects: in `when`, in events, when fields are emptied, and in a
   * repeated press. It may call `send` again: that step is done before this one goes on. If the
   * form does something else afterwards, the rest of the step is dropped, but for what is due. Only
   * what goes on after a step asks again, by `isMaking`.
   */
  function send(input: Input): void {
    const [next, ...effects] = decide(state, input, hasHandler);
    // `restart()` in an idle form, too: what was to follow belongs to what it has ended.
    if (input.type === 'end' || next.doing.is !== state.doing.is) turn += 1;
    const own = turn;
    enter(next);
    for (const effect of effects) {
      if (own === turn || DUE.includes(effect.do)) perform(effect);
    }
  }

  function enter(next: State): void {
    const before = state;
    state = next;
    kept.follow(before.block, next.block);
    // A press that begins or ends changes what the form is doing.
    if (next.doing.is === before.doing.is) return;
    forgetCard();
    passing = [];
    if (!isDispatching(next) && next.doing.is !== 'sending') {
      stopListening?.();
      stopListening = undefined;
    }
    notices.setBusy(isBusy(next)); // which takes a text away that asks to wait
  }

  function perform(effect: Effect): void {
    switch (effect.do) {
      case 'takeOut':
        kept.takeOut();
        break;
      case 'clearTexts':
        notices.clear();
        break;
      case 'tell':
        notices.tell(effect.text);
        break;
      case 'fail':
        notices.fail(effect.error, effect.isAway);
        break;
      case 'settled':
        notices.emit('settled');
        break;
      case 'nextCard':
        parts.startNextCard();
        break;
      default:
        performFor(effect.press as LivePress, effect);
    }
  }

  function performFor(press: LivePress, effect: Extract<Effect, { press: Press }>): void {
    switch (effect.do) {
      case 'stop':
        if (press.event) stop(press.event);
        break;
      case 'announce':
        announce(press);
        break;
      case 'prepare':
        prepare(press, effect.needsBlock); // never rejects
        break;
      case 'repeat':
        repeat(press);
        break;
      case 'gate':
        gate(press);
        break;
      case 'empty':
        empty();
        send({ type: 'emptied', press, isCleared: fields.areCleared() });
        requireAgain();
        break;
      case 'emptyLate':
        empty();
        send({ type: 'emptiedLate', press, isSame: isSame(), isCleared: fields.areCleared() });
        requireAgain();
        break;
      case 'pass':
        pass(press);
        break;
      case 'handOver':
        handOver(press); // never rejects
        break;
      case 'waitForPage':
        giveUpLater(press);
        break;
      case 'waitForResponse':
        if (page.isAnsweredElsewhere(press.button)) parts.startNextCard();
        else giveUpLater(press);
    }
  }

  // A press begins

  function onPress(event: Event, kind: 'submit' | 'click', button: HTMLElement | null): void {
    const repeated = awaited;
    awaited = undefined;
    // F1: an earlier listener has refused it. A repeat that is refused counts as missing.
    if (event.defaultPrevented) return;
    const id = repeated?.id ?? nextId();
    const target = pathOf(event)[0]!;
    const press: LivePress = { id, kind, button, event, target, resolve: null };
    if (repeated) send({ type: 'repeats', press });
    else begin(press);
  }

  function begin(press: LivePress): void {
    const { button } = press;
    try {
      const isByShopper = page.notePress(button);
      const mayBeScripts = isScriptsSubmit(state, press) && !isByShopper;
      // While a payment is under way, the page may lock or hide the fields.
      const isCard = page.isCardPayment(button, isIdle(state) && !mayBeScripts);
      const isSendable = state.doing.is !== 'overdue' || !destinationError(button);
      send({ type: 'press', press, isCard, isByShopper, isSendable });
    } catch (error) {
      send({ type: 'failed', press, error });
    }
  }

  function encrypt(): Promise<EncryptedCard | undefined> {
    return new Promise((resolve) => {
      const press: LivePress = {
        id: nextId(),
        kind: 'encrypt',
        button: null,
        event: null,
        target: null,
        resolve,
      };
      send({ type: 'press', press, isCard: true, isByShopper: true, isSendable: true });
      if (!isMaking(state, press)) resolve(undefined); // unless it was handed over
    });
  }

  function announce(press: LivePress): void {
    const isWanted = notices.emit('submit', { submitter: press.button });
    // The browser sends no form for a submit event that a script has made. If that cannot be
    // cancelled, it goes on in any case, and its script may send the form.
    const { kind, event } = press;
    const isSent = kind !== 'submit' || event!.isTrusted || !event!.cancelable;
    // A click with a modifier key would open the answer in another tab.
    const canGoOn = isSent && !page.isModified();
    send({ type: 'announced', press, isWanted, canGoOn, ...facts() });
  }

  // Its block is made

  async function prepare(press: LivePress, needsBlock: boolean): Promise<void> {
    try {
      if (press.kind === 'submit' && !hasHandler) page.checkDestination(press.button);
      if (needsBlock) await readAndEncrypt(press);
      if (!isMaking(state, press)) return;
      // Chromium ignores `requestSubmit()` and `click()` while it dispatches the event of a press.
      await new Promise<void>((resolve) => later(resolve));
      send({ type: 'ready', press });
    } catch (error) {
      if (isMaking(state, press)) send({ type: 'failed', press, error });
    } finally {
      press.resolve?.(undefined); // unless it was handed over
    }
  }

  async function readAndEncrypt(press: LivePress): Promise<void> {
    card = readFields(parts);
    send({ type: 'read', press });
    const made = await encryptFields(parts, card, () => isMaking(state, press));
    if (!made || !isMaking(state, press)) return;
    kept.keep(made.block, made.keyArrived, card);
    card = undefined; // from now on `kept` zeroes it
    send({ type: 'sealed', press, isSame: kept.isSame() }); // `read` has dropped any older block
    notices.emit('encrypted', { key_id: made.block.key_id });
  }

  /** Its event comes before `page.repeat` returns: `onPress` sends `repeats`. */
  function repeat(press: LivePress): void {
    let isExplained = false;
    awaited = press;
    try {
      isExplained = page.repeat(press.kind, press.button, press.target);
    } catch (error) {
      parts.report(error); // a function of the page, which has not let it come
    }
    awaited = undefined;
    settle(); // a click that a script makes has done all that it does, too
    // G9: the form or the button is gone, or the browser refuses a control.
    send({ type: 'repeated', press, isExplained });
  }

  // The block leaves the form

  /**
   * Asks the page, just before the block leaves the form, whether it may. The looks of the fields
   * counted when the press began: the page may have locked or hidden them since.
   */
  function gate(press: LivePress): void {
    const { kind, button } = press;
    try {
      const isCard = kind === 'encrypt' || page.isCardPayment(button, false);
      if (isCard && state.block) kept.checkPlace();
      const error = destinationError(button);
      send({ type: 'gated', press, isCard, destinationError: error, ...facts() });
    } catch (error) {
      send({ type: 'failed', press, error });
    }
  }

  /** Empties the fields, which the page hears: it may lock its button while one is required. */
  function empty(): void {
    fields.setRequired(false); // F11
    fields.empty();
  }

  /** The emptying may have failed: then the shopper types again. */
  function requireAgain(): void {
    if (!state.block?.isEmptied) fields.setRequired(true); // F11
  }

  /** The event goes on to the listeners of the page. When they have run, it is settled. */
  function pass(press: LivePress): void {
    passing.push(press);
    later(settle); // if `repeat`, `handOver`, or an event of the shopper has not done it before
    stopListening ??= page.onceLeaving(onLeaving);
  }

  async function handOver(press: LivePress): Promise<void> {
    if (press.resolve) {
      press.resolve(kept.copy());
      return;
    }
    let isAnswered = false;
    try {
      isAnswered = (await onEncrypted!(kept.copy(), press.button)) !== 'no_answer';
    } catch (error) {
      parts.report(error);
    }
    settleIfOver();
    send({ type: 'answered', press, isAnswered, isSame: isSame() });
  }

  function giveUpLater(press: Press): void {
    later(() => {
      settle(); // what was passing is over
      send({ type: 'timeout', press, isSame: isSame() }); // no more, if its press is over
    }, RESPONSE_MS);
  }

  // A press is over

  /** Code of the page has run. */
  function settle(): void {
    // An event that a script has made sends nothing, but Firefox sends the form: then the next
    // press brings the same block, as after any block that a script may have sent.
    const sent = passing.find(
      ({ kind, event }) => kind === 'submit' && event!.isTrusted && !event!.defaultPrevented,
    );
    send({ type: 'dispatched', sent: page.isConnected() ? sent : undefined });
  }

  /**
   * F2, F4: once the dispatch of what passes is over, what happens is not its consequence any more,
   * but for the submit that the browser makes of a click.
   *
   * @param kind - What kind of press begins, if one does.
   */
  function settleIfOver(kind?: Press['kind']): void {
    // In WebKit (2.50) `label.click()` in a listener is a trusted click, and nothing is over.
    const isOver = passing.length > 0 && passing.every(({ event }) => isDispatched(event!));
    const mayBeItsSubmit = kind === 'submit' && passing[passing.length - 1]?.kind === 'click';
    if (isOver && !mayBeItsSubmit) settle();
  }

  /** @param isAsked - Whether the browser asks the shopper whether to leave. */
  function onLeaving(isAsked: boolean): void {
    settle(); // a task of its own
    if (isAsked) send({ type: 'asked' });
  }

  /**
   * Ends what the form is doing, without a block. There is no message, unless a submit is stopped
   * (F12).
   *
   * @param shallEmpty - Whether to empty the fields.
   * @param isQuiet - Whether the shopper need not be told. Default: `false`.
   */
  function end({ shallEmpty, isQuiet }: { shallEmpty: boolean; isQuiet?: boolean }): void {
    // Without its block, the browser would send an order without a card.
    const open = passing.filter(
      ({ kind, event }) => kind === 'submit' && !isDispatched(event!) && !event!.defaultPrevented,
    );
    for (const { event } of open) stop(event!);
    const isStopped = open.length > 0 && page.isConnected() && !isQuiet;
    if (shallEmpty) {
      // The page hears of it: it may collect the form's data, or press.
      send({ type: 'resets' }); // F12
      fields.empty();
    }
    send({ type: 'end', isStopped });
  }

  // What is so

  function nextId(): number {
    lastId += 1;
    return lastId;
  }

  function isSame(): boolean {
    return state.block !== null && kept.isSame();
  }

  function facts(): Facts {
    return { isSame: isSame(), isYoung: kept.isYoung() };
  }

  /** Why the browser may not send the form to where it goes, if so. */
  function destinationError(button: HTMLElement | null): unknown {
    try {
      page.checkDestination(button);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  function forgetCard(): void {
    if (card) zero(card);
    card = undefined;
  }
}

/** Whether a block is made, or `onEncrypted` works: screen readers are told. */
function isBusy({ doing }: State): boolean {
  const isWorking = doing.is === 'handed' || (doing.is === 'dispatching' && doing.under !== null);
  return doing.is === 'encrypting' || isWorking;
}
