/**
 * The rules of a press that stand around the table, in card-form.ts, perform.ts and block.ts, each
 * taken out of the shipped source: what the exploration of the simulated page has to find then, and
 * the part of it that is enough to find it. The rules of decide.ts are in rules-of-table.ts.
 */

import type { ChangeOfFile } from '../../../tools/planted/load.ts';
import type { Setting } from './acts.ts';
import type { Scope } from './explore.ts';

export interface TakenOut extends ChangeOfFile {
  /** What is taken out. */
  readonly rule: string;
  readonly setting?: Setting;
  /** The acts and tasks that it takes, beside presses. */
  readonly only?: readonly string[];
  readonly depth: number;
  readonly shopper?: number;
  readonly page?: number;
  /** What is found. */
  readonly found: string;
}

/** The part of the exploration that is enough to find it. */
export function scopeOf({ page = 1, shopper = 1, only, setting = {}, depth }: TakenOut): Scope {
  const bounds = { page, shopper, ...(only && { only }) };
  return { settings: [setting], bounds, depth };
}

const UNBOUND = 'a form that is not bound any more gets a text';
const PERFORM = 'src/form/perform.ts';
const CARD_FORM = 'src/form/card-form.ts';
const BLOCK = 'src/form/block.ts';

/** The fields are not emptied, and count as emptied. */
const TELLS_EMPTY = {
  instead: `case 'empty':
    send({ type: 'emptied', press, isSame: true, isCleared: true });
    break;`,
};

const BY_BUTTON = { cardButton: true };
const BY_PAGE = { onEncrypted: true };

export const TAKEN_OUT: TakenOut[] = [
  {
    file: PERFORM,
    rule: 'F1: an event that is cancelled already is ignored',
    at: 'F1',
    plant: 'never',
    only: ['cancels it'],
    depth: 1,
    found: 'a press is handled that the page had refused',
  },
  {
    file: CARD_FORM,
    rule: 'F2: a press whose dispatch is over is settled first',
    at: 'onPress.settleIfOver()',
    plant: 'nothing',
    only: ['page: requestSubmit()'],
    depth: 5,
    found: 'a press is sent while one is on its way',
  },
  {
    file: CARD_FORM,
    rule: 'F13: which may have unbound the form',
    at: 'F13',
    plant: 'always',
    only: ['page: requestSubmit()', 'unbind()'],
    page: 2,
    depth: 5,
    found: UNBOUND,
  },
  {
    file: PERFORM,
    rule: 'F3: nor does a press pass whose way to pay a listener has changed',
    at: 'gate.isCardPayment()',
    plant: 'always',
    only: ['another way to pay'],
    depth: 4,
    found: 'a press that is no card payment carries a block',
  },
  {
    file: PERFORM,
    rule: 'F3: the gate checks where the browser sends the form',
    at: 'destinationError.checkDestination()',
    plant: 'nothing',
    only: ['page: breaks the action'],
    depth: 4,
    found: 'a block goes to a wrong destination',
  },
  {
    file: CARD_FORM,
    rule: 'F4: a trusted click is a new press',
    at: 'cardForm.onShopper.settleIfOver()',
    plant: 'nothing',
    setting: BY_BUTTON,
    only: ['presses the card button'],
    depth: 5,
    found: 'a press passes with a block, and the page could not refuse it',
  },
  {
    file: PERFORM,
    rule: 'F4: but not while the press that passes is dispatched',
    at: 'settleIfOver.settle()',
    plant: 'always',
    only: ['clicks a label'],
    depth: 3,
    found: 'cardseal:settled comes while the press is under way',
  },
  {
    file: PERFORM,
    rule: 'F7: a text that asks to wait goes with its state',
    at: 'enter.setBusy()',
    plant: 'nothing',
    setting: BY_PAGE,
    only: ['sends, and is pending'],
    depth: 5,
    found: 'a text asks to wait although nothing is under way',
  },
  {
    file: PERFORM,
    rule: 'F7: also when onEncrypted has the block',
    at: 'enter.setBusy()',
    plant: { instead: "if (next.doing.is !== 'handed') notices.setBusy(isBusy(next));" },
    setting: BY_PAGE,
    only: ['1 s'],
    depth: 4,
    found: 'a text to wait for the block stays beside it',
  },
  {
    file: PERFORM,
    rule: 'F8: the fields are empty before handlers of a card button run',
    at: 'performFor.empty',
    plant: TELLS_EMPTY,
    setting: BY_BUTTON,
    only: ['presses the card button'],
    depth: 3,
    found: 'handlers of a card button run with a card in the fields',
  },
  {
    file: PERFORM,
    rule: 'F8: the fields are empty before onEncrypted is called',
    at: 'performFor.empty',
    plant: TELLS_EMPTY,
    setting: BY_PAGE,
    only: [],
    depth: 3,
    found: 'onEncrypted runs with a card in the fields',
  },
  {
    file: BLOCK,
    rule: 'F8: the block is that of the card in the fields',
    at: 'keptBlock.isSame.areOfCard()',
    plant: 'always',
    page: 0,
    depth: 4,
    found: 'a press is repeated with another card on the screen',
  },
  {
    file: BLOCK,
    rule: 'F8: or of the fields that the library has emptied',
    at: 'keptBlock.isSame.mayRetry()',
    plant: 'always',
    setting: BY_PAGE,
    page: 0,
    depth: 6,
    found: 'the card that is sent is not that of the press',
  },
  {
    file: PERFORM,
    rule: 'F9: not for ever',
    at: 'waitForResponse.giveUpLater()',
    plant: 'nothing',
    only: [],
    depth: 4,
    found: 'the form is busy for ever',
  },
  {
    file: PERFORM,
    rule: 'F9: a frame has the answer, and the next card begins',
    at: 'waitForResponse.startNextCard()',
    plant: 'never',
    setting: { frame: true },
    only: [],
    depth: 4,
    found: 'a frame has the answer, and the card is left',
  },
  {
    file: PERFORM,
    rule: 'F13: unless code of the page has gone on',
    at: 'send.perform()',
    plant: 'always',
    setting: BY_PAGE,
    only: ['rejects', 'unbind()'],
    depth: 3,
    found: UNBOUND,
  },
  {
    file: PERFORM,
    rule: 'F13: what fails is not told when code of the page has gone on',
    at: 'send.perform()',
    plant: 'always',
    only: ['the encryption fails', 'unbind()'],
    depth: 2,
    found: UNBOUND,
  },
  {
    file: PERFORM,
    rule: 'F9: also after a submit of its own that the page has cancelled',
    at: 'handOver.settleIfOver()',
    plant: 'nothing',
    setting: BY_PAGE,
    only: ['requestSubmit() at once, and rejects'],
    depth: 4,
    found: 'onEncrypted is done, and the form still waits for it',
  },
  {
    file: CARD_FORM,
    rule: 'F10: a changed field takes the block out',
    at: 'onChange.onChange()',
    plant: 'nothing',
    only: ['types B', 'page: serialize()'],
    depth: 5,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    file: PERFORM,
    rule: 'F10: not while a press passes',
    at: 'onFormData',
    plant: { begins: 'if (kept.isOther()) { kept.takeOut(); kept.fill(data); return; }' },
    only: ['changes to B without events'],
    depth: 3,
    found: 'a card press is sent by the browser without a block',
  },
  {
    file: PERFORM,
    rule: 'F11: required is taken off emptied fields',
    at: 'F11#1',
    plant: 'nothing',
    setting: { required: true, onEncrypted: true },
    only: [],
    depth: 4,
    found: 'the browser asks again for fields that the library has emptied',
  },
  {
    file: PERFORM,
    rule: 'F11: not if the page has filled them again',
    at: 'F11#2',
    plant: 'nothing',
    setting: { required: true, onEncrypted: true },
    only: ['writes it back'],
    depth: 4,
    found: 'required is not put back',
  },
  {
    file: BLOCK,
    rule: 'F11: and put back',
    at: 'F11',
    plant: 'nothing',
    setting: { required: true, onEncrypted: true },
    only: ['page: restart()'],
    depth: 4,
    found: 'required is not put back',
  },
  {
    file: PERFORM,
    rule: 'F12: restart() empties the fields',
    at: 'end.empty()',
    plant: 'nothing',
    only: ['page: restart()'],
    depth: 1,
    found: 'something of the card is left when the payment is over',
  },
  {
    file: PERFORM,
    rule: 'F12: and stops a submit that passes',
    at: 'end.stop()',
    plant: 'nothing',
    only: ['unbind()'],
    depth: 4,
    found: 'a card press is sent by the browser without a block',
  },
];
