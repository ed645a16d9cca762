/**
 * One task in a copied world: what happens, what perform.ts, the browser and the page's code do
 * about it, and what must hold. The rules of docs/form.md are checked against the world alone.
 */
import {
  type decide as Decide,
  type Effect,
  type Input,
  isCommitted,
  isDispatching,
  isIdle,
  type Press,
  type State,
} from '../../../src/form/decide.ts';
import {
  CLAIMS,
  isToWait,
  type Letter,
  type Pick,
  type Setting,
  split,
  type World,
} from './world.ts';

/** What the shopper does that raises an event. */
const RAISES_EVENT = ['types A', 'types B', 'begins another card', 'chooses another way'];

/** These happen whatever code of the page has done since: as in perform.ts. */
const DUE: readonly Effect['do'][] = ['stop', 'settled', 'nextCard', 'takeOut'];

/** What code of the page does while it is called. */
const ALWAYS = ['restart()', 'requestSubmit()'] as const;
const LISTENER = [
  ...['clicks the card button', 'form.submit()', 'FormData', 'changes to B', 'empties the fields'],
  ...['another way', 'form.reset()', 'restart()', 'encrypt()', 'takes the form out'],
  ...['synthetic submit', 'requestSubmit() later', 'form.submit() later'],
] as const;
const CLICK_HANDLER = [
  ...['clicks the card button', 'form.submit()', 'FormData', 'another way', 'form.reset()'],
  ...['restart()', 'requestSubmit()', 'requestSubmit() later', 'form.submit() later'],
] as const;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

type By = 'shopper' | 'page' | 'library';

interface How {
  readonly by: By;
  readonly isTrusted?: boolean;
  /** Whether the button is Cancel. */
  readonly isSkip?: boolean;
}

interface Dispatched extends How {
  readonly kind: 'submit' | 'click';
}

/** What a press's event has come to. */
interface Dispatch {
  readonly press: Press;
  isStopped: boolean;
}

/** What the shopper reads if a press fails. */
const FAILURES = {
  'no key': 'press_again',
  'no card': 'problems',
  'wrong destination': 'payment_unavailable',
} as const;

/** Runs one task of a world, which is a copy. */
export class Run {
  readonly world: Mutable<World>;
  fault: string | undefined;
  /** What happened, for people. */
  readonly log: string[] = [];

  // What is so until the task is over
  #turn = 0;
  #isByShopper = false;
  #isInSubmit = false;
  #isEmptying = false;
  #hasActed = false;
  #nesting = 0;
  #raised = 0;
  #repeats = 0;
  /** The press whose repeat is awaited. */
  #awaited: Press | undefined;
  readonly #dispatches: Dispatch[] = [];

  constructor(
    world: World,
    readonly setting: Setting,
    readonly decide: typeof Decide,
    readonly pick: Pick,
  ) {
    this.world = { ...world };
  }

  run(task: string): void {
    const { world } = this;
    const [name, id, kind] = split(task);
    if (world.tasks.includes(task)) {
      world.tasks = without(world.tasks, task);
      if (task === 'settle') this.#settle();
      else if (task === 'reset') this.#reset();
      else if (name === 'later:') this.#act(task.slice(7));
      else this.#goOn(name, { id: id!, kind: kind! });
    } else if (name === 'page:') {
      world.page -= 1;
      this.#hasActed = true;
      this.#act(task.slice(6));
    } else if (name === 'presses') {
      this.#isByShopper = true;
      if (world.passing.length > 0) this.#settle(); // what was passing is over
      if (task === 'presses Cancel')
        this.#dispatch({ kind: 'submit', by: 'shopper', isSkip: true });
      else this.#dispatch({ kind: task === 'presses Pay' ? 'submit' : 'click', by: 'shopper' });
    } else {
      world.shopper -= 1;
      this.#shopper(task);
    }
    this.#check();
  }

  #shopper(task: string): void {
    const { world } = this;
    // Their event comes first, also before the timer that would settle what passes.
    if (RAISES_EVENT.includes(task) && world.passing.length > 0) this.#settle();
    if (task === 'types A') this.#type('A', true);
    if (task === 'types B') this.#type('B', true);
    if (task === 'B is filled in') this.#type('B', false);
    if (task === 'begins another card') {
      world.hasBegun = true;
      this.#beginAnother();
      this.#send({ type: 'changed', isSame: true, isBegun: true });
    }
    if (task === 'chooses another way') world.isCardChosen = !world.isCardChosen;
    if (task === 'the key gets old') world.isKeyOld = true;
    if (task === 'leaves the page') {
      this.#end();
      world.isGone = true;
    }
    if (task === 'stays') {
      world.isOnWay = false; // nobody knows
      this.#send({ type: 'asked' });
    }
  }

  /** What was under way goes on. */
  #goOn(name: string, press: Press): void {
    if (name === 'key') this.#key(press);
    if (name === 'ready') this.#send({ type: 'ready', press });
    if (name === 'answer') this.#answer(press);
    if (name === '30s') this.#timeout(press);
  }

  /** The key comes, and the card that was read at the press is encrypted. */
  #key(press: Press): void {
    const { world } = this;
    if (!this.#isMaking(press)) return;
    if (this.pick(['', 'the key fails']) !== '') {
      this.#send({ type: 'failed', press, error: 'no key' });
      return;
    }
    world.sealed = world.pressed;
    world.isKeyOld = false;
    world.reach = 'nobody';
    this.#send({ type: 'sealed', press, isSame: world.card === world.sealed });
    this.#pageActs('cardseal:encrypted', [...ALWAYS, 'changes to B', 'another way']);
    if (this.#isMaking(press)) this.#later('ready', press);
  }

  #timeout(press: Press): void {
    const { world } = this;
    if (world.passing.length > 0) this.#settle();
    const { doing } = world.state;
    const isDue = 'press' in doing && doing.press.id === press.id && !isIdle(world.state);
    if (isDue) {
      world.isOnWay = false;
      world.isWorking = false; // nobody waits for it any more
    }
    const { isResetDue } = world;
    this.#send({ type: 'timeout', press, isSame: this.#isSame() });
    if (!isDue || this.#hasActed) return;
    if (isResetDue) return void this.#checkReset(); // the page has ended the payment itself
    if (world.text !== 'no_answer') this.#fail('no response comes, in silence');
    if (world.card && world.card === world.sealed) {
      this.#fail('a card that may have been charged stays on the screen');
    }
  }

  /** `onEncrypted` is done, or submits the form first. */
  #answer(press: Press): void {
    const { world } = this;
    const how = this.pick(['', 'rejects', 'submits', 'submits, and rejects']);
    this.log.push(`onEncrypted: ${how || 'is done'}`);
    if (how.startsWith('submits')) this.#submitsForCard();
    this.#settleIfOver();
    const { doing } = world.state;
    const isOwn = 'press' in doing && doing.press.id === press.id;
    const isDue = isOwn && doing.is === 'handed';
    const isAnswered = !how.endsWith('rejects');
    if (isDue) world.isOwed = !isAnswered; // the shopper has to read something
    const isOther = world.tasks.some((task) => task.startsWith('answer'));
    if (isDue || !isOther) world.isWorking = false;
    this.#send({ type: 'answered', press, isAnswered, isSame: this.#isSame() });
    if (isOwn && world.isResetDue && isIdle(world.state)) this.#checkReset();
  }

  /** A submit by `onEncrypted` has to be sent, unless the shopper or the page has ended it. */
  #submitsForCard(): void {
    const { world } = this;
    const isWanted =
      world.isConnected && world.isDestinationGood && world.isCardChosen && !world.hasCancelled;
    const isHanded = world.state.doing.is === 'handed' && world.state.block?.place === 'script';
    const dispatch = this.#dispatch({ kind: 'submit', by: 'page' });
    if (isWanted && isHanded && dispatch?.isStopped && !this.#hasActed) {
      this.#fail('a submit by onEncrypted is refused, and nothing is ever sent');
    }
  }

  /** A reset takes effect, at once or when `onEncrypted` is done. */
  #reset(): void {
    const { world } = this;
    if (world.passing.length > 0) this.#settle();
    this.#payIsOver();
    world.isResetDue = world.state.doing.is === 'handed';
    this.#send({ type: 'reset' });
    if (!world.isResetDue) this.#checkReset();
  }

  #checkReset(): void {
    const { world } = this;
    world.isResetDue = false;
    const isLeft = world.card || world.state.block;
    if (isLeft && !this.#hasActed) this.#fail('a reset has left something of the card');
  }

  // What is decided, and done

  #send(input: Input): void {
    const { world } = this;
    const before = world.state;
    const [next, ...effects] = this.decide(before, input, Boolean(this.setting.hasHandler));
    const isOther = next.doing.is !== before.doing.is;
    if (input.type === 'end' || isOther) this.#turn += 1;
    world.state = next;
    this.#follow(before);
    if (isOther) {
      this.#stopPassing();
      if (world.text === 'one_moment' || world.text === 'payment_under_way') world.text = '';
    }
    const own = this.#turn;
    for (const effect of effects) {
      if (own === this.#turn || DUE.includes(effect.do)) this.#perform(effect);
    }
  }

  /** What block.ts does. */
  #follow({ block: before }: State): void {
    const { world } = this;
    const now = world.state.block;
    const isIn = now !== null && now.place !== 'aside';
    const wasIn = before !== null && before.place !== 'aside';
    if (isIn !== wasIn) world.isOffered = isIn;
    if (isIn && world.reach === 'nobody') world.reach = 'readable';
    if (!before || now) return;
    world.sealed = '';
    if (world.delivered) world.delivered = { ...world.delivered, isKept: false };
  }

  #perform(effect: Effect): void {
    const { world } = this;
    switch (effect.do) {
      case 'takeOut':
        world.isOffered = false;
        break;
      case 'clearTexts':
        world.text = '';
        break;
      case 'tell':
        this.#show(effect.text);
        break;
      case 'fail':
        this.#showFailure(effect.error, effect.isAway);
        this.#pageActs('cardseal:error', ['requestSubmit()']);
        break;
      case 'settled':
        world.open -= 1;
        if (world.open < 0) this.#fail('cardseal:settled without cardseal:submit');
        this.#pageActs('cardseal:settled', ALWAYS);
        break;
      case 'nextCard':
        if (world.state.doing.is === 'handed' && world.isWorking) {
          this.#fail('a reset ends the press that onEncrypted still has');
        }
        this.#end();
        break;
      default:
        this.#performFor(effect.press, effect);
    }
  }

  #performFor(press: Press, effect: Extract<Effect, { press: Press }>): void {
    const { world } = this;
    switch (effect.do) {
      case 'stop':
        this.#stop(press.id);
        break;
      case 'announce':
        this.#announce(press);
        break;
      case 'prepare':
        this.#makeBlock(press, effect.needsBlock);
        break;
      case 'repeat':
        this.#repeat(press);
        break;
      case 'gate':
        this.#gate(press);
        break;
      case 'empty':
        if (this.#isNative(press)) {
          this.#fail('what was typed is emptied, although nothing is on its way');
        }
        this.#empty();
        this.#send({
          ...{ type: 'emptied', press, isCleared: world.card === '' },
        });
        break;
      case 'emptyLate':
        this.#empty();
        this.#send({
          ...{ type: 'emptiedLate', press, isSame: this.#isSame() },
          isCleared: world.card === '',
        });
        break;
      case 'pass':
        this.#pass(press);
        break;
      case 'handOver':
        this.#handOver(press);
        break;
      case 'waitForPage':
        this.#later('30s', press);
        break;
      case 'waitForResponse':
        if (!this.setting.hasFrame) this.#later('30s', press);
        else this.#end();
    }
  }

  #announce(press: Press): void {
    const { world } = this;
    this.#raised += 1;
    world.open += 1;
    if (world.open > 1) this.#fail('two presses at once');
    world.isOwed = true;
    world.hasCancelled = false;
    world.isResetDue = false;
    const isRetry = world.card === '' && !world.hasBegun && world.state.block?.isEmptied;
    world.pressed = isRetry ? world.sealed : world.card;
    const act = this.#pageActs('cardseal:submit', ['cancels', 'restart()', 'another way']);
    if (act === 'cancels') world.isOwed = false; // it shows its own message
    this.#send({
      type: 'announced',
      press,
      isWanted: act !== 'cancels',
      canGoOn: true,
      ...this.#facts(),
    });
  }

  #makeBlock(press: Press, needsBlock: boolean): void {
    const { world } = this;
    if (this.#isNative(press) && !world.isDestinationGood) {
      this.#send({ type: 'failed', press, error: 'wrong destination' });
      return;
    }
    if (!needsBlock) {
      this.#later('ready', press);
      return;
    }
    world.isOffered = false;
    if (!world.card) {
      this.#send({ type: 'failed', press, error: 'no card' });
      return;
    }
    this.#send({ type: 'read', press });
    this.#later('key', press);
  }

  #repeat(press: Press): void {
    const { world } = this;
    this.#repeats += 1;
    if (this.#repeats > 1) this.#fail('the library repeats a press again and again');
    const how = this.pick(['', 'the browser refuses it, and shows why', 'no event comes']);
    this.#awaited = press;
    if (how === '') this.#dispatch({ kind: press.kind as 'submit' | 'click', by: 'library' });
    else this.log.push(how);
    this.#awaited = undefined;
    this.#settle();
    const isExplained = how.endsWith('why') && world.isConnected;
    if (isExplained) world.isOwed = false; // by a message of the browser
    this.#send({ type: 'repeated', press, isExplained });
  }

  #gate(press: Press): void {
    const { world } = this;
    this.#pageActs('when', ['restart()']);
    const isCard = press.kind === 'encrypt' || world.isCardChosen;
    const destinationError = world.isDestinationGood ? undefined : 'wrong destination';
    this.#send({ type: 'gated', press, isCard, destinationError, ...this.#facts() });
  }

  #pass({ id, kind }: Press): void {
    const { world } = this;
    world.passing = [...world.passing, { id, kind, isDispatched: false, isSent: false }];
    if (!world.tasks.includes('settle')) world.tasks = [...world.tasks, 'settle'];
  }

  #handOver(press: Press): void {
    const { world } = this;
    world.isOwed = false;
    // A page that fills the fields again while a press passes: see SECURITY.md, emptied-before-code.
    const isPart = isDispatching(world.state);
    if (world.card && !isPart) this.#fail('a block is handed over with a card in the fields');
    if (press.kind === 'encrypt') {
      this.#deliver('encrypt()');
      return;
    }
    if (!world.isCardChosen) this.#fail('onEncrypted is called although another way is chosen');
    if (world.isWorking) this.#fail('onEncrypted is called while its promise is pending');
    world.isWorking = true;
    this.#deliver('onEncrypted');
    this.#later('answer', press);
    const act = this.#pageActs('onEncrypted', ['submits', 'form.reset()', 'restart()']);
    if (act === 'submits') this.#submitsForCard();
  }

  // What the browser does

  /** A submit event, or a click of a card button. */
  #dispatch({ kind, by, isTrusted = true, isSkip = false }: Dispatched): Dispatch | undefined {
    const { world } = this;
    const isNested = this.#isInSubmit && kind === 'submit' && isTrusted; // browsers raise none
    const isGone = world.isGone || (!world.isConnected && (kind === 'submit' || by === 'shopper'));
    if (isNested || isGone || this.#nesting > 2) return undefined;
    const isRepeat = this.#awaited !== undefined;
    const press = this.#awaited ?? this.#newPress(kind);
    this.#awaited = undefined;
    const dispatch: Dispatch = { press, isStopped: false };
    this.#dispatches.push(dispatch);
    const wasInSubmit = this.#isInSubmit;
    if (kind === 'submit') this.#isInSubmit = true;
    this.#nesting += 1;
    this.#passOn(dispatch, { by, isTrusted, isSkip }, isRepeat);
    this.#nesting -= 1;
    this.#isInSubmit = wasInSubmit;
    return dispatch;
  }

  #passOn(dispatch: Dispatch, { by, isTrusted = true, isSkip }: How, isRepeat: boolean): void {
    const { world } = this;
    const { press } = dispatch;
    this.#settleIfOver(press.kind);
    const { isOnWay, state } = world;
    const isCard = world.isCardChosen && !isSkip;
    const isPart = isDispatching(state) && (by === 'page' || this.#hasActed);
    const isScripts = state.block?.place === 'script' && by === 'page' && press.kind === 'submit';
    if (!isCard && by !== 'library') world.hasCancelled = true;
    // It has to have an outcome. A press that comes while another is under way is told to wait.
    if (isCard && isIdle(state)) world.isOwed = true;
    const raised = this.#raised;
    if (isRepeat) this.#send({ type: 'repeats', press });
    else
      this.#send({
        ...{ type: 'press', press, isCard, isByShopper: this.#isByShopper && by !== 'library' },
        isSendable: state.doing.is !== 'overdue' || world.isDestinationGood,
      });
    if (dispatch.isStopped) {
      if (isPart && isCard && world.state.block && world.isDestinationGood) {
        this.#fail('code of the page cannot send while its press passes');
      }
      return;
    }
    if (isCard) {
      const isAsked = isPart || isScripts || isRepeat || this.#raised > raised;
      if (!isAsked) this.#fail('a press passes with a block, and the page could not refuse it');
      this.#checkPass(press, by, isPart);
      const isSentTwice = isOnWay && !isPart && !isScripts && world.isConnected;
      if (isSentTwice) this.#fail('a press is sent while one is on its way');
    }
    this.#runListeners(dispatch, by, isTrusted, isCard);
  }

  /** A card press goes on to the listeners of the page. */
  #checkPass({ kind }: Press, by: By, isPart: boolean): void {
    const { world } = this;
    if (!world.isOffered) this.#fail('a card press passes without a block');
    if (world.hasCancelled && by !== 'shopper' && !isPart) {
      this.#fail('the card is sent although the shopper has pressed something else since');
    }
    if (world.card && world.card !== world.sealed && by === 'library') {
      this.#fail('a press is repeated with another card on the screen');
    }
    if (kind === 'click' && world.card && !isPart) {
      this.#fail('handlers of a card button run with a card in the fields');
    }
    if (kind === 'submit' && this.setting.hasHandler && by !== 'page') {
      this.#fail('the browser sends the form, although there is onEncrypted');
    }
    world.isOwed = false;
  }

  #runListeners(dispatch: Dispatch, by: By, isTrusted: boolean, isCard: boolean): void {
    const { world } = this;
    const { id, kind } = dispatch.press;
    this.#pageActs(`${kind} listener`, kind === 'click' ? CLICK_HANDLER : LISTENER);
    const isCancelled = kind === 'click' || this.pick(['', 'the page cancels']) !== '';
    const isSent = isTrusted && !isCancelled && !dispatch.isStopped;
    world.passing = world.passing.map((one) =>
      one.id === id ? { ...one, isDispatched: true, isSent } : one,
    );
    if (!isSent || !world.isConnected) return;
    this.#collect();
    if (!isCard) {
      if (by === 'library') this.#fail('the library sends a form that is no card payment');
      if (world.isOffered && !isCommitted(world.state)) {
        this.#fail('a press that is no card payment carries a block');
      }
      return;
    }
    if (!world.isOffered) {
      this.#fail('a card press is sent by the browser without a block');
      return;
    }
    if (!world.isDestinationGood) this.#fail('a block goes to a wrong destination');
    this.#deliver('the browser');
    world.isOnWay = true;
    world.isWorking = false; // the press is the browser's now
    world.isResetDue = false; // and so is the card
  }

  /** The form's data, as `new FormData(form)` and the browser collect it. */
  #collect(): void {
    const { world } = this;
    const { state } = world;
    const isOther = !isCommitted(state) && state.block !== null && this.#isOther();
    const isCard = isDispatching(state) || world.isCardChosen;
    this.#send({ type: 'collected', isCard, isOther });
  }

  /** A script takes the data, and sends it. */
  #takeData(by: string): void {
    const { world } = this;
    const isCommittedNow = isCommitted(world.state);
    const isExpected =
      isDispatching(world.state) && world.passing.some(({ isDispatched }) => !isDispatched);
    this.#collect();
    if (!world.isOffered) {
      if (isExpected && world.state.block) this.#fail('a listener finds no block');
      return;
    }
    if (!isCommittedNow && this.#isOther()) {
      this.#fail('a script sends the card of the press, but another one is on the screen');
    }
    if (!isCommittedNow && !world.isCardChosen) {
      this.#fail('another way to pay is chosen, and a block goes with it');
    }
    this.#deliver(by);
  }

  /** A script reads the hidden input, without any event. So the library cannot know. */
  #readInput(): void {
    const { world } = this;
    const isSeen = !world.isSilent && !isCommitted(world.state) && !world.isOnWay;
    if (isSeen && this.#isOther()) {
      this.#fail('a script sends the card of the press, but another one is on the screen');
    }
    world.reach = 'out';
  }

  /** A block leaves the page. */
  #deliver(by: string): void {
    const { world } = this;
    this.log.push(`a block of ${world.sealed} leaves by ${by}`);
    if (world.sealed !== world.pressed) {
      this.#fail('the card that is sent is not that of the press');
    }
    const last = world.delivered;
    if (last && !last.isOver && last.card === world.sealed && !last.isKept) {
      this.#fail('a retry of the same card sends another block');
    }
    // The library has emptied the fields and forgotten the card: a card there is another payment's.
    const isAnotherBegun = world.state.block?.isEmptied === true && world.card !== '';
    world.delivered = {
      card: world.sealed,
      isKept: true,
      isOver: isAnotherBegun || (last?.isKept === true && last.isOver),
    };
    world.reach = 'out';
  }

  // What the shopper and the page do

  #type(card: Letter, hasEvent: boolean): void {
    const { world } = this;
    world.card = card;
    world.isSilent = !hasEvent;
    world.hasBegun = false;
    this.#beginAnother();
    const isHeard = hasEvent && world.state.block && !isCommitted(world.state);
    if (isHeard) this.#send({ type: 'changed', isSame: this.#isSame(), isBegun: false });
  }

  /** Code of the page runs, and may do one thing. */
  #pageActs<Act extends string>(when: string, acts: readonly Act[]): Act | '' {
    const { world } = this;
    if (world.page === 0) return '';
    const act = this.pick(['', ...acts]);
    if (act === '') return '';
    world.page -= 1;
    this.#hasActed = true;
    this.log.push(`${when}: ${act}`);
    this.#act(act);
    return act;
  }

  #act(act: string): void {
    const { world } = this;
    switch (act) {
      case 'clicks the card button':
        this.#dispatch({ kind: 'click', by: 'page' });
        break;
      case 'requestSubmit()':
        this.#dispatch({ kind: 'submit', by: 'page' });
        break;
      case 'synthetic submit':
        this.#dispatch({ kind: 'submit', by: 'page', isTrusted: false });
        break;
      case 'form.submit()':
        if (world.isConnected) this.#takeData(act);
        break;
      case 'FormData':
        this.#takeData(act);
        break;
      case 'serialize()':
        if (world.isOffered) this.#readInput();
        break;
      case 'changes to B':
        this.#type('B', false);
        break;
      case 'empties the fields':
        this.#type('', true);
        break;
      case 'writes it back':
        world.card = world.sealed || world.pressed;
        break;
      case 'another way':
        world.isCardChosen = false;
        break;
      case 'breaks the action':
        world.isDestinationGood = false;
        break;
      case 'takes the form out':
        world.isConnected = false;
        break;
      case 'encrypt()':
        this.#settleIfOver('encrypt');
        this.#send({
          ...{ type: 'press', press: this.#newPress('encrypt'), isCard: true, isByShopper: true },
          isSendable: true,
        });
        break;
      case 'form.reset()':
        this.#send({ type: 'resets' });
        if (world.isOffered && !isCommitted(world.state)) {
          this.#fail('a reset leaves the block in the data of the form');
        }
        world.card = '';
        world.isOwed = false;
        this.#beginAnother();
        if (!world.tasks.includes('reset')) world.tasks = [...world.tasks, 'reset'];
        break;
      case 'restart()':
        this.#end();
        break;
      case 'requestSubmit() later':
      case 'form.submit() later':
        world.tasks = [...world.tasks, `later: ${act.split(' ')[0]}`];
    }
  }

  /** What the library empties, and sees to be empty. */
  #empty(): void {
    const { world } = this;
    world.hasBegun = false;
    if (!world.card || this.#isEmptying) return;
    world.card = '';
    this.#isEmptying = true;
    this.#pageActs('as fields are emptied', [...ALWAYS, 'writes it back']);
    this.#isEmptying = false;
  }

  /** `restart()`, or the page is left. */
  #end(): void {
    const { world } = this;
    const open = world.passing.filter(
      ({ kind, isDispatched }) => kind === 'submit' && !isDispatched,
    );
    for (const { id } of open) this.#stop(id);
    this.#payIsOver();
    world.isWorking = false;
    this.#empty();
    this.#payIsOver(); // with a press that has begun meanwhile
    this.#send({ type: 'end', isStopped: open.length > 0 && world.isConnected });
    if (this.#hasActed) return;
    if (!isIdle(world.state)) this.#fail('the form is busy when the payment is over');
    const isLeft = world.state.block || world.isOffered || world.card;
    if (isLeft) this.#fail('something of the card is left when the payment is over');
  }

  #payIsOver(): void {
    const { world } = this;
    world.isOwed = false;
    world.isOnWay = false;
    this.#beginAnother();
  }

  /** The shopper or the page begins another payment. */
  #beginAnother(): void {
    const { world } = this;
    if (world.delivered) world.delivered = { ...world.delivered, isOver: true };
  }

  // A press is over

  #settle(): void {
    const { world } = this;
    const sent = world.passing.find(({ isSent }) => isSent);
    world.tasks = without(world.tasks, 'settle');
    const { isConnected } = world;
    this.#send({
      type: 'dispatched',
      sent: sent && isConnected ? { id: sent.id, kind: sent.kind } : undefined,
    });
  }

  #settleIfOver(kind?: Press['kind']): void {
    const { passing } = this.world;
    const isOver = passing.length > 0 && passing.every(({ isDispatched }) => isDispatched);
    const mayBeItsSubmit = kind === 'submit' && passing.at(-1)?.kind === 'click';
    if (isOver && !mayBeItsSubmit) this.#settle();
  }

  // What the shopper reads

  #showFailure(error: unknown, isAway: boolean): void {
    const text = FAILURES[error as keyof typeof FAILURES] ?? 'payment_unavailable';
    this.#show(isAway && text !== 'problems' ? 'no_answer' : text);
  }

  #show(text: World['text']): void {
    this.world.text = text;
    this.log.push(`the shopper reads ${text}`);
    if (!isToWait(text)) this.world.isOwed = false;
  }

  // What must hold after each task

  #check(): void {
    const { world } = this;
    const { doing, block, owesSettled } = world.state;
    const isQuiet = !world.tasks.some((task) => task === 'settle' || task === 'reset');
    const { text } = world;
    if (text !== '' && text !== 'problems' && !CLAIMS[text].isTrue(world)) {
      this.#fail(`the shopper reads ${text}, and that is not true`);
    }
    if (world.isOffered !== (block !== null && block.place !== 'aside')) {
      this.#fail('the hidden input does not follow the state');
    }
    if (world.open !== Number(owesSettled)) this.#fail('cardseal:settled does not come');
    if (isIdle(world.state) && owesSettled) this.#fail('cardseal:settled does not come');
    if (isIdle(world.state) && isQuiet && world.isOwed) this.#fail('a press ends in silence');
    if (!isIdle(world.state) && 'press' in doing && !this.#goesOn(doing.press, doing.is)) {
      this.#fail('the form is busy for ever');
    }
  }

  /** Whether something ends what the form is doing. */
  #goesOn({ id, kind }: Press, is: string): boolean {
    const { tasks, passing } = this.world;
    if (is === 'dispatching' || passing.length > 0) return tasks.includes('settle');
    if (is === 'handed' && !tasks.includes(`answer ${id} ${kind}`)) {
      this.#fail('onEncrypted is done, and the form still waits for it');
    }
    const ends = is === 'encrypting' ? /^(key|ready)/ : /^30s/;
    return tasks.some((task) => ends.test(task) && split(task)[1] === id);
  }

  #fail(what: string): void {
    this.fault ??= what;
  }

  // What is so

  #newPress(kind: Press['kind']): Press {
    this.world.presses += 1;
    return { id: this.world.presses, kind };
  }

  #later(name: string, { id, kind }: Press): void {
    this.world.tasks = [...this.world.tasks, `${name} ${id} ${kind}`];
  }

  #stop(id: number): void {
    for (const one of this.#dispatches) if (one.press.id === id) one.isStopped = true;
  }

  #stopPassing(): void {
    if (this.world.passing.length === 0) return;
    this.world.passing = [];
    this.world.tasks = without(this.world.tasks, 'settle');
  }

  #isMaking = ({ id }: Press) => {
    const { doing } = this.world.state;
    return doing.is === 'encrypting' && doing.press.id === id;
  };

  /** Whether the browser sends the form. */
  #isNative = ({ kind }: Press) => kind === 'submit' && !this.setting.hasHandler;

  #isOther = () => this.world.card !== '' && this.world.card !== this.world.sealed;

  #isSame(): boolean {
    const { state, card, sealed } = this.world;
    if (!state.block) return false;
    return state.block.isEmptied ? card === '' : card === sealed;
  }

  #facts = () => ({
    isSame: this.#isSame(),
    isYoung: this.world.state.block !== null && !this.world.isKeyOld,
  });
}

const without = (tasks: readonly string[], task: string): readonly string[] => {
  const at = tasks.indexOf(task);
  return at < 0 ? tasks : [...tasks.slice(0, at), ...tasks.slice(at + 1)];
};
