/**
 * The tables of docs/press.md, "What a press does": its rows, and what decide.ts does in each cell.
 */
import {
  type Block,
  type Doing,
  decide,
  type Effect,
  type Input,
  type Press,
  type State,
} from '../../src/form/decide.ts';

/** The columns. `overdue` is as `idle`. */
export const COLUMNS = ['idle', 'encrypting', 'dispatching', 'sending', 'handed'] as const;
type Column = (typeof COLUMNS)[number];

const OWN: Press = { id: 1, kind: 'submit' };
const CLICK: Press = { ...OWN, kind: 'click' };
const CALL: Press = { ...OWN, kind: 'encrypt' };
const NEW: Press = { id: 2, kind: 'submit' };
const NEW_CLICK: Press = { ...NEW, kind: 'click' };
const NEW_CALL: Press = { ...NEW, kind: 'encrypt' };

const SAME = { isSame: true, isYoung: true };
const PRESS = { type: 'press', press: NEW, isCard: true, isByShopper: true } as const;
const BEGUN = { ...PRESS, isSendable: true } as const;

interface Row {
  what: string;
  input: Input;
  /** Where it can happen. Default: everywhere. */
  columns?: readonly Column[];
  /** Where it cannot happen, although it can happen elsewhere. */
  never?: readonly Column[];
  /** With `onEncrypted`. So it is in the column `handed`, always. */
  hasHandler?: boolean;
  /** What the block of the form is, if there is one. Default: in the data; `handed`: given. */
  block?: Block | null;
  /** What the form is doing, more exactly. */
  doing?: Doing;
}

const FULL: Block = { place: 'form', isOut: true, isEmptied: false };
const GIVEN: Block = { place: 'script', isOut: true, isEmptied: true };
const MAKING = ['encrypting'] as const;

const HEARD = { type: 'announced', press: OWN, isWanted: true, canGoOn: true, ...SAME } as const;
const GATED = { type: 'gated', isCard: true, destinationError: undefined, ...SAME } as const;

export const ROWS: readonly Row[] = [
  { what: 'a press that is no card press', input: { ...BEGUN, isCard: false } },
  { what: 'a card press by the shopper', input: BEGUN },
  {
    what: 'a submit by a script that has the block',
    input: { ...BEGUN, isByShopper: false },
    block: GIVEN,
    never: ['encrypting', 'sending'],
  },
  {
    what: 'a submit by any other script',
    input: { ...BEGUN, isByShopper: false },
    block: { ...GIVEN, place: 'aside' },
  },
  {
    what: 'a card button that a script clicks',
    input: { ...BEGUN, press: NEW_CLICK, isByShopper: false },
  },
  { what: 'a call of `encrypt()`', input: { ...BEGUN, press: NEW_CALL } },
  {
    what: 'the page has heard `cardseal:submit`, and there is no block of this card',
    input: { ...HEARD, isSame: false },
    columns: MAKING,
  },
  {
    what: 'the page has heard `cardseal:submit`, and there is a block of this card',
    input: HEARD,
    columns: MAKING,
  },
  {
    what: 'the same, for a submit event that a script has made, or a click with a modifier key',
    input: { ...HEARD, canGoOn: false },
    columns: MAKING,
  },
  {
    what: 'the same, for a submit with `onEncrypted`, or for `encrypt()`',
    input: HEARD,
    columns: MAKING,
    hasHandler: true,
  },
  {
    what: 'the page has cancelled `cardseal:submit`',
    input: { ...HEARD, isWanted: false },
    columns: MAKING,
  },
  { what: 'the card is read', input: { type: 'read', press: OWN }, columns: MAKING },
  {
    what: 'the card is encrypted',
    input: { type: 'sealed', press: OWN, isSame: true },
    columns: MAKING,
    block: null,
  },
  {
    what: 'the same, for code of the page, or if the fields have changed',
    input: { type: 'sealed', press: OWN, isSame: false },
    columns: MAKING,
    block: null,
  },
  {
    what: 'the block is there, and the next task begins',
    input: { type: 'ready', press: OWN },
    columns: MAKING,
  },
  {
    what: 'the same, for a submit with `onEncrypted`, or for `encrypt()`',
    input: { type: 'ready', press: OWN },
    columns: MAKING,
    hasHandler: true,
  },
  {
    what: 'the repeated press comes',
    input: { type: 'repeats', press: OWN },
    columns: MAKING,
  },
  {
    what: 'no repeated press comes, and the browser does not show why',
    input: { type: 'repeated', press: OWN, isExplained: false },
    columns: MAKING,
  },
  {
    what: 'no repeated press comes, and the browser shows why',
    input: { type: 'repeated', press: OWN, isExplained: true },
    columns: MAKING,
  },
  {
    what: 'at the gate: a card press with a block of this card',
    input: { ...GATED, press: OWN },
    columns: ['encrypting', 'dispatching'],
  },
  {
    what: 'at the gate: a card button, or `encrypt()`, in a press that passes',
    input: { ...GATED, press: NEW_CLICK },
    columns: ['dispatching'],
  },
  {
    what: 'at the gate: a submit by the script that has the block',
    input: { ...GATED, press: NEW },
    columns: ['idle', 'handed'],
    block: GIVEN,
  },
  {
    what: 'at the gate: the same, and another card is in the fields',
    input: { ...GATED, press: NEW, isSame: false },
    columns: ['idle'],
    block: GIVEN,
  },
  {
    what: 'at the gate: the same, and the browser would send the form to a wrong place',
    input: { ...GATED, press: NEW, destinationError: 'why' },
    columns: ['idle', 'handed'],
    block: GIVEN,
  },
  {
    what: 'at the gate: a card press, with `onEncrypted`',
    input: { ...GATED, press: OWN },
    columns: MAKING,
    hasHandler: true,
  },
  {
    what: 'at the gate: a card press, for `encrypt()` or a card button',
    input: { ...GATED, press: CLICK },
    columns: MAKING,
  },
  {
    what: 'at the gate: another card is in the fields',
    input: { ...GATED, press: OWN, isSame: false },
    columns: MAKING,
  },
  {
    what: 'at the gate: no card press any more, or the key has become too old',
    input: { ...GATED, press: OWN, isCard: false },
    columns: MAKING,
  },
  {
    what: 'at the gate: the browser would send the form to a wrong place',
    input: { ...GATED, press: OWN, destinationError: 'why' },
    columns: MAKING,
  },
  {
    what: 'the fields are empty, for `onEncrypted`',
    input: { type: 'emptied', press: OWN, isCleared: true },
    columns: MAKING,
    hasHandler: true,
  },
  {
    what: 'the fields are empty, for `encrypt()`',
    input: { type: 'emptied', press: CALL, isCleared: true },
    columns: MAKING,
  },
  {
    what: 'the fields are empty, for a card button',
    input: { type: 'emptied', press: CLICK, isCleared: true },
    columns: MAKING,
  },
  {
    what: 'the fields are empty, for a card button or `encrypt()` in a press that passes',
    input: { type: 'emptied', press: NEW_CALL, isCleared: true },
    columns: ['dispatching'],
  },
  {
    what: 'a script has filled them again',
    input: { type: 'emptied', press: OWN, isCleared: false },
    columns: MAKING,
    hasHandler: true,
  },
  {
    what: 'the card, the key or the encryption fails',
    input: { type: 'failed', press: OWN, error: 'why' },
    columns: MAKING,
  },
  {
    what: 'the listeners have run, and the browser sends the form',
    input: { type: 'dispatched', sent: OWN },
    columns: ['dispatching'],
  },
  {
    what: 'the listeners have run, and one has cancelled the submit',
    input: { type: 'dispatched', sent: undefined },
    columns: ['dispatching'],
  },
  {
    what: 'the same, for a submit by `onEncrypted`',
    input: { type: 'dispatched', sent: undefined },
    columns: ['dispatching'],
    doing: {
      ...{ is: 'dispatching', press: NEW },
      under: { is: 'handed', press: OWN, isResetDue: false, isBegun: false },
    },
  },
  {
    what: '`onEncrypted` is done',
    input: { type: 'answered', press: OWN, isAnswered: true, isSame: true },
    columns: ['handed'],
  },
  {
    what: '`onEncrypted` rejects',
    input: { type: 'answered', press: OWN, isAnswered: false, isSame: true },
    columns: ['handed'],
  },
  {
    what: '30 seconds are over',
    input: { type: 'timeout', press: OWN, isSame: true },
    columns: ['sending', 'handed'],
  },
  {
    what: '30 seconds are over, and another card is in the fields',
    input: { type: 'timeout', press: OWN, isSame: false },
    columns: ['sending'],
  },
  {
    what: '30 seconds are over, and the fields were emptied before',
    input: { type: 'timeout', press: OWN, isSame: true },
    columns: ['sending'],
    block: { ...FULL, isEmptied: true },
  },
  {
    what: '30 seconds are over, and another card was begun',
    input: { type: 'timeout', press: OWN, isSame: true },
    columns: ['handed'],
    doing: { is: 'handed', press: OWN, isResetDue: false, isBegun: true },
  },
  {
    what: '30 seconds were over, and a script has filled them with another card',
    input: { type: 'emptiedLate', press: OWN, isSame: false, isCleared: false },
    columns: ['sending'],
  },
  {
    what: '30 seconds were over, and a script has filled the fields again',
    input: { type: 'emptiedLate', press: OWN, isSame: true, isCleared: false },
    columns: ['sending'],
  },
  {
    what: '30 seconds were over, and the fields are empty',
    input: { type: 'emptiedLate', press: OWN, isSame: false, isCleared: true },
    columns: ['sending'],
  },
  {
    what: 'a field of the card changes',
    input: { type: 'changed', isSame: false, isBegun: false },
  },
  {
    what: 'another card is begun in the emptied fields',
    input: { type: 'changed', isSame: true, isBegun: true },
    block: GIVEN,
  },
  {
    what: 'the form’s data is collected',
    input: { type: 'collected', isCard: true, isOther: false },
    block: { ...FULL, isOut: false },
  },
  {
    what: 'the form’s data is collected, and another way to pay is chosen',
    input: { type: 'collected', isCard: false, isOther: false },
    never: ['dispatching'],
  },
  {
    what: 'the form’s data is collected, and the fields hold another whole card',
    input: { type: 'collected', isCard: true, isOther: true },
    block: { ...FULL, isOut: false },
  },
  { what: 'a `reset` event', input: { type: 'resets' } },
  { what: 'the reset takes effect', input: { type: 'reset' } },
  {
    what: 'a `beforeunload` listener asks whether to leave',
    input: { type: 'asked' },
  },
  {
    what: '`restart()`, `unbind()`, or the page is left',
    input: { type: 'end', isStopped: false },
  },
  {
    what: '`restart()` or `unbind()` stops a submit that passes',
    input: { type: 'end', isStopped: true },
    columns: ['dispatching'],
  },
];

/** What decide.ts does in a cell, in words. */
export function cellOf(row: Row, column: Column): string {
  const { input, columns = COLUMNS, hasHandler = column === 'handed' } = row;
  if (!columns.includes(column)) return '';
  if (row.never?.includes(column)) return '–';
  const { doing = DOING[column], block = column === 'handed' ? GIVEN : FULL } = row;
  const isAsked = column !== 'idle' && column !== 'sending';
  const before: State = { doing, block, owesSettled: isAsked };
  const [after, ...effects] = decide(before, input, hasHandler);
  const words = [
    doingWord(before.doing, after.doing),
    blockWord(before.block, after.block),
    ...effects.map(effectWord),
  ];
  return words.filter(Boolean).join(', ') || 'nothing';
}

const DOING: Record<Column, Doing> = {
  idle: { is: 'idle' },
  encrypting: { is: 'encrypting', press: OWN },
  dispatching: { is: 'dispatching', press: OWN, under: null },
  sending: { is: 'sending', press: OWN },
  handed: { is: 'handed', press: OWN, isResetDue: false, isBegun: false },
};

function doingWord(before: Doing, after: Doing): string {
  if (after.is !== before.is) return `→ \`${after.is}\``;
  if (after.is !== 'handed') return '';
  if (after.isBegun) return 'counts when done';
  return after.isResetDue ? 'reset when done' : '';
}

function blockWord(before: Block | null, after: Block | null): string {
  if (!before && after) return after.place === 'form' ? 'block in the data' : 'block aside';
  if (!before || !after) return before ? 'block dropped' : '';
  if (after.isOut && !before.isOut) return 'block may be out';
  if (after.place === before.place)
    return after.isEmptied && !before.isEmptied ? 'card forgotten' : '';
  const places = {
    aside: 'block out of the data',
    form: 'block in the data',
    script: 'block given',
  };
  if (before.place === 'script' && after.place === 'form') return 'block no longer the script’s';
  return places[after.place];
}

function effectWord(effect: Effect): string {
  switch (effect.do) {
    case 'stop':
      return 'stopped';
    case 'announce':
      return '`cardseal:submit`';
    case 'prepare':
      return effect.needsBlock ? 'read and encrypt' : 'go on in the next task';
    case 'gate':
      return 'gate';
    case 'repeat':
      return 'repeat the press';
    case 'pass':
      return 'passes';
    case 'empty':
    case 'emptyLate':
      return 'empty the fields';
    case 'handOver':
      return effect.press.kind === 'encrypt' ? 'resolve its promise' : 'call `onEncrypted`';
    case 'waitForResponse':
    case 'waitForPage':
      return 'wait 30 s';
    case 'takeOut':
    case 'clearTexts':
      return '';
    case 'settled':
      return '`cardseal:settled`';
    case 'nextCard':
      return 'next card';
    case 'tell':
      return `\`${effect.text}\``;
    case 'fail':
      return 'text of the error';
  }
}

const tableOf = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** What may happen whatever the form is doing. */
export const alwaysTable = (): string =>
  tableOf(
    ['what happens', ...COLUMNS.map((column) => `\`${column}\``)],
    ROWS.filter(({ columns }) => !columns).map((row) => [
      row.what,
      ...COLUMNS.map((column) => cellOf(row, column)),
    ]),
  );

/** What happens on the way of one press. */
export const wayTable = (): string =>
  tableOf(
    ['in', 'what happens', 'what is done'],
    ROWS.flatMap((row) => {
      const { columns = [] } = row;
      const cells = [...new Set(columns.map((column) => cellOf(row, column)))];
      return cells.map((cell) => {
        const where = columns.filter((column) => cellOf(row, column) === cell);
        return [where.map((column) => `\`${column}\``).join(', '), row.what, cell];
      });
    }),
  );
