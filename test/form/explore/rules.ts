/**
 * The rules of a press that stand around the table, in card-form.ts, perform.ts and block.ts, each
 * taken out of the shipped source: what the exploration of the simulated page has to find then, and
 * the part of it that is enough to find it. The rules of decide.ts are in rules-of-table.ts.
 */

import type { Setting } from './acts.ts';
import type { Change } from './code.ts';
import type { Scope } from './explore.ts';

export interface TakenOut extends Change {
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
const BY_BUTTON = { cardButton: true };
const BY_PAGE = { onEncrypted: true };

export const TAKEN_OUT: TakenOut[] = [
  {
    file: 'perform.ts',
    rule: 'F1: an event that is cancelled already is ignored',
    from: 'if (event.defaultPrevented) return;',
    to: '',
    only: ['cancels it'],
    depth: 1,
    found: 'a press is handled that the page had refused',
  },
  {
    file: 'card-form.ts',
    rule: 'F2: a press whose dispatch is over is settled first',
    from: 'presses.settleIfOver(); // first',
    to: '// first',
    only: ['page: requestSubmit()'],
    depth: 5,
    found: 'a press is sent while one is on its way',
  },
  {
    file: 'card-form.ts',
    rule: 'F13: which may have unbound the form',
    from: 'if (isBound) presses.onPress(event, kind, button);',
    to: 'presses.onPress(event, kind, button);',
    only: ['page: requestSubmit()', 'unbind()'],
    page: 2,
    depth: 5,
    found: UNBOUND,
  },
  {
    file: 'perform.ts',
    rule: 'F3: nor does a press pass whose way to pay a listener has changed',
    from: 'const isCard = isAsked || page.isCardPayment(button, true);',
    to: 'const isCard = isAsked || Boolean(page);',
    only: ['another way to pay'],
    depth: 4,
    found: 'a press that is no card payment carries a block',
  },
  {
    file: 'perform.ts',
    rule: 'F3: the gate checks where the browser sends the form',
    from: 'if (isCard && state.block && isByBrowser) page.checkDestination(button);',
    to: '',
    only: ['page: breaks the action'],
    depth: 4,
    found: 'a block goes to a wrong destination',
  },
  {
    file: 'perform.ts',
    rule: 'F4: a trusted click is a new press',
    from: '      if (isDispatchOver()) settle();\n    },',
    to: '    },',
    setting: BY_BUTTON,
    only: ['presses the card button'],
    depth: 5,
    found: 'a press passes with a block, and the page could not refuse it',
  },
  {
    file: 'perform.ts',
    rule: 'F4: but not while the press that passes is dispatched',
    from: '      if (isDispatchOver()) settle();\n    },',
    to: '      settle();\n    },',
    only: ['clicks a label'],
    depth: 3,
    found: 'cardseal:settled comes while the press is under way',
  },
  {
    file: 'perform.ts',
    rule: 'F7: a text that asks to wait goes with its state',
    from: 'notices.setBusy(isBusy(next)); // which',
    to: '// which',
    setting: BY_PAGE,
    only: ['sends, and is pending'],
    depth: 5,
    found: 'a text asks to wait although nothing is under way',
  },
  {
    file: 'perform.ts',
    rule: 'F7: also when onEncrypted has the block',
    from: 'notices.setBusy(isBusy(next)); // which',
    to: "if (next.doing.is !== 'handed') notices.setBusy(isBusy(next)); // which",
    setting: BY_PAGE,
    only: ['1 s'],
    depth: 4,
    found: 'a text to wait for the block stays beside it',
  },
  {
    file: 'perform.ts',
    rule: 'F8: the fields are empty before handlers of a card button run',
    from: "        fields.empty();\n        send({ type: 'emptied', press, isSame: isSame(), isCleared: fields.areCleared() });",
    to: "        send({ type: 'emptied', press, isSame: true, isCleared: true });",
    setting: BY_BUTTON,
    only: ['presses the card button'],
    depth: 3,
    found: 'handlers of a card button run with a card in the fields',
  },
  {
    file: 'perform.ts',
    rule: 'F8: the fields are empty before onEncrypted is called',
    from: "        fields.empty();\n        send({ type: 'emptied', press, isSame: isSame(), isCleared: fields.areCleared() });",
    to: "        send({ type: 'emptied', press, isSame: true, isCleared: true });",
    setting: BY_PAGE,
    only: [],
    depth: 3,
    found: 'onEncrypted runs with a card in the fields',
  },
  {
    file: 'perform.ts',
    rule: 'F9: not for ever',
    from: '        else giveUpLater(press);\n',
    to: '',
    only: [],
    depth: 4,
    found: 'the form is busy for ever',
  },
  {
    file: 'perform.ts',
    rule: 'F9: a frame has the answer, and the next card begins',
    from: 'if (page.isAnsweredElsewhere(press.button)) parts.startNextCard();\n        else giveUpLater',
    to: 'giveUpLater',
    setting: { frame: true },
    only: [],
    depth: 4,
    found: 'a frame has the answer, and the card is left',
  },
  {
    file: 'perform.ts',
    rule: 'F13: unless code of the page has gone on',
    from: 'if (own === turn || DUE.includes(effect.do)) perform(effect);',
    to: 'perform(effect);',
    setting: BY_PAGE,
    only: ['rejects', 'unbind()'],
    depth: 3,
    found: UNBOUND,
  },
  {
    file: 'perform.ts',
    rule: 'F13: what fails is not told when code of the page has gone on',
    from: 'if (own === turn || DUE.includes(effect.do)) perform(effect);',
    to: 'perform(effect);',
    only: ['the encryption fails', 'unbind()'],
    depth: 2,
    found: UNBOUND,
  },
  {
    file: 'perform.ts',
    rule: 'F9: also after a submit of its own that the page has cancelled',
    from: "    settleIfOver();\n    send({ type: 'answered'",
    to: "    send({ type: 'answered'",
    setting: BY_PAGE,
    only: ['requestSubmit() at once, and rejects'],
    depth: 4,
    found: 'onEncrypted is done, and the form still waits for it',
  },
  {
    file: 'card-form.ts',
    rule: 'F10: a changed field takes the block out',
    from: 'if (fields.include(control)) presses.onChange(fields.mayHoldCard(control));',
    to: '',
    only: ['types B', 'page: serialize()'],
    depth: 5,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    file: 'perform.ts',
    rule: 'F10: not while a press passes',
    from: 'const isOther = !isCommitted(state) && kept.isOther();',
    to: "const isOther = kept.isOther();\n      if (isOther) send({ type: 'resets' });\n      if (isOther) kept.takeOut();",
    only: ['changes to B without events'],
    depth: 3,
    found: 'a card press is sent by the browser without a block',
  },
  {
    file: 'block.ts',
    rule: 'F11: required is taken off emptied fields',
    from: 'fields.setRequired(false);',
    to: 'void fields;',
    setting: { required: true, onEncrypted: true },
    only: [],
    depth: 4,
    found: 'the browser asks again for fields that the library has emptied',
  },
  {
    file: 'block.ts',
    rule: 'F11: and put back',
    from: '      fields.setRequired(true);\n',
    to: '',
    setting: { required: true, onEncrypted: true },
    only: ['page: restart()'],
    depth: 4,
    found: 'required is not put back',
  },
  {
    file: 'perform.ts',
    rule: 'F12: restart() empties the fields',
    from: 'if (areFieldsEmptied) fields.empty();',
    to: '',
    only: ['page: restart()'],
    depth: 1,
    found: 'something of the card is left when the payment is over',
  },
  {
    file: 'perform.ts',
    rule: 'F12: and stops a submit that passes',
    from: 'for (const { event } of open) stop(event!);',
    to: '',
    only: ['unbind()'],
    depth: 4,
    found: 'a card press is sent by the browser without a block',
  },
];
