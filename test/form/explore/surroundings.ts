/**
 * A simulated page, shopper, key server and clock around the code of the form that decides
 * (card-form.ts, presses.ts, make-block.ts, sealed-block.ts): the code that is shipped, without a
 * browser. What the browser, the shopper and the page's scripts may do next is a list of tasks.
 * Within a task, the page's code chooses what it does by `pick`. What must hold is checked by
 * `violation`, in terms of docs/form.md.
 */
import type { EncryptedCard } from '../../../src/core/index.ts';
import type { cardForm as CardForm } from '../../../src/form/card-form.ts';
import type { CardFormBinding } from '../../../src/form/options.ts';
import type { Parts } from '../../../src/form/parts.ts';
import type { CardBytes } from '../../../src/form/read.ts';
import type { sealedBlock as SealedBlockOf } from '../../../src/form/sealed-block.ts';

/** The code that decides, as it is shipped or with one planted change. */
export interface FormCode {
  cardForm: typeof CardForm;
  sealedBlock: typeof SealedBlockOf;
  CardEncryptionError: new (code: 'invalid_form' | 'key_unavailable', message: string) => Error;
}

/** What a page is like. */
export interface Setting {
  /** Whether the form is bound with `onEncrypted`. */
  onEncrypted?: boolean;
  /** Whether the card's fields are `required`. */
  required?: boolean;
  /** Whether there is a button with `data-cardseal-button`. */
  cardButton?: boolean;
  /** Whether the answer is shown in a frame. */
  frame?: boolean;
  /** Whether the page calls `encrypt()`. */
  encrypt?: boolean;
}

/** How much of everything one path may hold. */
export interface Bounds {
  /** Acts of the page's code. */
  page: number;
  /** Acts of the shopper beside presses. */
  shopper: number;
  /** The only acts and tasks beside presses and what is under way. Default: all. */
  only?: readonly string[];
}

type Pick = <Option extends string>(options: readonly Option[], what: string) => Option;

/** What stands in the fields: nothing, card A or B, a mask of the page; or the fields are gone. */
type Content = 'empty' | 'A' | 'B' | 'masked' | 'removed';

class FakeEvent {
  defaultPrevented = false;
  isStopped = false;
  eventPhase = 1;
  constructor(
    readonly isTrusted: boolean,
    readonly button: Button,
  ) {}
  preventDefault() {
    this.defaultPrevented = true;
  }
  stopImmediatePropagation() {
    this.isStopped = true;
  }
}

type Button = 'pay' | 'skip' | 'card button';

const bytesOf = (content: Content): CardBytes => {
  const byte = Uint8Array.of(content.charCodeAt(0));
  return { number: byte, name: byte, exp_month: byte, exp_year: byte, cvv: byte };
};
const letterOf = (card: CardBytes) => String.fromCharCode(card.number[0]!) as Content;

const LISTENER_ACTS = [
  'nothing',
  'FormData now',
  'form.submit() now',
  'form.submit() later',
  'FormData later',
  'requestSubmit() later',
  'clicks the card button',
  'locks the fields',
  'masks the fields',
  'empties the fields',
  'removes the fields',
  'changes to B without events',
  'form.reset()',
  'restart()',
  'unbind()',
  'takes the form out',
  'dispatches a synthetic submit',
] as const;

const CLICK_ACTS = [
  'nothing',
  'FormData now',
  'form.submit() now',
  'form.submit() later',
  'FormData later',
  'requestSubmit() now',
  'requestSubmit() later',
  'clicks the card button',
  'clicks the skip button',
  'locks the fields',
  'form.reset()',
  'restart()',
  'takes the form out',
] as const;

type Act = (typeof LISTENER_ACTS)[number] | (typeof CLICK_ACTS)[number];

const PLANS = [
  'sends, and is done',
  'sends, and is pending',
  'rejects',
  'requestSubmit() at once',
  'requestSubmit() at once, and is pending',
  'requestSubmit() at once, and rejects',
  'requestSubmit() while pending',
  'form.submit() while pending',
  'requestSubmit() when done',
  'form.reset(), and is pending',
  'restart()',
] as const;

interface Block extends EncryptedCard {
  readonly content: Content;
}

/** What has left the page last. */
interface Delivery {
  block: Block;
  /** Whether another block of the same card may follow: the page has said that this one is over. */
  isOver: boolean;
}

export class Surroundings {
  readonly violations: string[] = [];
  readonly log: string[] = [];

  // The page
  private content: Content = 'A';
  private isLocked = false;
  private isCardChosen = true;
  private isConnected = true;
  private isBound = true;
  private isDestinationGood = true;
  private isRequired: boolean;
  private isEmptying = false;
  private isEmptiedByLibrary = false;
  private offered: Block | undefined;
  /** What the page will do in tasks of their own. */
  private readonly plans: (() => void)[] = [];
  private readonly planNames: string[] = [];
  private pending: { plan: string; resolve(): void; reject(reason: unknown): void }[] = [];
  private isInSubmit = false;
  private isAway = false;

  // Keys, encryption and clock
  private key: { key: { id: string }; arrived: number } | undefined;
  private keyWaits: { resolve(key: unknown): void; reject(reason: unknown): void }[] = [];
  private encryption: { content: Content; resolve(): void; reject(): void } | undefined;
  private keysMade = 0;
  private readonly oldKeys = new Set<number>();
  private soon: (() => void)[] = [];
  private slowKeys: (() => void)[] = [];
  private giveUps: (() => void)[] = [];

  // What was observed
  private acts = 0;
  private shopperActs = 0;
  private isByShopper = false;
  private text: '' | 'wait' | 'final' = '';
  /** Whether a press of the shopper or of the page has had no outcome yet. */
  private isOwed = false;
  private unsettled = 0;
  /** The card of the last card press that was accepted. */
  private pressed: Content = 'empty';
  private delivery: Delivery | undefined;
  private isOnWay = false;
  private isPassing = false;
  private hasPressedOther = false;
  /** Whether a card press has passed since the last press for something else began. */
  private hasPassedSince = false;
  /** Whether the page has ended the payment while a submit was dispatched. */
  private isPageDone = false;
  private nesting = 0;
  private hasChangedSilently = false;
  private sends = 0;
  private handOvers = 0;
  /** Whether the form need not wait for `onEncrypted` any more. */
  private isPendingOver = false;
  private isResetDue = false;
  /** Whether the browser has sent the form, and the answer is shown in a frame. */
  private isFrameDue = false;
  /** How many `cardseal:submit` this task has raised. */
  private raised = 0;

  private readonly form: ReturnType<typeof CardForm>;
  private readonly binding: CardFormBinding;
  private readonly sealed: ReturnType<typeof SealedBlockOf>;

  constructor(
    private readonly code: FormCode,
    private readonly setting: Setting,
    private readonly bounds: Bounds,
    private readonly pick: Pick,
    isKeyThere: boolean,
  ) {
    this.isRequired = setting.required ?? false;
    if (isKeyThere) this.makeKey();
    const fields = this.fields();
    const input = this.input();
    this.sealed = code.sealedBlock(fields, input, (arrived) => !this.oldKeys.has(arrived));
    const parts = {
      onEncrypted: setting.onEncrypted ? (block: EncryptedCard) => this.receive(block) : undefined,
      page: this.page(),
      fields,
      sealed: this.sealed,
      keys: this.keys(),
      notices: this.notices(),
      encrypt: (_: unknown, card: CardBytes) => this.encrypt(letterOf(card)),
      later: (action: () => void, ms = 0) => this.later(action, ms),
      report: () => {},
      stopListening: () => {
        this.isBound = false;
      },
    };
    this.form = code.cardForm(parts as unknown as Parts);
    this.binding = this.form.start(() => {});
    this.binding.ready.catch(() => {});
  }

  // The parts that the form is given

  private fields() {
    const holds = (card: CardBytes | undefined) => card && letterOf(card) === this.content;
    return {
      read: () => {
        if (this.isLocked || this.content === 'removed') throw this.invalidForm();
        const isCard = this.content === 'A' || this.content === 'B';
        const problem = { problem: 'number_invalid', field: 'number', controls: [] };
        return { card: bytesOf(this.content), problems: isCard ? [] : [problem] };
      },
      nameProblem: () => [],
      hold: (card: CardBytes) => holds(card),
      areEmpty: () => this.content === 'empty',
      holdOther: (card: CardBytes | undefined) =>
        (this.content === 'A' || this.content === 'B') && !holds(card),
      include: () => !this.isEmptying,
      mayHoldCard: () => false,
      empty: () => this.emptyFields(),
      setRequired: (isRequired: boolean) => {
        this.isRequired = isRequired && (this.setting.required ?? false);
      },
      removeFrom: () => {},
      clearDefaults: () => () => {},
    } as unknown as Parts['fields'];
  }

  private emptyFields() {
    if (this.isEmptying) return;
    this.isEmptying = true;
    const wasFilled = this.content === 'A' || this.content === 'B';
    if (this.content !== 'removed') this.content = 'empty';
    this.isEmptiedByLibrary = true;
    if (wasFilled && this.isBound) {
      const act = this.act(['nothing', 'restart()', 'requestSubmit()'], 'as fields are emptied');
      if (act === 'restart()') this.restart();
      if (act === 'requestSubmit()') this.dispatchSubmit('pay', 'page');
    }
    this.isEmptying = false;
  }

  private input() {
    return {
      check: () => {},
      put: (block: EncryptedCard) => {
        this.offered = block as Block;
      },
      clear: () => {
        this.offered = undefined;
      },
      fill: (data: { block?: Block | undefined }) => {
        data.block = this.offered;
        return this.offered !== undefined;
      },
    } as unknown as Parameters<FormCode['sealedBlock']>[1];
  }

  private page(): Parts['page'] {
    return {
      isCardPayment: (button: unknown, doLooksCount: boolean) =>
        button !== 'skip' && this.isCardChosen && !(doLooksCount && this.isLocked),
      checkDestination: () => {
        if (!this.isDestinationGood) throw this.invalidForm();
      },
      isAnsweredElsewhere: () => this.setting.frame ?? false,
      isByShopper: () => this.isByShopper,
      isConnected: () => this.isConnected,
      repeat: (kind: string) => {
        if (++this.sends > 3) this.violation('the library repeats a press again and again');
        if (kind === 'click') this.clickCardButton('library');
        else this.dispatchSubmit('pay', 'library');
      },
      isInvalid: (kind: string) =>
        kind === 'submit' && this.isConnected && this.isRefusedByBrowser(),
    } as unknown as Parts['page'];
  }

  private keys() {
    return {
      isRenewable: true,
      get: () => {
        if (this.key && this.oldKeys.has(this.key.arrived)) this.key = undefined;
        if (this.key) return Promise.resolve(this.key);
        return new Promise((resolve, reject) => this.keyWaits.push({ resolve, reject }));
      },
      drop: (used?: unknown) => {
        if (!used || used === this.key) this.key = undefined;
      },
      isYoung: (arrived: number) => !this.oldKeys.has(arrived),
    } as unknown as Parts['keys'];
  }

  private makeKey() {
    this.keysMade += 1;
    this.key = { key: { id: `key ${this.keysMade}` }, arrived: this.keysMade };
  }

  private encrypt(content: Content): Promise<Block> {
    const key_id = `key ${this.key?.arrived}`;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new this.code.CardEncryptionError('key_unavailable', ''));
      const block = { payload: content, key_id, layout: [], content } as unknown as Block;
      this.encryption = { content, resolve: () => resolve(block), reject: fail };
    });
  }

  private notices() {
    const isWaiting = () => this.text === 'wait';
    const final = () => {
      this.text = 'final';
      this.isOwed = false;
    };
    return {
      emit: (type: string) => {
        if (type === 'submit') return this.onCardsealSubmit();
        if (type === 'encrypted') this.onCardsealEncrypted();
        if (type === 'settled') this.onCardsealSettled();
        return true;
      },
      setBusy: () => {
        if (isWaiting()) this.text = '';
      },
      tell: (problem: string) => {
        const asksToWait = problem === 'one_moment' || problem === 'payment_under_way';
        if (asksToWait) this.text = 'wait';
        else final();
        // A press that is told to wait has had its answer; that of the press before is still owed.
        this.log.push(`the shopper reads ${problem}`);
      },
      tellPage: () => {},
      clear: () => {
        this.text = '';
      },
      leave: () => {},
      showProblems: final,
      fail: final,
    } as unknown as Parts['notices'];
  }

  private later(action: () => void, ms: number) {
    if (ms === 0) this.soon.push(action);
    else if (ms === 30_000) this.giveUps.push(action);
    else this.slowKeys.push(action);
  }

  private invalidForm() {
    return new this.code.CardEncryptionError('invalid_form', '');
  }

  // What the page's code does

  private isAllowed = (what: string) => this.bounds.only?.includes(what) ?? true;

  /** A choice of the page's code, as long as it may still do something. */
  private act<Option extends string>(options: readonly Option[], when: string): Option {
    if (this.acts >= this.bounds.page || !this.isBound) return options[0]!;
    const allowed = options.filter((option, i) => i === 0 || this.isAllowed(option));
    const act = this.pick(allowed, when);
    if (act !== options[0]) {
      this.acts += 1;
      this.log.push(`the page, ${when}: ${act}`);
    }
    return act;
  }

  private onCardsealSubmit(): boolean {
    this.raised += 1;
    this.unsettled += 1;
    if (this.unsettled > 1) this.violation('two presses at once');
    const isEmptied = this.content === 'empty' && this.sealed.isFresh();
    const block = this.sealed.block() as Block | undefined;
    this.pressed = isEmptied && block ? block.content : this.content;
    this.hasPressedOther = false;
    this.isOwed = true;
    const acts = ['nothing', 'cancels', 'restart()', 'another way to pay'] as const;
    const act = this.act(acts, 'cardseal:submit');
    if (act === 'another way to pay') this.isCardChosen = false;
    if (act === 'cancels') this.isOwed = false; // it shows its own message
    if (act === 'restart()') this.restart();
    return act !== 'cancels';
  }

  private onCardsealEncrypted() {
    const acts = ['nothing', 'restart()', 'changes to B without events', 'form.submit()'] as const;
    const act = this.act(acts, 'cardseal:encrypted');
    if (act === 'restart()') this.restart();
    if (act === 'changes to B without events') this.changeSilently('B');
    if (act === 'form.submit()') this.formSubmit(false);
  }

  private onCardsealSettled() {
    this.unsettled -= 1;
    if (this.unsettled < 0) this.violation('cardseal:settled without cardseal:submit');
  }

  private receive(given: EncryptedCard): Promise<void> {
    const block = given as Block;
    this.isOwed = false;
    this.handOvers += 1;
    if (this.handOvers > 3) this.violation('onEncrypted is called again and again');
    if (this.content === 'A' || this.content === 'B') {
      this.violation('onEncrypted runs with a card in the fields');
    }
    if (!this.isCardChosen) this.violation('onEncrypted is called although another way is chosen');
    if (this.pending.length > 0 && !this.isPendingOver) {
      this.violation('onEncrypted is called while its promise is pending');
    }
    this.isPendingOver = false;
    const plans = PLANS.filter((it, i) => i === 0 || this.isAllowed(it));
    const plan = this.pick(plans, 'onEncrypted');
    this.log.push(`onEncrypted: ${plan}`);
    if (plan === 'sends, and is done' || plan === 'sends, and is pending') {
      this.deliver(block, 'onEncrypted');
    }
    if (plan === 'sends, and is done') return Promise.resolve();
    if (plan === 'rejects') {
      this.isOwed = true; // the shopper has to read something
      return Promise.reject(new Error());
    }
    if (plan.startsWith('requestSubmit() at once')) this.submitFromOnEncrypted();
    if (plan === 'requestSubmit() at once') return Promise.resolve();
    if (plan === 'requestSubmit() at once, and rejects') {
      this.isOwed = this.binding.isBusy && !this.isOnWay; // unless the browser sends it
      return Promise.reject(new Error());
    }
    if (plan === 'requestSubmit() when done') {
      this.plan(plan, () => this.dispatchSubmit('pay', 'page'));
      return Promise.resolve();
    }
    if (plan === 'form.reset(), and is pending') this.reset();
    if (plan === 'restart()') this.restart();
    return new Promise((resolve, reject) => this.pending.push({ plan, resolve, reject }));
  }

  /** The promise of `onEncrypted` goes on. */
  private continueOnEncrypted() {
    const { plan, resolve } = this.pending[0]!;
    if (plan === 'requestSubmit() while pending') this.submitFromOnEncrypted();
    if (plan === 'form.submit() while pending') this.formSubmit(false);
    this.pending.shift();
    resolve();
  }

  private submitFromOnEncrypted() {
    const canPass = this.isBound && this.isConnected && this.isDestinationGood;
    const isWanted = canPass && this.isCardChosen && !this.hasPressedOther;
    const wasDropped = !this.sealed.exists();
    const before = this.sends;
    const text = this.text;
    this.dispatchSubmit('pay', 'page');
    const isRefused = this.sends === before && this.text !== '' && this.text !== text;
    if (isWanted && !wasDropped && isRefused && this.binding.isBusy) {
      this.violation('a submit by onEncrypted is refused, and nothing is ever sent');
    }
  }

  private plan(name: string, action: () => void) {
    this.planNames.push(name);
    this.plans.push(action);
  }

  private run(act: Act, isCardPress: boolean) {
    switch (act) {
      case 'FormData now':
        this.collectForPage(isCardPress);
        break;
      case 'form.submit() now':
        this.formSubmit(isCardPress);
        break;
      case 'form.submit() later':
        this.plan(act, () => this.formSubmit(false));
        break;
      case 'FormData later':
        this.plan(act, () => this.collectForPage(false));
        break;
      case 'requestSubmit() now':
        this.dispatchSubmit('pay', 'page');
        break;
      case 'requestSubmit() later':
        this.plan(act, () => this.dispatchSubmit('pay', 'page'));
        break;
      case 'clicks the card button':
        if (this.nesting < 3) this.clickCardButton('page');
        break;
      case 'clicks the skip button':
        this.dispatchSubmit('skip', 'page');
        break;
      case 'locks the fields':
        this.isLocked = true;
        break;
      case 'masks the fields':
        if (this.content === 'A' || this.content === 'B') this.content = 'masked';
        break;
      case 'empties the fields':
        if (this.content !== 'removed') this.content = 'empty';
        this.isEmptiedByLibrary = false;
        this.form.onChange({} as Element);
        break;
      case 'removes the fields':
        this.content = 'removed';
        break;
      case 'changes to B without events':
        this.changeSilently('B');
        break;
      case 'form.reset()':
        this.reset();
        break;
      case 'restart()':
        this.restart();
        break;
      case 'unbind()':
        this.unbind();
        break;
      case 'takes the form out':
        this.isConnected = false;
        break;
      case 'dispatches a synthetic submit': {
        const wasInSubmit = this.isInSubmit;
        this.isInSubmit = false;
        this.dispatchSubmit('pay', 'page', false);
        this.isInSubmit = wasInSubmit;
        break;
      }
    }
  }

  private changeSilently(content: Content) {
    if (this.content === 'removed') return;
    this.isEmptiedByLibrary = false;
    this.isFrameDue = false;
    this.content = content;
    this.hasChangedSilently = true;
  }

  private restart() {
    this.payIsOver();
    this.isPendingOver = true;
    this.binding.restart().catch(() => {});
  }

  private unbind() {
    this.payIsOver();
    this.binding.unbind();
    this.unsettled = Math.max(0, this.unsettled);
  }

  private reset() {
    const event = new FakeEvent(true, 'pay');
    this.isResetDue = true;
    const timers = this.soon.length;
    this.form.onReset(event as unknown as Event);
    event.eventPhase = 0;
    const takeEffect = this.soon[timers];
    if (takeEffect) {
      this.soon[timers] = () => {
        this.payIsOver(); // with a press that has begun meanwhile
        takeEffect();
      };
    }
    if (this.content !== 'removed') this.content = 'empty';
    this.isEmptiedByLibrary = false;
    this.payIsOver();
  }

  /** The page has said that this payment is over, so what follows is another one. */
  private payIsOver() {
    this.isOwed = false;
    this.isPageDone = true;
    if (this.delivery) this.delivery.isOver = true;
    this.isOnWay = false;
  }

  // What the browser does

  /** The form's data, as `new FormData(form)` and a native submit collect it. */
  private collect(): Block | undefined {
    const data: { block?: Block } = {};
    if (this.isBound) this.form.onFormData(data as unknown as FormData);
    return data.block;
  }

  private collectForPage(isExpected: boolean) {
    const block = this.collect();
    if (block) this.deliver(block, 'a script');
    else if (isExpected && this.isStillWanted()) this.violation('a listener finds no block');
  }

  /** Raises no event but `formdata`. */
  private formSubmit(isExpected: boolean) {
    if (!this.isConnected) return;
    const block = this.collect();
    if (block) this.deliver(block, 'form.submit()');
    else if (isExpected && this.isStillWanted()) this.violation('form.submit() carries no block');
  }

  private isStillWanted = () => this.isBound && this.isCardChosen && this.sealed.exists();

  private isRefusedByBrowser = () => this.isRequired && this.content === 'empty' && !this.isLocked;

  private dispatchSubmit(button: Button, by: 'shopper' | 'page' | 'library', isTrusted = true) {
    if (this.isInSubmit || !this.isConnected || !this.isBound) return;
    if (isTrusted && this.isRefusedByBrowser() && button !== 'skip') {
      const isEmptied = this.sealed.exists() && this.isEmptiedByLibrary;
      if (
        isEmptied &&
        this.isCardChosen &&
        !this.isEmptying &&
        this.delivery?.block === this.sealed.block()
      ) {
        this.violation('the browser asks again for fields that the library has emptied');
      }
      this.isOwed = false; // by a message of the browser
      return;
    }
    const event = new FakeEvent(isTrusted, button);
    this.isInSubmit = true;
    if (by !== 'library') this.sends = 0;
    const wasOnWay = this.isOnWay;
    this.refuseEarly(event, by);
    if (!event.defaultPrevented) this.tellPressed(button, by);
    const wasOver = this.isPageDone;
    this.isPageDone = false;
    const isScripts = this.sealed.isWithScript() && by === 'page';
    this.handToLibrary(event, 'submit', button);
    this.checkPart(event, button, by);
    if (!event.isStopped) this.runListeners(event, button, by);
    event.eventPhase = 0;
    this.isInSubmit = false;
    const isExcused = this.isPageDone;
    this.isPageDone ||= wasOver;
    const isSent = isTrusted && !event.defaultPrevented && this.isConnected && this.isBound;
    if (!isSent || event.isStopped) return;
    const block = this.collect();
    if (button === 'skip' || !this.isCardChosen) {
      if (block && !this.hasPassedSince)
        this.violation('a press that is no card payment carries a block');
      if (by === 'library') this.violation('the library sends a form that is no card payment');
      return;
    }
    if (!block) {
      if (!isExcused && !this.isLocked) {
        this.violation('a card press is sent by the browser without a block');
      }
      return;
    }
    if (!this.isDestinationGood) this.violation('a block goes to a wrong destination');
    if (wasOnWay && !isScripts) this.violation('a press is sent while one is on its way');
    if (this.setting.onEncrypted && by !== 'page') {
      this.violation('the browser sends the form, although there is onEncrypted');
    }
    this.isFrameDue = this.setting.frame ?? false;
    this.sends += 1;
    this.deliver(block, 'the browser');
    this.isOnWay = !this.setting.frame;
    this.isPendingOver = true; // the press is the browser's now
  }

  /** While a press passes, the code of the page may send its block. */
  private checkPart(event: FakeEvent, button: Button, by: string) {
    const isPart = by === 'page' && this.isPassing && button !== 'skip' && this.isCardChosen;
    if (!isPart || !event.isStopped || !this.sealed.exists() || !this.isDestinationGood) return;
    this.violation('code of the page cannot send while its press passes');
  }

  private tellPressed(button: Button, by: string) {
    if (by === 'library') return;
    if (button !== 'skip' && this.isCardChosen) return;
    this.hasPressedOther = true;
    this.hasPassedSince = false;
  }

  /** A listener of the page that runs before the library's may cancel the event. */
  private refuseEarly(event: FakeEvent, by: string) {
    if (by === 'library') return;
    const act = this.act(['nothing', 'cancels it'], 'before the library');
    if (act !== 'cancels it') return;
    event.preventDefault();
    if (!this.binding.isBusy) this.isOwed = false; // it shows its own message
  }

  private handToLibrary(event: FakeEvent, kind: 'submit' | 'click', button: Button) {
    const wasCancelled = event.defaultPrevented;
    const before = this.unsettled;
    this.form.onPress(event as unknown as Event, kind, button as unknown as HTMLElement);
    const isNew = this.isByShopper && this.nesting < 2 && !this.isPassing;
    if (isNew && !event.isStopped && this.offered && this.raised === 0 && !wasCancelled) {
      this.violation('a press passes with a block, and the page could not refuse it');
    }
    if (wasCancelled && this.unsettled > before) {
      this.violation('a press is handled that the page had refused');
    }
  }

  private runListeners(event: FakeEvent, button: Button, by: string) {
    const isCardPress = button !== 'skip' && this.isCardChosen && !event.defaultPrevented;
    const wasPassing = this.isPassing;
    if (isCardPress && this.offered) {
      const isCard = this.content === 'A' || this.content === 'B';
      if (by === 'library' && isCard && this.content !== this.offered.content) {
        this.violation('a press is repeated with another card on the screen');
      }
      if (this.hasPressedOther && !wasPassing && by !== 'shopper') {
        this.violation('the card is sent although the shopper has pressed something else since');
      }
      this.isOwed = false;
      this.isPassing = true;
      this.hasPassedSince = true;
    } else if (isCardPress && this.isLocked) {
      this.isOwed = false; // as another way to pay
    } else if (isCardPress) {
      this.violation('listeners run without the block');
    } else if (this.offered && !wasPassing && !event.defaultPrevented) {
      this.violation('a press that is no card payment carries a block');
    }
    const act = this.act(LISTENER_ACTS, 'submit listener');
    this.run(act, isCardPress && this.offered !== undefined);
    if (this.pick(['lets it go', 'cancels'], 'submit listener') === 'cancels') {
      event.preventDefault();
      this.log.push('a submit listener cancels');
    }
    this.isPassing = wasPassing;
  }

  private clickCardButton(by: 'shopper' | 'page' | 'library') {
    if (!this.isBound) return;
    if (this.nesting > 8) {
      this.violation('endless nesting');
      return;
    }
    this.nesting += 1;
    if (by !== 'library') this.sends = 0;
    const event = new FakeEvent(by === 'shopper', 'card button');
    this.tellPressed('card button', by);
    this.handToLibrary(event, 'click', 'card button');
    this.checkPart(event, 'card button', by);
    if (!event.isStopped) {
      const isCardPress = this.isCardChosen && this.offered !== undefined;
      const wasPassing = this.isPassing;
      if (isCardPress) {
        if (this.hasPressedOther && by === 'library') {
          this.violation('the card is sent although the shopper has pressed something else since');
        }
        if (this.content === 'A' || this.content === 'B') {
          this.violation('handlers of a card button run with a card in the fields');
        }
        this.isOwed = false;
        this.isPassing = true;
        this.hasPassedSince = true;
      } else if (this.isCardChosen && (this.isLocked || event.defaultPrevented)) {
        this.isOwed = false; // as another way to pay
      } else if (this.isCardChosen) {
        this.violation('handlers of a card button run without the block');
      }
      const act = this.act(CLICK_ACTS, 'click handler');
      this.run(act, isCardPress);
      this.isPassing = wasPassing;
    }
    event.eventPhase = 0;
    this.nesting -= 1;
  }

  /** A block leaves the page. */
  private deliver(block: Block, by: string) {
    this.log.push(`a block of ${block.content} goes out by ${by}`);
    if (block.content !== this.pressed) {
      this.violation(`the card that is sent is not that of the press`);
    }
    const isUnseen = this.hasChangedSilently && by === 'serialize()'; // it raises no event
    const isCommitted = this.isPassing || this.pending.length > 0 || BY_PRESS.includes(by);
    const isCard = this.content === 'A' || this.content === 'B';
    if (!isCommitted && isCard && this.content !== block.content && !isUnseen) {
      this.violation('a script sends the card of the press, but another one is on the screen');
    }
    if (!this.isCardChosen && !isCommitted && !['serialize()', 'encrypt()'].includes(by)) {
      this.violation('another way to pay is chosen, and a block goes with it');
    }
    const last = this.delivery;
    if (last && !last.isOver && last.block.content === block.content && last.block !== block) {
      this.violation('a retry of the same card sends another block');
    }
    this.delivery = { block, isOver: false };
  }

  // Tasks

  /** What may happen next. */
  tasks(): string[] {
    if (this.isAway) return ['the page comes back'];
    if (!this.isBound) return [];
    const tasks: string[] = [];
    if (this.soon.length > 0) tasks.push('timer');
    if (this.keyWaits.length > 0) tasks.push('the key arrives', 'the key fails');
    if (this.encryption) tasks.push('the encryption is done', 'the encryption fails');
    if (this.soon.length === 0) {
      if (this.slowKeys.length > 0 && this.keyWaits.length > 0) tasks.push('1 s');
      if (this.giveUps.length > 0 && this.form && this.binding.isBusy) tasks.push('30 s');
    }
    if (this.plans.length > 0) tasks.push('the page goes on');
    if (this.pending.length > 0) tasks.push('onEncrypted goes on');
    tasks.push('presses Pay', 'presses Cancel');
    if (this.setting.cardButton) tasks.push('presses the card button');
    if (this.shopperActs < this.bounds.shopper) {
      if (!this.isLocked && this.content !== 'removed') {
        if (this.content !== 'A') tasks.push('types A');
        if (this.content !== 'B') tasks.push('types B', 'B is filled in without events');
      }
      tasks.push(
        'chooses another way',
        'leaves the page',
        'presses a button that submits by script',
      );
      if (this.isLocked) tasks.push('the page unlocks the fields');
      if (this.sealed.exists() || this.key) tasks.push('the key gets old');
    }
    if (this.acts < this.bounds.page) {
      tasks.push('page: form.submit()', 'page: FormData', 'page: serialize()');
      tasks.push(
        'page: requestSubmit()',
        'page: restart()',
        'page: form.reset()',
        'page: unbind()',
      );
      tasks.push('page: takes the form out', 'page: locks the fields', 'page: breaks the action');
      if (this.setting.encrypt) tasks.push('page: encrypt()');
    }
    return tasks.filter((task) => !OPTIONAL.has(task) || this.isAllowed(task));
  }

  /** Runs a task to its end. What waits for a promise goes on in it, too. */
  async runTask(task: string) {
    this.isByShopper = false;
    this.raised = 0;
    if (task.startsWith('page: ')) this.acts += 1;
    this.do(task);
    for (let tick = 0; tick < TICKS; tick++) await null;
    this.check(task);
  }

  private do(task: string) {
    switch (task) {
      case 'timer':
        this.soon.shift()!();
        return;
      case '1 s':
        for (const action of this.slowKeys.splice(0)) action();
        return;
      case '30 s':
        this.isOnWay = false;
        this.isPendingOver = true;
        for (const action of this.giveUps.splice(0)) action();
        return;
      case 'the key arrives':
        this.makeKey();
        for (const wait of this.keyWaits.splice(0)) wait.resolve(this.key);
        return;
      case 'the key fails': {
        const error = new this.code.CardEncryptionError('key_unavailable', '');
        for (const wait of this.keyWaits.splice(0)) wait.reject(error);
        return;
      }
      case 'the encryption is done': {
        const { resolve } = this.encryption!;
        this.encryption = undefined;
        resolve();
        return;
      }
      case 'the encryption fails': {
        const { reject } = this.encryption!;
        this.encryption = undefined;
        reject();
        return;
      }
      case 'the page goes on':
        this.planNames.shift();
        this.plans.shift()!();
        return;
      case 'onEncrypted goes on':
        this.continueOnEncrypted();
        return;
      case 'presses Pay':
        this.startShopperTask();
        this.owe();
        this.dispatchSubmit('pay', 'shopper');
        return;
      case 'presses Cancel':
        this.startShopperTask();
        this.dispatchSubmit('skip', 'shopper');
        return;
      case 'presses the card button':
        this.startShopperTask();
        this.owe();
        this.clickCardButton('shopper');
        return;
      case 'presses a button that submits by script':
        this.shopperActs += 1;
        this.startShopperTask();
        this.owe();
        this.dispatchSubmit('pay', 'shopper');
        return;
      case 'types A':
      case 'types B':
        this.shopperActs += 1;
        this.hasChangedSilently = false;
        this.isEmptiedByLibrary = false;
        this.isFrameDue = false;
        this.content = task === 'types A' ? 'A' : 'B';
        if (this.delivery) this.delivery.isOver = true; // the shopper begins another payment
        this.form.onChange({} as Element);
        return;
      case 'B is filled in without events':
        this.shopperActs += 1;
        this.changeSilently('B');
        if (this.delivery) this.delivery.isOver = true;
        return;
      case 'chooses another way':
        this.shopperActs += 1;
        this.isCardChosen = !this.isCardChosen;
        return;
      case 'the page unlocks the fields':
        this.shopperActs += 1;
        this.isLocked = false;
        return;
      case 'leaves the page':
        this.shopperActs += 1;
        this.payIsOver();
        this.isPendingOver = true;
        this.form.onPageHide();
        this.isAway = true;
        return;
      case 'the page comes back':
        this.isAway = false;
        this.form.onPageRestored();
        return;
      case 'the key gets old':
        this.shopperActs += 1;
        this.oldKeys.add(this.keysMade);
        return;
      case 'page: form.submit()':
        this.formSubmit(false);
        return;
      case 'page: FormData':
        this.collectForPage(false);
        return;
      case 'page: serialize()':
        if (this.offered) this.deliver(this.offered, 'serialize()');
        return;
      case 'page: requestSubmit()':
        this.owe();
        this.dispatchSubmit('pay', 'page');
        return;
      case 'page: restart()':
        this.restart();
        return;
      case 'page: form.reset()':
        this.reset();
        return;
      case 'page: unbind()':
        this.unbind();
        return;
      case 'page: takes the form out':
        this.isConnected = false;
        return;
      case 'page: locks the fields':
        this.isLocked = true;
        return;
      case 'page: breaks the action':
        this.isDestinationGood = false;
        return;
      case 'page: encrypt()':
        this.callEncrypt();
        return;
      default:
        throw new Error(task);
    }
  }

  private callEncrypt() {
    this.binding.encrypt().then((block) => {
      if (!block) return;
      this.isOwed = false;
      if (this.content === 'A' || this.content === 'B') {
        this.violation('encrypt() resolves with a card in the fields');
      }
      this.deliver(block as Block, 'encrypt()');
    });
  }

  private startShopperTask() {
    this.isByShopper = true;
    this.handOvers = 0;
    this.form.onShopper();
  }

  /** A press has to have an outcome. One that comes while another is under way is told to wait. */
  private owe() {
    if (!this.isConnected) return;
    if (this.isCardChosen && !this.binding.isBusy) this.isOwed = true;
  }

  // What must hold

  private violation(what: string) {
    if (!this.violations.includes(what)) this.violations.push(what);
    this.log.push(`*** ${what}`);
  }

  private check(task: string) {
    if (!this.isBound) return;
    const isIdle = !this.binding.isBusy;
    const isQuiet = this.soon.length === 0;
    if (isIdle && isQuiet && this.isOwed) this.violation('a press ends in silence');
    if (isIdle && isQuiet && this.text === 'wait') {
      this.violation('a text asks to wait although nothing is under way');
    }
    if (isIdle && isQuiet && this.unsettled !== 0) this.violation('cardseal:settled does not come');
    const isGone = !this.sealed.exists() && this.content !== 'A' && this.content !== 'B';
    if (this.isFrameDue && isQuiet) {
      this.isFrameDue = false;
      if (!isGone && this.isConnected)
        this.violation('a frame has the answer, and the card is left');
    }
    if (this.isResetDue && isQuiet && this.pending.length === 0) {
      this.isResetDue = false;
      if (!isGone) this.violation('a reset has left something of the card');
    }
    if (this.pending[0]?.plan.includes('reset') && !this.isPendingOver && isIdle) {
      this.violation('a reset ends the press that onEncrypted still has');
    }
    if (this.setting.required && isQuiet && !this.sealed.exists() && !this.isRequired) {
      this.violation('required is not put back');
    }
    const hasSomethingToWaitFor =
      !isQuiet || this.keyWaits.length > 0 || this.encryption || this.giveUps.length > 0;
    if (!isIdle && !hasSomethingToWaitFor) this.violation('the form is busy for ever');
    const isCard = this.content === 'A' || this.content === 'B' || this.offered;
    if (task === 'leaves the page' || task === 'page: restart()') {
      if (!isIdle) this.violation('the form is busy when the payment is over');
      if (isCard) this.violation('something of the card is left when the payment is over');
    }
  }

  /** All that the rest of a path depends on. */
  fingerprint(): string {
    const block = this.sealed.block() as Block | undefined;
    const state = this.form.state();
    const submits =
      state.phase === 'passing' ? state.submits.map(({ event }) => outcome(event)) : [];
    const facts = [
      ...[this.content, this.isLocked, this.isCardChosen, this.isConnected, this.isBound],
      ...[this.isDestinationGood, this.isRequired, this.isAway, this.offered?.content],
      ...[this.planNames.join(), this.pending.map(({ plan }) => plan).join()],
      ...[this.key && !this.oldKeys.has(this.key.arrived), this.keyWaits.length > 0],
      ...[this.encryption?.content, this.soon.length, this.giveUps.length > 0],
      ...[this.acts, this.shopperActs, this.text, this.isOwed, this.unsettled, this.pressed],
      ...[this.delivery?.block.content, this.delivery?.isOver, this.delivery?.block === block],
      ...[
        this.isOnWay,
        this.isEmptiedByLibrary,
        this.hasPressedOther,
        this.hasPassedSince,
        this.hasChangedSilently,
        this.sends,
        this.handOvers,
      ],
      ...[this.isPendingOver, this.isResetDue, this.isFrameDue],
      ...[block?.content, block && this.oldKeys.has(Number(block.key_id.slice(4)))],
      ...[this.sealed.isWithScript(), this.sealed.isUncollected(), this.sealed.isCardInFields()],
      ...[this.sealed.isFresh(), JSON.stringify({ ...state, event: null, submits, card: null })],
    ];
    return facts.map(String).join();
  }
}

/** What a press itself sends: its card was compared when it passed. */
const BY_PRESS = ['the browser', 'onEncrypted'];

/** The tasks that `only` may leave out. */
const OPTIONAL = new Set([
  ...['the key fails', 'the encryption fails', '1 s', '30 s', 'presses Cancel'],
  ...['presses the card button', 'types A', 'types B', 'B is filled in without events'],
  ...['chooses another way', 'leaves the page', 'presses a button that submits by script'],
  ...['the page unlocks the fields', 'the key gets old', 'page: form.submit()', 'page: FormData'],
  ...['page: serialize()', 'page: requestSubmit()', 'page: restart()', 'page: form.reset()'],
  ...['page: unbind()', 'page: takes the form out', 'page: locks the fields'],
  ...['page: breaks the action', 'page: encrypt()'],
]);

const outcome = ({ isTrusted, defaultPrevented }: Event) => `${isTrusted} ${defaultPrevented}`;

/** So many turns of the queue of microtasks are enough for what a task starts. */
const TICKS = 14;
