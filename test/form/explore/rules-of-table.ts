/**
 * The rules of src/form/decide.ts, each taken out. The exploration has to find what is named, or a
 * story that is named has to end in another way.
 */
import type { Change } from '../../../tools/planted/plant.ts';
import type { Setting } from './world.ts';

export interface TakenOut extends Change {
  setting?: Setting;
  page?: number;
  shopper?: number;
  /** How deep the exploration finds it, and what. */
  depth?: number;
  found?: string;
  /** If it breaks nothing that must never happen: what must happen, in stories.ts. */
  story?: string;
}

const BY_PAGE = { hasHandler: true };

export const TAKEN_OUT: readonly TakenOut[] = [
  {
    at: 'gated.F3#1', // a repeat that is no card press any more is stopped
    plant: { gives: '!block || !isFresh(state, input)' },
    depth: 3,
    found: 'the library sends a form that is no card payment',
  },
  {
    at: 'gated.F3#1', // the gate lets only a fresh block of a card press pass
    plant: { gives: '!block || !isCard' },
    depth: 3,
    found: 'a press is repeated with another card on the screen',
  },
  {
    at: 'gated.F3#1',
    plant: { gives: '!block || !isFresh(state, input)' },
    setting: BY_PAGE,
    depth: 3,
    found: 'onEncrypted is called although another way is chosen',
  },
  {
    at: 'gated.F3#2', // nor where the browser may not send it
    plant: 'never',
    depth: 4,
    found: 'a block goes to a wrong destination',
  },
  {
    at: 'isDispatching.F4', // what the page does while a press passes belongs to that press
    plant: { gives: 'doing === undefined' },
    depth: 3,
    found: 'code of the page cannot send while its press passes',
  },
  {
    at: 'isCommitted.F4', // a block stays fresh while a press passes
    plant: { gives: "doing.is === 'handed'" },
    depth: 3,
    found: 'a card press is sent by the browser without a block',
  },
  {
    at: 'pressed.F5', // a script that has the block may submit
    plant: 'never',
    setting: BY_PAGE,
    depth: 4,
    found: 'a submit by onEncrypted is refused, and nothing is ever sent',
  },
  {
    at: 'countsAsScripts.F5#1', // what a trusted click causes is the shopper's
    plant: 'nothing',
    setting: BY_PAGE,
    depth: 4,
    found: 'a press passes with a block, and the page could not refuse it',
  },
  {
    at: 'countsAsScripts.F5#2', // an overdue script may submit only what the browser can send
    plant: { gives: "state.doing.is !== 'idle'" },
    story:
      'a script presses after 30 s in a form that the browser cannot send: onEncrypted is called',
  },
  {
    at: 'accept.F5', // a new press takes the block from the script
    plant: { gives: 'state.block' },
    setting: BY_PAGE,
    depth: 6,
    found: 'the shopper reads press_again, and that is not true',
  },
  {
    at: 'pressed.F4', // what code of the page does while a press passes belongs to that press
    plant: { gives: 'accept(state, press)' },
    story: 'encrypt() while a press passes',
  },
  {
    at: 'pressed.F6', // a script cannot send a block that the shopper has withdrawn
    plant: 'never',
    story: 'onEncrypted submits the form, and the shopper has cancelled',
  },
  {
    at: 'pressedOther.F6#1', // a press that is no card payment takes the block out
    plant: { instead: "if (state.doing.is !== 'encrypting') return [state];" },
    depth: 5,
    found: 'a press that is no card payment carries a block',
  },
  {
    at: 'pressedOther.F6#2', // it ends a press that is made, and the shopper reads it
    plant: { gives: 'rest(next, IDLE)' },
    depth: 2,
    found: 'a press ends in silence',
  },
  {
    at: 'pressedOther.F6#2',
    plant: { gives: '[next]' },
    depth: 4,
    found: 'the card is sent although the shopper has pressed something else since',
  },
  {
    at: 'pressed.encrypting.F7', // one press at a time
    plant: { gives: 'accept(state, press)' },
    depth: 2,
    found: 'two presses at once',
  },
  {
    at: 'pressed.F7#2',
    plant: { gives: 'accept(state, press)' },
    depth: 3,
    found: 'a press is sent while one is on its way',
  },
  {
    at: 'accept.F8', // cardseal:submit can refuse each press
    plant: {
      gives:
        "state.block ? [{ ...next, owesSettled: false }, { do: 'gate', press }] : [next, { do: 'announce', press }]",
    },
    depth: 2,
    found: 'the shopper reads press_again, and that is not true',
  },
  {
    at: 'failed.F8', // a press that fails tells the shopper
    plant: { gives: 'rest(state, IDLE)' },
    depth: 2,
    found: 'a press ends in silence',
  },
  {
    at: 'isMadeForBrowser.F8', // with onEncrypted no submit passes
    plant: { gives: "kind === 'submit' && hasHandler !== null" },
    setting: BY_PAGE,
    depth: 3,
    found: 'the browser sends the form, although there is onEncrypted',
  },
  {
    at: 'dispatched.F9#1', // what was sent is not the script's any more
    plant: { gives: 'state' },
    setting: BY_PAGE,
    depth: 5,
    found: 'a press is sent while one is on its way',
  },
  {
    at: 'dispatched.F9#2', // a submit that the browser sends refuses other presses
    plant: { gives: 'rest(next, IDLE)' },
    depth: 3,
    found: 'a press is sent while one is on its way',
  },
  {
    at: 'dispatched.F9#3', // onEncrypted that is pending refuses other presses, also after a cancelled submit
    plant: 'never',
    setting: BY_PAGE,
    depth: 5,
    found: 'onEncrypted is called while its promise is pending',
  },
  {
    at: 'answered.F9', // onEncrypted that rejects tells the shopper
    plant: 'never',
    setting: BY_PAGE,
    depth: 4,
    found: 'a press ends in silence',
  },
  {
    at: 'timeout.F9', // a card that may be paid with does not stay on the screen
    plant: 'never',
    depth: 4,
    found: 'a card that may have been charged stays on the screen',
  },
  {
    at: 'lost.F9', // no response for 30 s is told
    plant: { gives: 'rest(state, next)' },
    depth: 4,
    found: 'no response comes, in silence',
  },
  {
    at: 'lost.F12', // a reset that is due takes effect then
    plant: 'never',
    setting: { hasHandler: true },
    depth: 5,
    found: 'a reset has left something of the card',
  },
  {
    at: 'announced.F10', // the block of another card goes when a new one is made
    plant: { gives: 'state' },
    depth: 4,
    found: 'the hidden input does not follow the state',
  },
  {
    at: 'unlessBegun.F10', // another card that was begun while onEncrypted worked
    plant: { gives: 'block' },
    setting: BY_PAGE,
    depth: 6,
    found: 'the card that is sent is not that of the press',
  },
  {
    at: 'changed.F10#1', // a change that nothing shows begins another card
    plant: 'never',
    depth: 5,
    found: 'the card that is sent is not that of the press',
  },
  {
    at: 'changed.F10#2', // a changed field takes the block out
    plant: { gives: '[state]' },
    depth: 4,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    at: 'collected.F10#1', // data that is collected asks for the way to pay
    plant: 'never',
    depth: 4,
    found: 'another way to pay is chosen, and a block goes with it',
  },
  {
    at: 'collected.F10#2', // data that is collected looks for another card
    plant: 'never',
    depth: 4,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    at: 'collected.F10#3', // a block that was collected may have been sent, so its age does not count
    plant: { gives: '[state]' },
    story: 'a block that a script has collected is sent again, however old it is',
  },
  {
    at: 'decide.resets.F12', // a reset takes the block out at once
    plant: { gives: '[state]' },
    depth: 4,
    found: 'a reset leaves the block in the data of the form',
  },
  {
    at: 'decide.reset.F12#1', // a reset drops the block
    plant: { instead: "if (state.doing.is !== 'handed') return [state];" },
    depth: 3,
    found: 'a reset has left something of the card',
  },
  {
    at: 'decide.reset.F12#2', // not while onEncrypted works
    plant: { gives: "[state, { do: 'nextCard' }]" },
    setting: BY_PAGE,
    depth: 4,
    found: 'a reset ends the press that onEncrypted still has',
  },
  {
    at: 'answered.F12', // but when it is done
    plant: 'never',
    setting: BY_PAGE,
    depth: 5,
    found: 'a reset has left something of the card',
  },
  {
    at: 'end.F12#1', // restart(), unbind() and leaving the page drop the block
    plant: { gives: 'state' },
    depth: 3,
    found: 'something of the card is left when the payment is over',
  },
  {
    at: 'end.F12#2', // and end the press
    plant: { gives: 'rest(dropped, state.doing)' },
    depth: 2,
    found: 'the form is busy when the payment is over',
  },
  {
    at: 'repeated.G9', // a repeat that the browser refuses in silence ends in a text
    plant: { gives: 'rest(state, IDLE)' },
    depth: 3,
    found: 'a press ends in silence',
  },
  {
    at: 'emptied.G12', // a card that is filled in again is not left beside the block
    plant: 'never',
    setting: BY_PAGE,
    depth: 3,
    found: 'a block is handed over with a card in the fields',
  },
  {
    at: 'decide.G13', // after `beforeunload`, nobody knows whether a payment is under way
    plant: { gives: '[state]' },
    depth: 4,
    found: 'the shopper reads payment_under_way, and that is not true',
  },
  {
    at: 'failed.G13', // a press that fails while the block is away tells no more than that
    plant: { gives: 'false' },
    story: 'onEncrypted submits the form to a wrong destination',
  },
  {
    at: 'answered.G13', // after a rejection, the next press is a press
    plant: { gives: 'state.block' },
    story: 'onEncrypted rejects, and a listener of cardseal:settled submits the form',
  },
];
