/** What the table answers where no row of docs/press.md and no simulated page tells it from another. */
import { expect, test } from 'vitest';
import {
  type Block,
  type Doing,
  decide,
  type Input,
  type Press,
  type State,
} from '../../src/form/decide.ts';

const OWN: Press = { id: 1, kind: 'submit' };
const NEW: Press = { id: 2, kind: 'submit' };
const CLICK: Press = { id: 2, kind: 'click' };

const IN_DATA: Block = { place: 'form', isOut: false, isEmptied: false };
const GIVEN: Block = { place: 'script', isOut: true, isEmptied: true };
const WITHDRAWN: Block = { ...GIVEN, place: 'aside' };

const HANDED: Doing = { is: 'handed', press: OWN, isResetDue: false, isBegun: false };
const OVERDUE: Doing = { is: 'overdue', press: OWN };
const SENDING: Doing = { is: 'sending', press: OWN };

const stateOf = (doing: Doing, block: Block | null): State => ({
  doing,
  block,
  owesSettled: false,
});

/** With `onEncrypted`: the state afterwards, and the effects in words. */
function step(state: State, input: Input) {
  const [next, ...effects] = decide(state, input, true);
  return { next, effects: effects.map((it) => (it.do === 'tell' ? it.text : it.do)) };
}

const cardPress = (press: Press, by: 'shopper' | 'script'): Input => ({
  type: 'press',
  press,
  isCard: true,
  isByShopper: by === 'shopper',
  isSendable: true,
});
const FRESH = { isCard: true, isSame: true, isYoung: true, destinationError: undefined } as const;

test('a press that fails ends no other one', () => {
  const state = stateOf(SENDING, GIVEN);
  const failed = step(state, { type: 'failed', press: NEW, error: 'why' });
  expect(failed).toEqual({ next: state, effects: ['stop', 'fail'] });
});

test.each([SENDING, HANDED, OVERDUE])(
  'a text of a press that fails knows of the block that is away: $is',
  (doing) => {
    const failed: Input = { type: 'failed', press: NEW, error: 'why' };
    const [, ...effects] = decide(stateOf(doing, GIVEN), failed, true);
    expect(effects).toContainEqual({ do: 'fail', error: 'why', isAway: true });
  },
);

test('a press that is refused ends no other one', () => {
  const state = stateOf(HANDED, WITHDRAWN); // the shopper has pressed Cancel
  const refused = step(state, cardPress(NEW, 'script'));
  expect(refused).toEqual({ next: state, effects: ['stop', 'press_again'] });
});

test.each([
  ['the shopper, who has pressed Cancel before', WITHDRAWN, cardPress(NEW, 'shopper')],
  ['a script that clicks a card button', GIVEN, cardPress(CLICK, 'script')],
])('while onEncrypted works, a payment is under way for %s', (_, block, press) => {
  expect(step(stateOf(HANDED, block), press).effects).toEqual(['stop', 'payment_under_way']);
});

test('a script may submit its block again after a listener has cancelled its submit', () => {
  const given = stateOf(HANDED, GIVEN);
  const { next } = step(given, { type: 'gated', press: NEW, ...FRESH });
  expect(next).toEqual(stateOf({ is: 'dispatching', press: NEW, under: HANDED }, GIVEN));
  expect(step(next, { type: 'dispatched', sent: undefined }).next).toEqual(given);
});

test('so it may after a press within that submit', () => {
  const passing = stateOf({ is: 'dispatching', press: NEW, under: HANDED }, GIVEN);
  const within: Press = { id: 3, kind: 'submit' };
  const { next } = step(passing, { type: 'gated', press: within, ...FRESH });
  expect(next).toEqual(passing);
});

test('the 30 seconds of a press end no later one', () => {
  const state = stateOf({ is: 'sending', press: NEW }, { ...IN_DATA, isOut: true });
  const over = step(state, { type: 'timeout', press: OWN, isSame: true });
  expect(over).toEqual({ next: state, effects: [] });
});

test('a repeat that comes when its press is over ends in a text', () => {
  const state = stateOf({ is: 'idle' }, null);
  const refused = step(state, { type: 'repeats', press: OWN });
  expect(refused).toEqual({ next: state, effects: ['stop', 'press_again'] });
});

test('a block that comes back passes in the data', () => {
  const making = stateOf({ is: 'encrypting', press: OWN }, { ...IN_DATA, place: 'aside' });
  const [next] = decide(making, { type: 'gated', press: OWN, ...FRESH }, false);
  expect(next.block).toEqual({ ...IN_DATA, isOut: true });
});

test.each(['submit', 'click', 'encrypt'] as const)(
  'what code of the page gets by a %s may be out: its key cannot get too old',
  (kind) => {
    const press = { id: 1, kind };
    const making = stateOf({ is: 'encrypting', press }, { ...IN_DATA, place: 'aside' });
    const { next } = step(making, { type: 'emptied', press, isCleared: true });
    expect(next.block).toEqual(GIVEN);
  },
);

test('a click of a card button in a listener of a submit goes on, and calls nothing', () => {
  const passing = stateOf({ is: 'dispatching', press: OWN, under: null }, GIVEN);
  const emptied: Input = { type: 'emptied', press: CLICK, isCleared: true };
  expect(step(passing, emptied)).toEqual({ next: passing, effects: [] });
});

test('a block that is not in the data does not leave with it', () => {
  const state = stateOf({ is: 'idle' }, { ...IN_DATA, place: 'aside' });
  const collected = step(state, { type: 'collected', isCard: true, isOther: false });
  expect(collected).toEqual({ next: state, effects: [] });
});
