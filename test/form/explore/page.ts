/**
 * A simulated page and browser around the code of the form that decides (card-form.ts, decide.ts,
 * perform.ts, make-block.ts, block.ts): the code that is shipped, without a browser. Within a task, the
 * page's code chooses what it does by `pick`.
 */
import type { CardEncryptionError, EncryptedCard } from '../../../src/core/index.ts';
import type { CardBytes } from '../../../src/form/card/read.ts';
import type { CardFormBinding } from '../../../src/form/options.ts';
import type { Parts } from '../../../src/form/parts.ts';
import {
  type Act,
  type Block,
  type Bounds,
  type Button,
  bytesOf,
  CLICK_ACTS,
  type Content,
  type Delivery,
  FakeEvent,
  type FormCode,
  LISTENER_ACTS,
  letterOf,
  type Pick,
  PLANS,
  type Setting,
} from './acts.ts';

export abstract class Page {
  readonly violations: string[] = [];
  readonly log: string[] = [];

  // The page
  protected content: Content = 'A';
  protected isLocked = false;
  protected isCardChosen = true;
  protected isConnected = true;
  protected isBound = true;
  /** Whether the library has left the form to the page. */
  protected hasLeft = false;
  protected isDestinationGood = true;
  protected isRequired: boolean;
  protected isEmptying = false;
  protected isEmptiedByLibrary = false;
  protected isWrittenBack = false;
  protected offered: Block | undefined;
  /** What the page will do in tasks of their own. */
  protected readonly plans: (() => void)[] = [];
  protected readonly planNames: string[] = [];
  protected pending: { plan: string; resolve(): void; reject(reason: unknown): void }[] = [];
  protected isInSubmit = false;
  protected isAway = false;

  // Keys, encryption and clock
  protected key: { key: { id: string }; arrived: number } | undefined;
  protected keyWaits: { resolve(key: unknown): void; reject(reason: unknown): void }[] = [];
  protected encryption:
    | { content: Content; resolve(): void; reject(code: 'key_unavailable' | 'invalid_card'): void }
    | undefined;
  protected keysMade = 0;
  protected readonly oldKeys = new Set<number>();
  protected soon: (() => void)[] = [];
  protected slowKeys: (() => void)[] = [];
  protected giveUps: (() => void)[] = [];

  // What was observed
  protected acts = 0;
  protected shopperActs = 0;
  protected isByShopper = false;
  protected text: '' | 'wait' | 'final' = '';
  /** Whether a press of the shopper or of the page has had no outcome yet. */
  protected isOwed = false;
  protected unsettled = 0;
  /** The card of the last card press that was accepted. */
  protected pressed: Content = 'empty';
  protected delivery: Delivery | undefined;
  protected isOnWay = false;
  /** Whether the browser has sent the form since the last `cardseal:submit`. */
  protected isSentByBrowser = false;
  protected isPassing = false;
  protected hasPressedOther = false;
  /** Whether a card press has passed since the last press for something else began. */
  protected hasPassedSince = false;
  protected nesting = 0;
  protected hasChangedSilently = false;
  protected sends = 0;
  protected handOvers = 0;
  /** Whether the form need not wait for `onEncrypted` any more. */
  protected isPendingOver = false;
  protected isResetDue = false;
  /** Whether the browser has sent the form, and the answer is shown in a frame. */
  protected isFrameDue = false;
  /** The submits that have passed since the last one was settled, and how. */
  protected submits: string[] = [];
  /** The library listens for `beforeunload`. */
  protected askLeaving: (() => void) | undefined;
  /** How many `cardseal:submit` this task has raised. */
  protected raised = 0;

  protected readonly form: ReturnType<FormCode['cardForm']>;
  protected readonly binding: CardFormBinding;
  protected readonly kept: ReturnType<FormCode['keptBlock']>;
  /** What the checks ask about the block. */
  protected readonly sealed = {
    exists: () => this.form.state().block !== null,
    block: () => (this.sealed.exists() ? this.kept.copy() : undefined),
    isWithScript: () => this.form.state().block?.place === 'script',
    isFresh: () => {
      const { block, doing } = this.form.state();
      const isCommitted = doing.is === 'dispatching' || doing.is === 'handed';
      const isYoung = block?.isOut || this.kept.isYoung();
      return block !== null && (isCommitted || (this.kept.isSame() && isYoung));
    },
  };

  constructor(
    protected readonly code: FormCode,
    protected readonly setting: Setting,
    protected readonly bounds: Bounds,
    protected readonly pick: Pick,
    isKeyThere: boolean,
  ) {
    this.isRequired = setting.required ?? false;
    if (isKeyThere) this.makeKey();
    const fields = this.fields();
    const input = this.input();
    this.kept = code.keptBlock(fields, input, (arrived) => !this.oldKeys.has(arrived));
    const parts = {
      onEncrypted: setting.onEncrypted ? (block: EncryptedCard) => this.receive(block) : undefined,
      page: this.page(),
      fields,
      kept: this.kept,
      keys: this.keys(),
      notices: this.notices(),
      encrypt: ({ id }: { id: string }, card: CardBytes) => this.encrypt(id, letterOf(card)),
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

  protected fields() {
    const holds = (card: CardBytes | undefined) => card && letterOf(card) === this.content;
    return {
      read: () => {
        if (this.isLocked || this.content === 'removed') throw this.invalidForm();
        const isCard = this.content === 'A' || this.content === 'B';
        const problem = { problem: 'number_invalid', field: 'number', controls: [] };
        return { card: bytesOf(this.content), problems: isCard ? [] : [problem] };
      },
      nameProblem: () => [],
      areOfCard: (card: CardBytes) => holds(card),
      mayRetry: () => this.content === 'empty',
      areCleared: () => this.content !== 'A' && this.content !== 'B',
      areOfOther: (card: CardBytes | undefined) =>
        (this.content === 'A' || this.content === 'B') && !holds(card),
      noteChange: () => !this.isEmptying,
      mayHoldCard: () => false,
      empty: () => this.emptyFields(),
      setRequired: (isRequired: boolean) => {
        this.isRequired = isRequired && (this.setting.required ?? false);
      },
      removeFrom: () => {},
      clearDefaults: () => () => {},
    } as unknown as Parts['fields'];
  }

  protected emptyFields() {
    if (this.isEmptying) return;
    this.isEmptying = true;
    const before = this.content;
    const wasFilled = before === 'A' || before === 'B';
    if (before !== 'removed') this.content = 'empty';
    if (wasFilled) this.log.push('the fields are emptied');
    this.isEmptiedByLibrary = true;
    if (wasFilled && this.isBound) {
      const acts = ['nothing', 'restart()', 'requestSubmit()', 'writes it back'] as const;
      const act = this.act(acts, 'as fields are emptied');
      if (act === 'writes it back') {
        this.content = before;
        this.isWrittenBack = true; // then it stays: the library does not fight the page
      }
      if (act === 'restart()') this.restart();
      if (act === 'requestSubmit()') this.dispatchSubmit('pay', 'page');
    }
    this.isEmptying = false;
  }

  protected input() {
    return {
      checkPlace: () => {},
      put: (block: string) => {
        this.offered = JSON.parse(block) as Block;
      },
      clear: () => {
        this.offered = undefined;
      },
      fill: (data: { block?: Block | undefined }) => {
        data.block = this.offered;
        return this.offered !== undefined;
      },
    } as unknown as Parameters<FormCode['keptBlock']>[1];
  }

  protected page(): Parts['page'] {
    return {
      isCardPayment: (button: unknown, doLooksCount: boolean) => {
        if (button === 'skip' || !this.isCardChosen) return false;
        if (this.act(['nothing', 'restart()'], 'when') === 'restart()') this.restart();
        return !(doLooksCount && this.isLocked);
      },
      checkDestination: () => {
        if (!this.isDestinationGood) throw this.invalidForm();
      },
      isAnsweredElsewhere: () => this.setting.frame ?? false,
      notePress: () => this.isByShopper,
      isModified: () => false,
      isConnected: () => this.isConnected,
      repeat: (kind: string) => {
        if (++this.sends > 3) this.violation('the library repeats a press again and again');
        if (kind === 'click') this.clickCardButton('library');
        else this.dispatchSubmit('pay', 'library');
        return kind === 'submit' && this.isConnected && this.isRefusedByBrowser();
      },
      onceLeaving: (action: (isAsked: boolean) => void) => {
        this.askLeaving = () => action(true);
        return () => {
          this.askLeaving = undefined;
        };
      },
    } as unknown as Parts['page'];
  }

  protected keys() {
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
      putBack: (unused: { key: { id: string }; arrived: number }) => {
        this.key ??= unused;
      },
      isYoung: (arrived: number) => !this.oldKeys.has(arrived),
    } as unknown as Parts['keys'];
  }

  protected makeKey() {
    this.keysMade += 1;
    this.key = { key: { id: `key ${this.keysMade}` }, arrived: this.keysMade };
  }

  protected encrypt(key_id: string, content: Content): Promise<Block> {
    return new Promise((resolve, reject) => {
      const block = { payload: content, key_id, layout: [], content } as unknown as Block;
      this.encryption = {
        content,
        resolve: () => resolve(block),
        reject: (code) => reject(new this.code.CardEncryptionError(code, '')),
      };
    });
  }

  protected notices() {
    const isWaiting = () => this.text === 'wait';
    const show = (text: 'wait' | 'final') => {
      this.text = text;
      if (text === 'final') this.isOwed = false;
      if (this.hasLeft) this.violation('a form that is not bound any more gets a text');
    };
    return {
      emit: (type: string) => {
        if (type === 'ready') this.log.push('the page hears that a key is there');
        else this.log.push(`cardseal:${type}`);
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
        show(asksToWait ? 'wait' : 'final');
        // A press that is told to wait has had its answer; that of the press before is still owed.
        this.log.push(`the shopper reads ${problem}`);
      },
      tellPage: ({ code }: CardEncryptionError) => this.log.push(`the page hears ${code}`),
      clear: () => {
        if (this.text) this.log.push('the text goes');
        this.text = '';
      },
      leave: () => {
        this.hasLeft = true;
      },
      showProblems: () => {
        show('final');
        this.log.push('the shopper reads what to correct');
      },
      fail: ({ code }: CardEncryptionError, isOnWay = false) => {
        show('final');
        this.log.push(`the press fails: ${code}${isOnWay ? ', while a block is on its way' : ''}`);
        const act = this.act(['nothing', 'requestSubmit()'], 'cardseal:error');
        if (act === 'requestSubmit()') this.dispatchSubmit('pay', 'page');
      },
    } as unknown as Parts['notices'];
  }

  protected later(action: () => void, ms: number) {
    if (ms === 0) this.soon.push(action);
    else if (ms === 30_000) this.giveUps.push(action);
    else this.slowKeys.push(action);
  }

  protected invalidForm() {
    return new this.code.CardEncryptionError('invalid_form', '');
  }

  // What the page's code does

  protected isAllowed = (what: string) => this.bounds.only?.includes(what) ?? true;

  /** A choice of the page's code, as long as it may still do something. */
  protected act<Option extends string>(options: readonly Option[], when: string): Option {
    if (this.acts >= this.bounds.page || !this.isBound) return options[0]!;
    const allowed = options.filter((option, i) => i === 0 || this.isAllowed(option));
    const act = this.pick(allowed, when);
    if (act !== options[0]) {
      this.acts += 1;
      this.log.push(`the page, ${when}: ${act}`);
    }
    return act;
  }

  protected onCardsealSubmit(): boolean {
    this.raised += 1;
    this.unsettled += 1;
    this.isSentByBrowser = false;
    if (this.unsettled > 1) this.violation('two presses at once');
    const isEmptied = this.content === 'empty' && this.sealed.isFresh();
    const block = this.sealed.block() as Block | undefined;
    this.pressed = isEmptied && block ? block.content : this.content;
    this.hasPressedOther = false;
    this.isOwed = true;
    const acts = [
      ...(['nothing', 'cancels', 'restart()', 'another way to pay', 'locks the fields'] as const),
    ];
    const act = this.act(acts, 'cardseal:submit');
    if (act === 'another way to pay') this.isCardChosen = false;
    if (act === 'locks the fields') this.isLocked = true;
    if (act === 'cancels') this.isOwed = false; // it shows its own message
    if (act === 'restart()') this.restart();
    return act !== 'cancels';
  }

  protected onCardsealEncrypted() {
    const acts = [
      ...(['nothing', 'restart()', 'changes to B without events', 'form.submit()'] as const),
      'locks the fields' as const,
    ];
    const act = this.act(acts, 'cardseal:encrypted');
    if (act === 'locks the fields') this.isLocked = true;
    if (act === 'restart()') this.restart();
    if (act === 'changes to B without events') this.changeSilently('B');
    if (act === 'form.submit()') this.formSubmit(false);
  }

  protected onCardsealSettled() {
    this.unsettled -= 1;
    if (this.unsettled < 0) this.violation('cardseal:settled without cardseal:submit');
    if (this.binding.isBusy && !this.isSentByBrowser) {
      this.violation('cardseal:settled comes while the press is under way');
    }
    const acts = ['nothing', 'requestSubmit()', 'restart()', 'unbind()'] as const;
    const act = this.act(acts, 'cardseal:settled');
    if (act === 'requestSubmit()') this.dispatchSubmit('pay', 'page');
    if (act === 'restart()') this.restart();
    if (act === 'unbind()') this.unbind();
  }

  protected receive(given: EncryptedCard): Promise<void> {
    const block = given as Block;
    this.isOwed = false;
    this.handOvers += 1;
    if (this.handOvers > 3) this.violation('onEncrypted is called again and again');
    if (this.content === 'A' || this.content === 'B') {
      this.violation('onEncrypted runs with a card in the fields');
    }
    if (!this.isCardChosen) this.violation('onEncrypted is called although another way is chosen');
    if (this.text === 'wait') this.violation('a text to wait for the block stays beside it');
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
  protected continueOnEncrypted() {
    const { plan, resolve } = this.pending[0]!;
    if (plan === 'requestSubmit() while pending') this.submitFromOnEncrypted();
    if (plan === 'form.submit() while pending') this.formSubmit(false);
    this.pending.shift();
    resolve();
  }

  protected submitFromOnEncrypted() {
    const canPass = this.isBound && this.isConnected && this.isDestinationGood;
    const isWanted = canPass && this.isCardChosen && !this.hasPressedOther && !this.isOnWay;
    const wasDropped = !this.sealed.exists();
    const isRefused = this.dispatchSubmit('pay', 'page')?.isStopped;
    // If the shopper has pressed again meanwhile, that press is made, and sends.
    const isLost = this.form.state().doing.is !== 'encrypting';
    if (isWanted && !wasDropped && isRefused && this.binding.isBusy && isLost) {
      this.violation('a submit by onEncrypted is refused, and nothing is ever sent');
    }
  }

  protected plan(name: string, action: () => void) {
    this.planNames.push(name);
    this.plans.push(action);
  }

  /** @param isCardPress - Whether the block must be there. */
  protected run(act: Act, isCardPress: boolean) {
    const actions: Record<Act, () => void> = {
      nothing: () => {},
      'FormData now': () => this.collectForPage(isCardPress),
      'form.submit() now': () => this.formSubmit(isCardPress),
      'form.submit() later': () => this.plan(act, () => this.formSubmit(false)),
      'FormData later': () => this.plan(act, () => this.collectForPage(false)),
      'requestSubmit() now': () => this.dispatchSubmit('pay', 'page'),
      'requestSubmit() later': () => this.plan(act, () => this.dispatchSubmit('pay', 'page')),
      'clicks the card button': () => this.nesting < 3 && this.clickCardButton('page'),
      'clicks the skip button': () => this.dispatchSubmit('skip', 'page'),
      // In WebKit, the click of the label's control counts as one of the shopper.
      'clicks a label': () => {
        this.isByShopper = true;
        this.form.onShopper();
      },
      'locks the fields': () => {
        this.isLocked = true;
      },
      'masks the fields': () => {
        if (this.content === 'A' || this.content === 'B') this.content = 'masked';
      },
      'empties the fields': () => {
        if (this.content !== 'removed') this.content = 'empty';
        this.isEmptiedByLibrary = false;
        this.form.onChange({} as Element);
      },
      'removes the fields': () => {
        this.content = 'removed';
      },
      'changes to B without events': () => this.changeSilently('B'),
      'form.reset()': () => this.reset(),
      'restart()': () => this.restart(),
      'unbind()': () => this.unbind(),
      'takes the form out': () => {
        this.isConnected = false;
      },
      'another way to pay': () => {
        this.isCardChosen = false;
      },
      'encrypt()': () => this.callEncrypt(),
      'dispatches a synthetic submit': () => {
        const wasInSubmit = this.isInSubmit;
        this.isInSubmit = false;
        this.dispatchSubmit('pay', 'page', false);
        this.isInSubmit = wasInSubmit;
      },
    };
    actions[act]();
  }

  protected callEncrypt() {
    const isPart = this.form.state().doing.is === 'dispatching';
    this.binding.encrypt().then((block) => {
      if (!block) return;
      this.isOwed = false;
      if (!isPart && (this.content === 'A' || this.content === 'B')) {
        this.violation('encrypt() resolves with a card in the fields');
      }
      this.deliver(block as Block, 'encrypt()');
    });
  }

  protected changeSilently(content: Content) {
    if (this.content === 'removed') return;
    this.isEmptiedByLibrary = false;
    this.isFrameDue = false;
    this.content = content;
    this.hasChangedSilently = true;
  }

  protected restart() {
    this.payIsOver();
    this.isPendingOver = true;
    this.binding.restart().catch(() => {});
  }

  protected unbind() {
    this.payIsOver();
    this.binding.unbind();
    this.unsettled = Math.max(0, this.unsettled);
  }

  protected reset() {
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
  protected payIsOver() {
    this.isOwed = false;
    if (this.delivery) this.delivery.isOver = true;
    this.isOnWay = false;
  }

  // What the browser does

  /** The form's data, as `new FormData(form)` and a native submit collect it. */
  protected collect(): Block | undefined {
    const data: { block?: Block } = {};
    if (this.isBound) this.form.onFormData(data as unknown as FormData);
    return data.block;
  }

  protected collectForPage(isExpected: boolean) {
    const block = this.collect();
    if (block) this.deliver(block, 'a script');
    else if (isExpected && this.isStillWanted()) this.violation('a listener finds no block');
  }

  /** Raises no event but `formdata`. */
  protected formSubmit(isExpected: boolean) {
    if (!this.isConnected) return;
    const block = this.collect();
    if (block) this.deliver(block, 'form.submit()');
    else if (isExpected && this.isStillWanted()) this.violation('form.submit() carries no block');
  }

  protected isStillWanted = () => this.isBound && this.isCardChosen && this.sealed.exists();

  protected isRefusedByBrowser = () =>
    this.isRequired && this.content === 'empty' && !this.isLocked;

  /** Returns the event, if there is one. */
  protected dispatchSubmit(
    button: Button,
    by: 'shopper' | 'page' | 'library',
    isTrusted = true,
  ): FakeEvent | undefined {
    if (this.isInSubmit || !this.isConnected || !this.isBound) return undefined;
    if (isTrusted && this.isRefusedByBrowser() && button !== 'skip') {
      const isEmptied = this.sealed.exists() && this.isEmptiedByLibrary;
      if (
        isEmptied &&
        this.isCardChosen &&
        !this.isEmptying &&
        this.delivery?.block.key_id === this.sealed.block()?.key_id
      ) {
        this.violation('the browser asks again for fields that the library has emptied');
      }
      this.isOwed = false; // by a message of the browser
      return undefined;
    }
    const event = new FakeEvent(isTrusted, button);
    this.isInSubmit = true;
    if (by !== 'library') this.sends = 0;
    const wasOnWay = this.isOnWay;
    this.refuseEarly(event, by);
    if (!event.defaultPrevented) this.tellPressed(button, by);
    const isScripts = this.sealed.isWithScript() && by === 'page';
    this.handToLibrary(event, 'submit', button);
    const isHandled = this.isBound; // a listener of `cardseal:settled` may have unbound the form
    this.checkPart(event, button, by);
    const isCard = button !== 'skip' && this.isCardChosen;
    if (!event.isStopped) this.runListeners(event, button, by);
    event.eventPhase = 0;
    this.isInSubmit = false;
    if (!event.isStopped) this.submits.push(`${event.isTrusted} ${event.defaultPrevented}`);
    const isSent = isTrusted && !event.defaultPrevented && this.isConnected;
    if (!isSent || event.isStopped) return event;
    const block = this.collect();
    if (!isCard) {
      if (block && !this.hasPassedSince)
        this.violation('a press that is no card payment carries a block');
      if (by === 'library') this.violation('the library sends a form that is no card payment');
      return event;
    }
    if (!block) {
      if (isHandled && !this.isLocked) {
        this.violation('a card press is sent by the browser without a block');
      }
      return event;
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
    this.isSentByBrowser = true;
    this.isPendingOver = true; // the press is the browser's now
    return event;
  }

  /** While a press passes, the code of the page may send its block. */
  protected checkPart(event: FakeEvent, button: Button, by: string) {
    const isPart = by === 'page' && this.isPassing && button !== 'skip' && this.isCardChosen;
    if (!isPart || !event.isStopped || !this.sealed.exists() || !this.isDestinationGood) return;
    this.violation('code of the page cannot send while its press passes');
  }

  protected tellPressed(button: Button, by: string) {
    if (by === 'library') return;
    if (button !== 'skip' && this.isCardChosen) return;
    this.hasPressedOther = true;
    this.hasPassedSince = false;
  }

  /** A listener of the page that runs before the library's may cancel the event. */
  protected refuseEarly(event: FakeEvent, by: string) {
    if (by === 'library') return;
    const act = this.act(['nothing', 'cancels it'], 'before the library');
    if (act !== 'cancels it') return;
    event.preventDefault();
    if (!this.binding.isBusy) this.isOwed = false; // it shows its own message
  }

  protected handToLibrary(event: FakeEvent, kind: 'submit' | 'click', button: Button) {
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

  protected runListeners(event: FakeEvent, button: Button, by: string) {
    const saysCard = this.isBound && button !== 'skip' && this.isCardChosen;
    const isCardPress = saysCard && !event.defaultPrevented;
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

  protected clickCardButton(by: 'shopper' | 'page' | 'library') {
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
  protected deliver(block: Block, by: string) {
    this.log.push(`a block of ${block.content} under ${block.key_id} goes out by ${by}`);
    if (block.content !== this.pressed) {
      this.violation(`the card that is sent is not that of the press`);
    }
    const isUnseen = this.hasChangedSilently && by === 'serialize()'; // it raises no event
    const isCommitted = this.isPassing || this.pending.length > 0 || BY_PRESS.includes(by);
    // A block that is on its way already pays once, however often it is sent.
    const isSentAgain = this.isOnWay && this.delivery?.block.key_id === block.key_id;
    const isCard = this.content === 'A' || this.content === 'B';
    const isOther = isCard && this.content !== block.content;
    if (isOther && !isCommitted && !isSentAgain && !isUnseen) {
      this.violation('a script sends the card of the press, but another one is on the screen');
    }
    if (!this.isCardChosen && !isCommitted && !['serialize()', 'encrypt()'].includes(by)) {
      this.violation('another way to pay is chosen, and a block goes with it');
    }
    const last = this.delivery;
    if (
      last &&
      !last.isOver &&
      last.block.content === block.content &&
      last.block.key_id !== block.key_id
    ) {
      this.violation('a retry of the same card sends another block');
    }
    this.delivery = { block, isOver: false };
  }

  protected violation(what: string) {
    if (!this.violations.includes(what)) this.violations.push(what);
    this.log.push(`*** ${what}`);
  }
}

/** What a press itself sends: its card was compared when it passed. */
const BY_PRESS = ['the browser', 'onEncrypted'];
