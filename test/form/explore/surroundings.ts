/**
 * What the browser, the shopper and the page's scripts may do next is a list of tasks. What must
 * hold after each is checked by `violation`, in terms of docs/form.md.
 */
import type { Block } from './acts.ts';
import { Page } from './page.ts';

/** The simulated page, with a shopper, a key server and a clock. */
export class Surroundings extends Page {
  // Tasks

  /** What may happen next. */
  tasks(): string[] {
    if (this.isAway) return ['the page comes back'];
    if (!this.isBound) return [];
    const tasks: string[] = [];
    if (this.soon.length > 0) tasks.push('timer');
    if (this.keyWaits.length > 0) tasks.push('the key arrives', 'the key fails');
    if (this.encryption) {
      tasks.push('the encryption is done', 'the encryption fails', 'the name is refused');
    }
    if (this.soon.length === 0) {
      if (this.slowKeys.length > 0) tasks.push('1 s');
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
      if (this.askLeaving) tasks.push('stays when the page asks');
      if (this.isLocked) tasks.push('the page unlocks the fields');
      if (this.sealed.exists() || this.key || this.encryption) tasks.push('the key gets old');
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
      if (this.setting.cardButton) tasks.push('page: clicks the card button');
    }
    return tasks.filter((task) => ALWAYS.has(task) || this.isAllowed(task));
  }

  /** Runs a task to its end. What waits for a promise goes on in it, too. */
  async runTask(task: string) {
    this.isByShopper = false;
    this.raised = 0;
    if (task.startsWith('page: ')) this.acts += 1;
    if (SHOPPER_ACTS.has(task)) this.shopperActs += 1;
    if (task.startsWith('presses ')) this.startShopperTask();
    this.actions[task]!();
    await promisesHaveRun();
    if (this.form.state().doing.is !== 'dispatching') this.submits = [];
    this.check(task);
  }

  private readonly actions: Record<string, () => void> = {
    timer: () => this.soon.shift()!(),
    '1 s': () => {
      for (const action of this.slowKeys.splice(0)) action();
    },
    '30 s': () => {
      this.isOnWay = false;
      this.isPendingOver = true;
      for (const action of this.giveUps.splice(0)) action();
    },
    'the key arrives': () => {
      this.makeKey();
      for (const wait of this.keyWaits.splice(0)) wait.resolve(this.key);
    },
    'the key fails': () => {
      const error = new this.code.CardEncryptionError('key_unavailable', '');
      for (const wait of this.keyWaits.splice(0)) wait.reject(error);
    },
    'the encryption is done': () => this.endEncryption().resolve(),
    'the encryption fails': () => this.endEncryption().reject('key_unavailable'),
    'the name is refused': () => this.endEncryption().reject('invalid_card'),
    'the page goes on': () => {
      this.planNames.shift();
      this.plans.shift()!();
    },
    'onEncrypted goes on': () => this.continueOnEncrypted(),
    'presses Pay': () => this.press(() => this.dispatchSubmit('pay', 'shopper')),
    'presses Cancel': () => this.dispatchSubmit('skip', 'shopper'),
    'presses the card button': () => this.press(() => this.clickCardButton('shopper')),
    'presses a button that submits by script': () =>
      this.press(() => this.dispatchSubmit('pay', 'shopper')),
    'types A': () => this.type('A'),
    'types B': () => this.type('B'),
    'B is filled in without events': () => {
      this.changeSilently('B');
      if (this.delivery) this.delivery.isOver = true;
    },
    'chooses another way': () => {
      this.form.onShopper();
      this.isCardChosen = !this.isCardChosen;
    },
    'the page unlocks the fields': () => {
      this.isLocked = false;
    },
    'leaves the page': () => {
      this.payIsOver();
      this.isPendingOver = true;
      this.form.onPageHide();
      this.isAway = true;
    },
    'stays when the page asks': () => {
      this.isOnWay = false; // nobody knows
      this.askLeaving!();
    },
    'the page comes back': () => {
      this.isAway = false;
      this.form.onPageRestored();
    },
    'the key gets old': () => this.oldKeys.add(this.keysMade),
    'page: form.submit()': () => this.formSubmit(false),
    'page: FormData': () => this.collectForPage(false),
    'page: serialize()': () => this.offered && this.deliver(this.offered, 'serialize()'),
    'page: requestSubmit()': () => this.press(() => this.dispatchSubmit('pay', 'page')),
    'page: restart()': () => this.restart(),
    'page: form.reset()': () => this.reset(),
    'page: unbind()': () => this.unbind(),
    'page: takes the form out': () => {
      this.isConnected = false;
    },
    'page: locks the fields': () => {
      this.isLocked = true;
    },
    'page: breaks the action': () => {
      this.isDestinationGood = false;
    },
    'page: encrypt()': () => this.callEncrypt(),
    'page: clicks the card button': () => this.press(() => this.clickCardButton('page')),
  };

  private endEncryption() {
    const ended = this.encryption!;
    this.encryption = undefined;
    return ended;
  }

  private type(content: 'A' | 'B') {
    this.hasChangedSilently = false;
    this.isEmptiedByLibrary = false;
    this.isFrameDue = false;
    this.content = content;
    if (this.delivery) this.delivery.isOver = true; // the shopper begins another payment
    this.form.onShopper();
    this.form.onChange({} as Element);
  }

  private startShopperTask() {
    this.isByShopper = true;
    this.handOvers = 0;
    this.form.onShopper();
  }

  /** A press has to have an outcome. One that comes while another is under way is told to wait. */
  private press(action: () => void) {
    const isOwed = this.isConnected && this.isCardChosen && !this.binding.isBusy;
    if (isOwed) this.isOwed = true;
    action();
  }

  // What must hold

  private check(task: string) {
    if (!this.isBound) return;
    const isIdle = !this.binding.isBusy;
    const isQuiet = this.soon.length === 0;
    const isEmpty = (this.content !== 'A' && this.content !== 'B') || this.isWrittenBack;
    const isGone = !this.sealed.exists() && isEmpty;
    if (this.isResetDue && isQuiet && this.pending.length === 0) {
      this.isResetDue = false;
      this.payIsOver(); // with a press that has begun meanwhile
      if (!isGone) this.violation('a reset has left something of the card');
    }
    if (isIdle && isQuiet && this.isOwed) this.violation('a press ends in silence');
    if (isIdle && isQuiet && this.text === 'wait') {
      this.violation('a text asks to wait although nothing is under way');
    }
    const isSent = this.isSentByBrowser && this.isConnected;
    if ((isIdle || isSent) && isQuiet && this.unsettled !== 0) {
      this.violation('cardseal:settled does not come');
    }
    if (this.isFrameDue && isQuiet) {
      this.isFrameDue = false;
      if (!isGone && this.isConnected)
        this.violation('a frame has the answer, and the card is left');
    }
    if (this.pending[0]?.plan.includes('reset') && !this.isPendingOver && isIdle) {
      this.violation('a reset ends the press that onEncrypted still has');
    }
    if (
      this.setting.required &&
      isQuiet &&
      !this.form.state().block?.isEmptied &&
      !this.isRequired
    ) {
      this.violation('required is not put back');
    }
    const isHanded = this.form.state().doing.is === 'handed';
    if (isHanded && isQuiet && this.pending.length === 0) {
      this.violation('onEncrypted is done, and the form still waits for it');
    }
    const hasSomethingToWaitFor =
      !isQuiet || this.keyWaits.length > 0 || this.encryption || this.giveUps.length > 0;
    if (!isIdle && !hasSomethingToWaitFor) this.violation('the form is busy for ever');
    const isCard = this.content === 'A' || this.content === 'B' || this.offered;
    if (task === 'leaves the page' || task === 'page: restart()') {
      if (!isIdle) this.violation('the form is busy when the payment is over');
      const isLeft = isCard && !this.isWrittenBack;
      if (isLeft) this.violation('something of the card is left when the payment is over');
    }
  }

  /** All that the rest of a path depends on. */
  fingerprint(): string {
    const block = this.sealed.block() as Block | undefined;
    const state = this.form.state();
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
        this.isSentByBrowser,
      ],
      ...[this.isPendingOver, this.isResetDue, this.isFrameDue],
      ...[block?.content, block && this.oldKeys.has(Number(block.key_id.slice(4)))],
      ...[this.sealed.isFresh(), print(state), this.submits.join(), Boolean(this.askLeaving)],
    ];
    return facts.map(String).join();
  }
}

/** What the shopper may do beside presses, as often as the bounds allow. */
const SHOPPER_ACTS = new Set([
  ...['types A', 'types B', 'B is filled in without events', 'chooses another way'],
  ...['leaves the page', 'presses a button that submits by script', 'the page unlocks the fields'],
  ...['the key gets old', 'stays when the page asks'],
]);

/** The tasks that `only` may not leave out. */
const ALWAYS = new Set([
  ...['timer', 'the key arrives', 'the encryption is done', 'the page goes on'],
  ...['onEncrypted goes on', 'presses Pay'],
]);

/** Without what the state is not about, and without the numbers of presses. */
const print = (state: object) =>
  JSON.stringify(state, (name, value) =>
    ['id', 'event', 'button', 'resolve'].includes(name) ? undefined : value,
  );

/** What a task has started is over after so many turns of the queue of microtasks. */
export async function promisesHaveRun() {
  for (let tick = 0; tick < 14; tick++) await null;
}
