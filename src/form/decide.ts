/**
 * The rules of a press: what becomes of a form, for whatever happens to it. This file knows no
 * page, no time and no promise. `decide` takes what is known of a form and what has happened, and
 * returns what is known afterwards and what is to be done. `perform.ts` does what it says.
 *
 * A form is doing one of six things:
 *
 * - `idle`: it waits for a press.
 * - `encrypting`: a press has begun. Its block is being made, or is about to leave the form.
 * - `dispatching`: a submit passes, or a click of a card button. Listeners of the page run, and
 *   find the block in the form's data.
 * - `sending`: the browser sends the form.
 * - `handed`: `onEncrypted` has the block, and works.
 * - `overdue`: as `idle`, but `onEncrypted` still works after 30 seconds.
 *
 * A block leaves the form in two ways: the browser sends the form, or code of the page gets the
 * block. `onEncrypted`, `encrypt()` and card buttons are three doors to the second way: a press of
 * the first is `handed`, of the second `idle` at once, and of the third `dispatching`.
 *
 * The rules, by the names that they have beside their code and in tests:
 *
 * - F1: A press that an earlier listener has cancelled is none.
 * - F2: What passed before is over before the next press begins.
 * - F3: Only a block of the card on the screen passes, and only at a card press.
 * - F4: What code of the page does while a press passes belongs to that press.
 * - F5: Code of the page that has the block may submit the form, until the next press begins.
 * - F6: A press that is no card press takes the block out, and ends a press that is being made.
 * - F7: One press at a time. The shopper is told to wait.
 * - F8: The page hears of each press first; with `onEncrypted` the shopper's submit never passes; a
 *   press that fails ends in a text.
 * - F9: A press sends its block once, and no response for 30 seconds ends in a text.
 * - F10: Another card, or another way to pay, takes the block out of the form's data.
 * - F11: A retry needs nothing in the emptied fields.
 * - F12: A reset, `restart()` and leaving the page leave no block and no card; `unbind()` leaves no
 *   block, and no card of one.
 * - F13: A form that is not bound any more decides about no press.
 * - G9, G12, G13: A refused repeat ends in a text; the fields are seen to be empty; texts are true.
 *
 * docs/press.md has the same as a table in words, .github/CONTRIBUTING.md the other rules (G).
 */
import { CardEncryptionError } from '../core/index.ts';
import type { FormProblem } from './feedback/texts.ts';

/** One attempt to pay. */
export interface Press {
  /** The library's repeat of a press has the same. */
  readonly id: number;
  /** A submit event, a click of a card button, or a call of `encrypt()`. */
  readonly kind: 'submit' | 'click' | 'encrypt';
}

/** What a form is doing. */
export type Doing =
  | { readonly is: 'idle' }
  | { readonly is: 'encrypting'; readonly press: Press }
  | Dispatching
  | { readonly is: 'sending'; readonly press: Press }
  | Handed
  | { readonly is: 'overdue'; readonly press: Press };

interface Dispatching {
  readonly is: 'dispatching';
  readonly press: Press;
  /** The call of `onEncrypted` that has the block already, and makes this submit. */
  readonly under: Handed | null;
}

interface Handed {
  readonly is: 'handed';
  readonly press: Press;
  /** Whether the page has reset the form. That counts when `onEncrypted` is done, or overdue. */
  readonly isResetDue: boolean;
  /** Whether an event has begun another card. That counts when `onEncrypted` is done. */
  readonly isBegun: boolean;
}

/**
 * What a block has been through. `block.ts` keeps the block itself, and its card.
 *
 * | what has happened                                       | place     | isOut     | isEmptied |
 * |---------------------------------------------------------|-----------|-----------|-----------|
 * | it is made, and the browser is to send it               | form      | no        | no        |
 * | it is made for code of the page, or the card is changed | aside     | no        | no        |
 * | the gate lets it out by the browser                     | form *    | yes       | as before |
 * | something collects the form's data, with the block      | as before | yes       | as before |
 * | it is out for 30 s: the fields are emptied              | as before | yes       | yes       |
 * | the fields are emptied, and code of the page gets it    | script    | yes       | yes       |
 * | a submit of that code is sent, or a new press begins    | form      | as before | as before |
 * | `onEncrypted` has no answer, or fails                   | form      | as before | as before |
 * | another card, or another way to pay, is on the screen   | aside     | as before | as before |
 * | another card is begun in emptied fields, or is read     | there is no block any more        |
 *
 * (*) Or `script`, if code of the page has it.
 */
export interface Block {
  /**
   * - `aside`: it is not in the form's data.
   * - `form`: it is, for whatever collects the data.
   * - `script`: it is, and code of the page has it, which may submit the form at any time.
   */
  readonly place: 'aside' | 'form' | 'script';
  /** Whether a server may have it. Then only the server decides whether its key is too old. */
  readonly isOut: boolean;
  /** Whether the library has emptied the fields, and forgotten the card. */
  readonly isEmptied: boolean;
}

/** All that is known of a form. */
export interface State {
  readonly doing: Doing;
  readonly block: Block | null;
  /** Whether a `cardseal:submit` still needs its `cardseal:settled`. */
  readonly owesSettled: boolean;
}

/** What the page shows now. */
export interface Facts {
  /** Whether the fields hold the card of the block, or are still empty after the library did it. */
  readonly isSame: boolean;
  /** Whether the key of the block is young enough. */
  readonly isYoung: boolean;
}

/** What happens to a form. */
export type Input =
  | {
      type: 'press';
      press: Press;
      isCard: boolean;
      isByShopper: boolean;
      /** False for a submit while `onEncrypted` is overdue and the destination is not allowed. */
      isSendable: boolean;
    }
  /** The page has heard `cardseal:submit`. `canGoOn`: the event of the press can send the form. */
  | ({ type: 'announced'; press: Press; isWanted: boolean; canGoOn: boolean } & Facts)
  /** The card was read, and is valid. */
  | { type: 'read'; press: Press }
  /** The card is encrypted. */
  | { type: 'sealed'; press: Press; isSame: boolean }
  /** The press has its block, in a task of its own. */
  | { type: 'ready'; press: Press }
  /**
   * What the page says just before the block leaves the form. `destinationError`: why the browser
   * may not send the form to where it goes, if so.
   */
  | ({ type: 'gated'; press: Press; isCard: boolean; destinationError: unknown } & Facts)
  /** The library has emptied the fields, for code of the page. */
  | { type: 'emptied'; press: Press; isCleared: boolean }
  /** The library has emptied the fields, because 30 seconds are over. */
  | { type: 'emptiedLate'; press: Press; isSame: boolean; isCleared: boolean }
  /** The event of the repeat comes. */
  | { type: 'repeats'; press: Press }
  /** The repeat is over. `isExplained`: the browser has told the shopper why it refuses it. */
  | { type: 'repeated'; press: Press; isExplained: boolean }
  | { type: 'failed'; press: Press; error: unknown }
  /** All listeners have run. `sent`: the submit that the browser sends now. */
  | { type: 'dispatched'; sent: Press | undefined }
  /** The promise of `onEncrypted` has settled. */
  | { type: 'answered'; press: Press; isAnswered: boolean; isSame: boolean }
  /** 30 seconds are over. */
  | { type: 'timeout'; press: Press; isSame: boolean }
  /** A control of the card has changed. `isBegun`: one that the library does not see empty. */
  | { type: 'changed'; isSame: boolean; isBegun: boolean }
  /** The form's data is collected. `isOther`: the fields hold another card, whole and valid. */
  | { type: 'collected'; isCard: boolean; isOther: boolean }
  /** A `reset` event, and its effect, unless a listener has cancelled it. */
  | { type: 'resets' | 'reset' }
  /** A `beforeunload` listener asks the shopper whether to leave. */
  | { type: 'asked' }
  /** `restart()`, `unbind()`, or the page is left. `isStopped`: a passing submit was stopped. */
  | { type: 'end'; isStopped: boolean };

/** What is to be done, in this order. */
export type Effect =
  | { do: 'stop'; press: Press }
  | { do: 'announce' | 'repeat' | 'gate' | 'pass'; press: Press }
  | { do: 'empty' | 'emptyLate' | 'handOver'; press: Press }
  /** Makes a block, unless there is one, and goes on in a task of its own. */
  | { do: 'prepare'; press: Press; needsBlock: boolean }
  /** Waits for a response, for 30 seconds. If a frame gets it, the next card begins. */
  | { do: 'waitForResponse'; press: Press }
  /** Waits for `onEncrypted`, for 30 seconds. */
  | { do: 'waitForPage'; press: Press }
  | { do: 'takeOut' | 'clearTexts' | 'settled' | 'nextCard' }
  | { do: 'tell'; text: FormProblem }
  /** @property isAway - Whether the browser or code of the page has a block. */
  | { do: 'fail'; error: unknown; isAway: boolean };

/**
 * The next state, and what is to be done, in this order. If code of the page makes the form do
 * something else meanwhile, perform.ts drops the rest, but for what is due in any case.
 */
export type Step = readonly [State, ...Effect[]];

const IDLE: Doing = { is: 'idle' };
/** Empties the block's hidden input, also one that the server has rendered again. */
const TAKE_OUT: Effect = { do: 'takeOut' };

export const START: State = { doing: IDLE, block: null, owesSettled: false };

// What is true of a state

/** Listeners of the page run, and all that they do belongs to the press. */
export const isDispatching = ({ doing }: State) => doing.is === 'dispatching'; // F4

/**
 * The block is that of the press, whatever becomes of the fields. Not while the form is `sending`:
 * then its data has been collected, and what is collected again is for something else.
 */
export const isCommitted = ({ doing }: State) =>
  doing.is === 'dispatching' || doing.is === 'handed'; // F4

export const isIdle = ({ doing }: State) => doing.is === 'idle' || doing.is === 'overdue';

/** Whether the browser or `onEncrypted` has the block. */
const isAway = (doing: Doing) =>
  doing.is === 'sending' || doing.is === 'handed' || doing.is === 'overdue';

const isOf = (doing: Doing, press: Press) => doing.is !== 'idle' && doing.press.id === press.id;

/** Whether this is the press whose block is made. */
export const isMaking = ({ doing }: State, press: Press) =>
  doing.is === 'encrypting' && isOf(doing, press);

/** Whether a press may be that of the script which has the block. */
export const isScriptsSubmit = ({ block }: State, { kind }: Press) =>
  block?.place === 'script' && kind === 'submit';

/** Whether the block of a press is made for the browser, and not for code of the page. */
const isMadeForBrowser = ({ kind }: Press, hasHandler: boolean): boolean =>
  kind === 'submit' && !hasHandler; // F8

/**
 * Whether a press may send the block: that of the card in the fields, or of the emptied fields; or
 * that of the press which is committed to it, whatever becomes of the fields.
 */
const isFresh = (state: State, { isSame, isYoung }: Facts) =>
  state.block !== null && (isCommitted(state) || (isSame && (state.block.isOut || isYoung)));

/** Whether the library repeats the press when its block is there: then its event goes on. */
const goesOnByRepeat = (press: Press, hasHandler: boolean) =>
  press.kind === 'click' || isMadeForBrowser(press, hasHandler);

// What becomes of a block

/** Code of the page has it. block.ts puts it into the data, and forgets its card. */
const GIVEN: Block = { place: 'script', isOut: true, isEmptied: true };

const letOut = (block: Block): Block => ({
  ...block,
  place: block.place === 'aside' ? 'form' : block.place,
  isOut: true,
});

const takenFromScript = (block: Block | null): Block | null =>
  block?.place === 'script' ? { ...block, place: 'form' } : block;

/** No data of the form has the block, until it comes back. */
const withdrawn = ({ block, ...state }: State): State => ({ ...state, block: aside(block) });

const aside = (block: Block | null): Block | null => block && { ...block, place: 'aside' };

/**
 * Not in the data if another card is in the fields, or was begun there. The block of full fields
 * may come back with its card; that of emptied fields has no card to compare with.
 */
function unlessOther(block: Block | null, isSame: boolean): Block | null {
  if (!block || isSame) return block;
  return block.isEmptied ? null : aside(block);
}

/** Another card that was begun while `onEncrypted` worked counts now. */
const unlessBegun = (doing: Doing | null, block: Block | null): Block | null =>
  doing?.is === 'handed' && doing.isBegun ? null : block; // F10

// What happens is decided

/** @param hasHandler - Whether there is `onEncrypted`: then the library submits nothing. */
export function decide(state: State, input: Input, hasHandler: boolean): Step {
  switch (input.type) {
    case 'press':
      return pressed(state, input);
    case 'announced':
      return announced(state, input, hasHandler);
    case 'read':
      return isMaking(state, input.press) ? [{ ...state, block: null }, TAKE_OUT] : [state];
    case 'sealed':
      return sealed(state, input, hasHandler);
    case 'ready':
      return ready(state, input.press, hasHandler);
    case 'gated':
      return gated(state, input, hasHandler);
    case 'emptied':
      return emptied(state, input);
    case 'emptiedLate':
      return emptiedLate(state, input);
    case 'repeats':
      return repeats(state, input.press);
    case 'repeated':
      return repeated(state, input);
    case 'failed':
      return failed(state, input.press, input.error);
    case 'dispatched':
      return dispatched(state, input.sent);
    case 'answered':
      return answered(state, input);
    case 'timeout':
      return timeout(state, input);
    case 'changed':
      return changed(state, input);
    case 'collected':
      return collected(state, input);
    case 'resets':
      // At once, because a script may send the form in the same task.
      return isCommitted(state) ? [state] : [withdrawn(state), TAKE_OUT]; // F12
    case 'reset':
      if (state.doing.is !== 'handed') return [state, { do: 'nextCard' }]; // F12
      return [{ ...state, doing: { ...state.doing, isResetDue: true } }]; // F12
    case 'asked':
      // Nobody knows whether the shopper stays. The next press sends the same block.
      return state.doing.is === 'sending' ? rest(state, IDLE) : [state]; // G13
    case 'end':
      return end(state, input.isStopped);
  }
}

type Of<Type extends Input['type']> = Extract<Input, { type: Type }>;

// A press begins

function pressed(state: State, input: Of<'press'>): Step {
  const { doing, block } = state;
  const { press, isCard, isByShopper } = input;
  const gate: Effect = { do: 'gate', press };
  if (!isCard) return pressedOther(state);
  if (countsAsScripts(state, input)) return [state, gate]; // F5
  const stop: Effect = { do: 'stop', press };
  switch (doing.is) {
    case 'idle':
    case 'overdue':
      return accept(state, press);
    case 'encrypting':
      return [state, stop, { do: 'tell', text: 'one_moment' }]; // F7
    case 'dispatching':
      return [state, gate]; // F4
    case 'handed':
      // The shopper has pressed something else, so `onEncrypted` cannot send its block any more.
      if (!isByShopper && block?.place === 'aside') return refuse(state, press); // F6
  }
  // `sending` or `handed`: the block is on its way, or `onEncrypted` has it.
  return [state, stop, { do: 'tell', text: 'payment_under_way' }]; // F7
}

/** The shopper pays in another way, or has pressed something else, such as Cancel. */
function pressedOther(state: State): Step {
  const next = withdrawn(state);
  if (state.doing.is !== 'encrypting') return [next, TAKE_OUT]; // F6
  const [idle, ...effects] = rest(next, IDLE, { do: 'tell', text: 'press_again' }); // F6
  return [idle, TAKE_OUT, ...effects];
}

/**
 * A submit that no event of the shopper has caused counts as that of the script which has the
 * block: no event tells which script makes it. If `onEncrypted` is overdue, it may still be so, but
 * only if the browser can send the form.
 */
const countsAsScripts = (state: State, { press, isByShopper, isSendable }: Of<'press'>) =>
  isScriptsSubmit(state, press) &&
  !isByShopper && // F5
  isSendable; // F5

/** A new card press of an idle form. */
function accept(state: State, press: Press): Step {
  const next: State = {
    doing: { is: 'encrypting', press },
    block: takenFromScript(state.block), // F5
    owesSettled: true,
  };
  return [next, { do: 'clearTexts' }, { do: 'announce', press }]; // F8
}

function announced(state: State, input: Of<'announced'>, hasHandler: boolean): Step {
  const { press, isWanted } = input;
  if (!isMaking(state, press)) return [state, { do: 'stop', press }]; // the page has ended it
  if (!isWanted) {
    const [next, ...effects] = rest(state, IDLE);
    return [next, { do: 'stop', press }, ...effects];
  }
  if (!isFresh(state, input)) {
    const prepare: Effect = { do: 'prepare', press, needsBlock: true };
    const next = withdrawn(state); // F10
    return [next, { do: 'stop', press }, TAKE_OUT, prepare];
  }
  if (goesOnByRepeat(press, hasHandler) && input.canGoOn) return [state, { do: 'gate', press }];
  return [state, { do: 'stop', press }, { do: 'prepare', press, needsBlock: false }];
}

// Its block is made

function sealed(state: State, { press, isSame }: Of<'sealed'>, hasHandler: boolean): Step {
  if (!isMaking(state, press)) return [state];
  // In `form`, scripts of the page find it from now on (`enter` has block.ts put it there), unless
  // the card has changed. With a press for code of the page, they find it in the emptied form.
  const place = isMadeForBrowser(press, hasHandler) && isSame ? 'form' : 'aside';
  return [{ ...state, block: { place, isOut: false, isEmptied: false } }];
}

function ready(state: State, press: Press, hasHandler: boolean): Step {
  if (!isMaking(state, press)) return [state];
  if (goesOnByRepeat(press, hasHandler)) return [state, { do: 'repeat', press }];
  return [state, { do: 'gate', press }];
}

/** The event of the press comes again, now with its block. */
function repeats(state: State, press: Press): Step {
  if (!isMaking(state, press)) return refuse(state, press); // code of the page has ended it
  return [state, { do: 'gate', press }];
}

/** The repeat of a press ends here only if no event has come of it. */
function repeated(state: State, { press, isExplained }: Of<'repeated'>): Step {
  if (!isMaking(state, press)) return [state];
  if (isExplained) return rest(state, IDLE);
  return rest(state, IDLE, { do: 'tell', text: 'press_again' }); // G9
}

/** Tells why a press came to nothing. */
function failed(state: State, press: Press, error: unknown): Step {
  const stop: Effect = { do: 'stop', press };
  const fail: Effect = { do: 'fail', error, isAway: isAway(state.doing) }; // G13
  if (!isMaking(state, press)) return [state, stop, fail];
  const [next, ...effects] = rest(state, IDLE, fail); // F8
  return [next, stop, ...effects];
}

// The gate: each block that leaves the form by a press goes through here. That is the press whose
// block is made, a press within one that passes, or a submit by the script that has the block.

function gated(state: State, input: Of<'gated'>, hasHandler: boolean): Step {
  const { doing, block } = state;
  const { press, isCard, isSame, destinationError } = input;
  const isOwn = isMaking(state, press);
  if (!isOwn && !isDispatching(state) && !isScriptsSubmit(state, press)) {
    return [state, { do: 'stop', press }]; // code of the page has ended it
  }
  const isRefused = !block || !isCard || !isFresh(state, input); // F3
  if (isRefused) {
    // If it is no card press any more, the block stays, as for any card that is not paid with yet.
    // Of another card, a script would keep the block, and its later submits would count as with it.
    return refuse(isCard ? { ...state, block: unlessOther(block, isSame) } : state, press);
  }
  // Also a submit by `onEncrypted`, or by a handler of a card button: no block was made for it.
  const isByBrowser = isOwn ? isMadeForBrowser(press, hasHandler) : press.kind === 'submit';
  if (isByBrowser) {
    if (destinationError) return failed(state, press, destinationError); // F3
    const under = doing.is === 'handed' ? doing : null;
    const begun: Doing = { is: 'dispatching', press, under };
    const next = doing.is === 'dispatching' ? doing : begun;
    return [
      { ...state, block: letOut(block), doing: next },
      { do: 'clearTexts' },
      { do: 'pass', press },
    ];
  }
  return [state, { do: 'empty', press }]; // before code of the page gets the block
}

/** A press that the gate refuses. */
function refuse(state: State, press: Press): Step {
  const stop: Effect = { do: 'stop', press };
  const tell: Effect = { do: 'tell', text: 'press_again' };
  if (!isMaking(state, press)) return [state, stop, tell];
  const [next, ...effects] = rest(state, IDLE, tell);
  return [next, stop, ...effects];
}

/** The fields are empty, for code of the page that gets the block. */
function emptied(state: State, { press, isCleared }: Of<'emptied'>): Step {
  const given: State = { ...state, block: GIVEN };
  if (isDispatching(state)) {
    // It shares the block of the press that passes. The event of a click goes on.
    return press.kind === 'click' ? [given] : [given, { do: 'handOver', press }];
  }
  if (!isMaking(state, press)) {
    // Code of the page has ended it. Only a click has an event that would go on.
    return press.kind === 'click' ? refuse(state, press) : [state];
  }
  if (!isCleared) return failed(state, press, notEmpty()); // G12
  if (press.kind === 'encrypt') {
    const [idle, ...effects] = rest(given, IDLE);
    return [idle, { do: 'handOver', press }, ...effects];
  }
  if (press.kind === 'click') {
    const doing: Doing = { is: 'dispatching', press, under: null };
    return [
      { ...given, doing },
      { do: 'pass', press },
    ];
  }
  const doing: Doing = { is: 'handed', press, isResetDue: false, isBegun: false };
  return [
    { ...given, doing },
    { do: 'waitForPage', press },
    { do: 'handOver', press },
  ];
}

const notEmpty = () =>
  new CardEncryptionError('invalid_form', 'A script of the page fills the emptied fields again');

// A press is over

/** All listeners of the page have run. They refuse a press by cancelling its submit. */
function dispatched(state: State, sent: Press | undefined): Step {
  const { doing, block } = state;
  if (doing.is !== 'dispatching') return [state];
  if (sent) {
    // It has been sent, once: the block is not the script's any more.
    const next = { ...state, block: unlessBegun(doing.under, takenFromScript(block)) }; // F9
    return rest(next, { is: 'sending', press: sent }, { do: 'waitForResponse', press: sent }); // F9
  }
  if (doing.under) return [{ ...state, doing: doing.under }]; // F9: its 30 seconds go on
  return rest(state, IDLE);
}

/** `onEncrypted` is done. */
function answered(state: State, { press, isAnswered, isSame }: Of<'answered'>): Step {
  const { doing } = state;
  if (!isOf(doing, press)) return [state];
  // It stays with code of the page that has had an answer, and may still submit the form (F5).
  const kept = isAnswered ? state.block : takenFromScript(state.block); // G13
  const block = unlessOther(unlessBegun(doing, kept), isSame);
  const effects: Effect[] = [];
  const isResetDue = doing.is === 'handed' && doing.isResetDue;
  if (isResetDue) effects.push({ do: 'nextCard' }); // F12
  if (!isAnswered && !isResetDue) effects.push({ do: 'tell', text: 'no_answer' }); // F9
  const [next, ...settled] = rest({ ...state, block }, IDLE, ...effects);
  return doing.is === 'overdue' ? [next, { do: 'clearTexts' }, ...settled] : [next, ...settled];
}

/** The browser or `onEncrypted` has had the block for 30 seconds. */
function timeout(state: State, { press, isSame }: Of<'timeout'>): Step {
  const { doing, block } = state;
  if (!endsByTimeout(doing, press)) return [state];
  // The payment may have been made, so its card does not stay on the screen. Another one does.
  if (block && !block.isEmptied && isSame) return [state, { do: 'emptyLate', press }]; // F9
  return lost({ ...state, block: unlessOther(unlessBegun(doing, block), isSame) });
}

/** 30 seconds are over, and the fields are empty, as `timeout` has said. */
function emptiedLate(state: State, input: Of<'emptiedLate'>): Step {
  const { press, isSame, isCleared } = input;
  const { doing, block } = state;
  if (!endsByTimeout(doing, press)) return [state]; // code of the page has ended it
  // If a script of the page has filled them again, the next press still knows the card.
  const isKnown = block && isCleared;
  const emptiedBlock = isKnown ? { ...block, isEmptied: true } : unlessOther(block, isSame);
  return lost({ ...state, block: emptiedBlock });
}

/** Whether 30 seconds end this state. */
const endsByTimeout = (doing: Doing, press: Press) => isAway(doing) && isOf(doing, press);

function lost(state: State): Step {
  const { doing } = state;
  const isHanded = doing.is === 'handed';
  const next: Doing = isHanded ? { is: 'overdue', press: doing.press } : IDLE;
  if (isHanded && doing.isResetDue) return rest(state, next, { do: 'nextCard' }); // F12
  return rest(state, next, { do: 'tell', text: 'no_answer' }); // F9
}

/** Without a block or anything under way, and without a text, unless a submit was stopped. */
function end(state: State, isStopped: boolean): Step {
  const dropped: State = { ...state, block: null }; // F12
  const [next, ...effects] = rest(dropped, IDLE); // F12
  if (isStopped) effects.push({ do: 'tell', text: 'no_answer' });
  return [next, TAKE_OUT, { do: 'clearTexts' }, ...effects];
}

/**
 * The form has come to rest. A listener of `cardseal:settled` may press, or end everything by
 * `restart()`: then no text follows.
 */
function rest({ owesSettled, block }: State, doing: Doing, ...effects: Effect[]): Step {
  const next: State = { doing, block, owesSettled: false };
  return owesSettled ? [next, { do: 'settled' }, ...effects] : [next, ...effects];
}

// Between presses

/** The shopper, or a script of the page, has changed a control of the card. */
function changed(state: State, { isSame, isBegun }: Of<'changed'>): Step {
  const { doing, block } = state;
  if (doing.is === 'handed' && isBegun) return [{ ...state, doing: { ...doing, isBegun } }];
  if (isCommitted(state) || !block) return [state];
  // An event at a shared name or a select, which were not emptied, begins another card.
  if (block.isEmptied && isBegun) return [{ ...state, block: null }]; // F10
  return [{ ...state, block: unlessOther(block, isSame) }]; // F10
}

/** Something collects the form's data. */
function collected(state: State, { isCard, isOther }: Of<'collected'>): Step {
  const { block } = state;
  if (!isCard) return [withdrawn(state), TAKE_OUT]; // F10
  if (!block || block.place === 'aside') return [state];
  if (!isCommitted(state) && isOther) return [withdrawn(state)]; // F10
  return [{ ...state, block: { ...block, isOut: true } }]; // F10
}
