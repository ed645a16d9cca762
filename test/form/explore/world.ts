/**
 * A world around the table of src/form/decide.ts: a page, its scripts, a shopper, a key server and a
 * clock, as one value that can be copied. So nothing has to be run again to reach a state, and the
 * exploration goes deep. What runs inside the effects of perform.ts is explored by `Surroundings`.
 */
import { isDispatching, type Press, type State } from '../../../src/form/decide.ts';

/** What stands in the fields: nothing, or one of two cards. */
export type Letter = '' | 'A' | 'B';

/** What the shopper reads: a text of the form, or what to correct. */
export type Text = '' | 'problems' | keyof typeof CLAIMS;

export interface World {
  readonly state: State;

  // The page
  readonly card: Letter;
  /** Whether the fields were changed last without an event. */
  readonly isSilent: boolean;
  /** Whether the shopper has begun another card in a widget whose control is still empty. */
  readonly hasBegun: boolean;
  /** The card of the block that is kept. */
  readonly sealed: Letter;
  readonly isKeyOld: boolean;
  /** Whether the hidden input holds the block. */
  readonly isOffered: boolean;
  readonly isCardChosen: boolean;
  readonly isDestinationGood: boolean;
  readonly isConnected: boolean;
  /** Whether the shopper has left the page. */
  readonly isGone: boolean;
  readonly text: Text;

  // What is under way
  /** What happens by itself, in any order: `NAME`, or `NAME ID KIND` of a press. */
  readonly tasks: readonly string[];
  /** The submits and clicks that pass: the press, and whether the browser sends the form. */
  readonly passing: readonly Passing[];
  /** How many presses are named in the world. */
  readonly presses: number;

  // What is true of the payment, whatever the form believes
  /** The card of the press that was accepted last. */
  readonly pressed: Letter;
  /** What a server may have of it, in the order in which each is worse. */
  readonly reach: Reach;
  /** The block that has left the page last. */
  readonly delivered: Delivered | null;
  /** Whether the browser has it, and the page waits for the response. */
  readonly isOnWay: boolean;
  /** Whether the shopper has pressed something else since. */
  readonly hasCancelled: boolean;
  /** Whether a press has had no outcome yet. */
  readonly isOwed: boolean;
  /** How many `cardseal:submit` have no `cardseal:settled`. */
  readonly open: number;
  /** Whether `onEncrypted` works. */
  readonly isWorking: boolean;
  /** Whether the page has reset the form, and that has not taken effect. */
  readonly isResetDue: boolean;

  /** How many acts of the page's code and of the shopper are left. */
  readonly page: number;
  readonly shopper: number;
}

/** Nothing; a script may read it; a script or the browser has it, so a server may charge it. */
type Reach = 'nobody' | 'readable' | 'out';

interface Delivered {
  readonly card: Letter;
  /** Whether it is the block that is kept. */
  readonly isKept: boolean;
  /** Whether the page or the shopper has begun another payment since. */
  readonly isOver: boolean;
}

interface Passing {
  readonly id: number;
  readonly kind: Press['kind'];
  readonly isDispatched: boolean;
  readonly isSent: boolean;
}

export interface Setting {
  readonly hasHandler?: boolean;
  /** The response is shown in a frame. */
  readonly hasFrame?: boolean;
}

export type Pick = <Option extends string>(options: readonly Option[]) => Option;

const START: Omit<World, 'state' | 'page' | 'shopper'> = {
  card: 'A',
  isSilent: false,
  hasBegun: false,
  sealed: '',
  isKeyOld: false,
  isOffered: false,
  isCardChosen: true,
  isDestinationGood: true,
  isConnected: true,
  isGone: false,
  text: '',
  tasks: [],
  passing: [],
  presses: 0,
  pressed: '',
  reach: 'nobody',
  delivered: null,
  isOnWay: false,
  hasCancelled: false,
  isOwed: false,
  open: 0,
  isWorking: false,
  isResetDue: false,
};

/** The world before anything has happened. */
export const begin = (state: State, page: number, shopper: number): World => ({
  ...START,
  state,
  page,
  shopper,
});

const isPressable = ({ state: { doing } }: World) => doing.is === 'idle' || doing.is === 'overdue';

/** The block was withdrawn from code of the page that still works for the press. */
const isWithdrawn = ({ state: { doing, block } }: World) =>
  doing.is === 'handed' && block?.place === 'aside';

/** The browser or code of the page has the block. */
const isUnderWay = ({ isOnWay, isWorking, passing }: World) =>
  isOnWay || isWorking || passing.length > 0;

/**
 * What each text claims about the world (G13), in the words of src/form/feedback/texts.ts. A text
 * says that nothing was sent only if `reach` is `nobody`: today none does.
 */
export const CLAIMS = {
  press_again: {
    text: 'Press the button again.',
    isTrue: (world: World) => isPressable(world) || isWithdrawn(world),
  },
  no_answer: {
    text: 'There is no answer yet. Press the button again.',
    isTrue: (world: World) =>
      world.reach !== 'nobody' && (isPressable(world) || world.state.doing.is === 'handed'),
  },
  payment_unavailable: {
    text: 'Card payment is not available at the moment.',
    isTrue: ({ isOnWay, isWorking }: World) => !isOnWay && !isWorking,
  },
  reload_page: {
    text: 'Reload the page and enter the card again.',
    isTrue: ({ isOnWay, isWorking }: World) => !isOnWay && !isWorking,
  },
  payment_under_way: { text: 'Your payment is under way. Please wait.', isTrue: isUnderWay },
  one_moment: {
    text: 'One moment, please.',
    isTrue: ({ state }: World) => state.doing.is === 'encrypting',
  },
};

export const isToWait = (text: Text) => text === 'one_moment' || text === 'payment_under_way';

/** What may happen next. */
export function tasksOf(world: World): string[] {
  if (world.isGone) return [];
  const isSoon = world.tasks.some((task) => /^(settle|reset|ready)/.test(task));
  const tasks = world.tasks.filter((task) => !isSoon || !task.startsWith('30s'));
  tasks.push('presses Pay', 'presses Cancel', 'presses the card button');
  if (world.shopper > 0) {
    if (world.card !== 'A') tasks.push('types A');
    if (world.card !== 'B') tasks.push('types B', 'B is filled in');
    const isEmptied = world.state.block?.isEmptied && !isDispatching(world.state);
    if (isEmptied && !world.card) tasks.push('begins another card');
    tasks.push('chooses another way', 'leaves the page');
    if (!world.isKeyOld) tasks.push('the key gets old');
    if (world.state.doing.is === 'sending') tasks.push('stays');
  }
  if (world.page > 0) {
    tasks.push('page: form.submit()', 'page: FormData', 'page: serialize()');
    tasks.push('page: requestSubmit()');
    tasks.push('page: clicks the card button', 'page: encrypt()', 'page: form.reset()');
    tasks.push('page: restart()', 'page: takes the form out', 'page: breaks the action');
  }
  return tasks;
}

/**
 * The world with its presses numbered as they occur, so that two worlds of one shape are one. What is
 * left of presses that are over is kept once of each kind, under 0: it must do nothing.
 */
export function renumbered(world: World): World {
  const ids = new Map<number, number>();
  const own = (press: Press): Press => ({ id: idOf(press.id), kind: press.kind });
  const idOf = (id: number): number => {
    if (!ids.has(id)) ids.set(id, ids.size + 1);
    return ids.get(id)!;
  };
  let { doing } = world.state;
  if ('press' in doing) doing = { ...doing, press: own(doing.press) };
  if (doing.is === 'dispatching' && doing.under) {
    doing = { ...doing, under: { ...doing.under, press: own(doing.under.press) } };
  }
  const passing = world.passing.map((one) => ({ ...one, id: idOf(one.id) }));
  const tasks = world.tasks.map((task) => {
    const [name, id, kind] = split(task);
    return kind ? `${name} ${ids.get(id!) ?? 0} ${kind}` : task;
  });
  const state = { doing, block: world.state.block, owesSettled: world.state.owesSettled };
  return { ...world, state, passing, tasks: [...new Set(tasks)].sort(), presses: ids.size };
}

/** The parts of a task's name. Tasks of a press end with its number and its kind. */
export function split(task: string): [name: string, id?: number, kind?: Press['kind']] {
  const [name, id, kind] = task.split(' ');
  return kind && Number(id) >= 0 ? [name!, Number(id), kind as Press['kind']] : [name!];
}

/** All that the rest of a path depends on. */
export function print(world: World): string {
  const { doing, block, owesSettled } = world.state;
  const handed = doing.is === 'dispatching' ? doing.under : doing.is === 'handed' ? doing : null;
  const press = 'press' in doing ? doing.press.id + doing.press.kind : '';
  const under = handed
    ? handed.press.id + handed.press.kind + handed.isResetDue + handed.isBegun
    : '';
  const sealed = block ? `${block.place}${block.isOut}${block.isEmptied}` : '';
  const passing = world.passing.map((one) => `${one.id}${one.isDispatched}${one.isSent}`);
  const { delivered } = world;
  const last = delivered && !delivered.isOver ? `${delivered.card}${delivered.isKept}` : '';
  return (
    `${doing.is}${press}${world.isSilent}${world.hasBegun}|${under}|${sealed}|${owesSettled}|${world.card}|${world.sealed}|` +
    `${world.isKeyOld}${world.isOffered}${world.isCardChosen}${world.isDestinationGood}` +
    `${world.isConnected}${world.isGone}|${world.text}|${world.tasks.join()}|${passing.join()}|` +
    `${world.pressed}|${world.reach}|${last}|${world.isOnWay}${world.hasCancelled}` +
    `${world.isOwed}${world.open}${world.isWorking}${world.isResetDue}${world.page}${world.shopper}`
  );
}
