/**
 * The rules of src/form/decide.ts, each taken out: the line that ends with the comment of its id is
 * replaced. The exploration has to find what is named, or a test has to fail that is named.
 */
import type { Setting } from './world.ts';

export interface TakenOut {
  rule: string;
  /** Which of the lines of the rule. */
  at: number;
  /** What stands there instead. */
  instead: string;
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
    rule: 'F3', // a repeat that is no card press any more is stopped
    at: 0,
    instead: 'const isStillMade = isMaking(state, press);',
    depth: 3,
    found: 'the library sends a form that is no card payment',
  },
  {
    rule: 'F3', // the gate lets only a fresh block of a card press pass
    at: 1,
    instead: 'const isRefused = !block || !isCard;',
    depth: 3,
    found: 'a press is repeated with another card on the screen',
  },
  {
    rule: 'F3',
    at: 1,
    instead: 'const isRefused = !block || !isFresh(state, input);',
    setting: BY_PAGE,
    depth: 3,
    found: 'onEncrypted is called although another way is chosen',
  },
  {
    rule: 'F4', // card submits and clicks of the page belong to the press that passes
    at: 0,
    instead: 'const isPart = (state: State, { kind }: Press) => kind === undefined;',
    depth: 3,
    found: 'code of the page cannot send while its press passes',
  },
  {
    rule: 'F4', // a block stays fresh while a press passes
    at: 1,
    instead: "doing.is === 'handed';",
    depth: 3,
    found: 'a card press is sent by the browser without a block',
  },
  {
    rule: 'F5', // a script that has the block may submit
    at: 0,
    instead: 'const mayPass = isPart(state, press);',
    setting: BY_PAGE,
    depth: 4,
    found: 'a submit by onEncrypted is refused, and nothing is ever sent',
  },
  {
    rule: 'F5', // what a trusted click causes is the shopper's
    at: 1,
    instead: '',
    setting: BY_PAGE,
    depth: 4,
    found: 'a press passes with a block, and the page could not refuse it',
  },
  {
    rule: 'F5', // an overdue script may submit only what the browser can send
    at: 2,
    instead: "doing.is !== 'idle';",
    story:
      'a script presses after 30 s in a form that the browser cannot send: onEncrypted is called',
  },
  {
    rule: 'F5', // a new press takes the block from the script
    at: 3,
    instead: 'block: state.block,',
    setting: BY_PAGE,
    depth: 6,
    found: 'the shopper reads press_again, and that is not true',
  },
  {
    rule: 'F6', // a script cannot send a block that the shopper has withdrawn
    at: 0,
    instead: '',
    story: 'onEncrypted submits the form, and the shopper has cancelled',
  },
  {
    rule: 'F6', // a press that is no card payment takes the block out
    at: 1,
    instead: "const [next, takeOut]: Step = [state, { do: 'clearTexts' }];",
    depth: 3,
    found: 'a press that is no card payment carries a block',
  },
  {
    rule: 'F6', // it ends a press that is made, and the shopper reads it
    at: 2,
    instead: 'const [idle, ...effects] = rest(next, IDLE);',
    depth: 2,
    found: 'a press ends in silence',
  },
  {
    rule: 'F6',
    at: 2,
    instead: 'const [idle, ...effects]: Step = [next];',
    depth: 4,
    found: 'the card is sent although the shopper has pressed something else since',
  },
  {
    rule: 'F7', // one press at a time
    at: 0,
    instead: 'return accept(state, press);',
    depth: 2,
    found: 'two presses at once',
  },
  {
    rule: 'F7',
    at: 1,
    instead: 'return accept(state, press);',
    depth: 3,
    found: 'a press is sent while one is on its way',
  },
  {
    rule: 'F8', // cardseal:submit can refuse each press
    at: 0,
    instead:
      "return state.block ? [{ ...next, owesSettled: false }, { do: 'gate', press }] : [next, { do: 'announce', press }];",
    depth: 2,
    found: 'the shopper reads press_again, and that is not true',
  },
  {
    rule: 'F8', // a press that fails tells the shopper
    at: 1,
    instead: 'const [next, ...effects] = rest(state, IDLE);',
    depth: 2,
    found: 'a press ends in silence',
  },
  {
    rule: 'F8', // with onEncrypted no submit passes
    at: 2,
    instead:
      "const isNative = ({ kind }: Press, hasHandler: boolean) => kind === 'submit' && hasHandler !== null;",
    setting: BY_PAGE,
    depth: 3,
    found: 'the browser sends the form, although there is onEncrypted',
  },
  {
    rule: 'F9', // what was sent is not the script's any more
    at: 0,
    instead: 'const next = state;',
    setting: BY_PAGE,
    depth: 5,
    found: 'a press is sent while one is on its way',
  },
  {
    rule: 'F9', // a submit that the browser sends refuses other presses
    at: 1,
    instead: 'return rest(next, IDLE);',
    depth: 3,
    found: 'a press is sent while one is on its way',
  },
  {
    rule: 'F9', // onEncrypted that is pending refuses other presses, also after a cancelled submit
    at: 2,
    instead: '',
    setting: BY_PAGE,
    depth: 5,
    found: 'onEncrypted is called while its promise is pending',
  },
  {
    rule: 'F9', // onEncrypted that rejects tells the shopper
    at: 3,
    instead: '',
    setting: BY_PAGE,
    depth: 4,
    found: 'a press ends in silence',
  },
  {
    rule: 'F9', // a card that may be paid with does not stay on the screen
    at: 4,
    instead: '',
    depth: 4,
    found: 'a card that may have been charged stays on the screen',
  },
  {
    rule: 'F9', // no response for 30 s is told
    at: 5,
    instead: 'return rest(state, next);',
    depth: 4,
    found: 'no response comes, in silence',
  },
  {
    rule: 'F10', // the block of another card goes when a new one is made
    at: 0,
    instead: "const [next, takeOut]: Step = [state, { do: 'takeOut' }];",
    depth: 4,
    found: 'the hidden input does not follow the state',
  },
  {
    rule: 'F10', // a change that nothing shows begins another card
    at: 1,
    instead: '',
    depth: 5,
    found: 'the card that is sent is not that of the press',
  },
  {
    rule: 'F10', // a changed field takes the block out
    at: 2,
    instead: 'return [state];',
    depth: 4,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    rule: 'F10', // data that is collected asks for the way to pay
    at: 3,
    instead: '',
    depth: 4,
    found: 'another way to pay is chosen, and a block goes with it',
  },
  {
    rule: 'F10', // data that is collected looks for another card
    at: 4,
    instead: '',
    depth: 4,
    found: 'a script sends the card of the press, but another one is on the screen',
  },
  {
    rule: 'F10', // a block that was collected may have been sent, so its age does not count
    at: 5,
    instead: 'return [state];',
    story: 'a block that a script has collected is sent again, however old it is',
  },
  {
    rule: 'F12', // a reset takes the block out at once
    at: 0,
    instead: 'return [state];',
    depth: 4,
    found: 'a reset leaves the block in the data of the form',
  },
  {
    rule: 'F12', // a reset drops the block
    at: 1,
    instead: "if (state.doing.is !== 'handed') return [state];",
    depth: 3,
    found: 'a reset has left something of the card',
  },
  {
    rule: 'F12', // not while onEncrypted works
    at: 2,
    instead: "return [state, { do: 'nextCard' }];",
    setting: BY_PAGE,
    depth: 4,
    found: 'a reset ends the press that onEncrypted still has',
  },
  {
    rule: 'F12', // but when it is done
    at: 3,
    instead: '',
    setting: BY_PAGE,
    depth: 5,
    found: 'a reset has left something of the card',
  },
  {
    rule: 'F12', // restart(), unbind() and leaving the page drop the block
    at: 4,
    instead: "const [dropped, takeOut]: Step = [state, { do: 'clearTexts' }];",
    depth: 3,
    found: 'something of the card is left when the payment is over',
  },
  {
    rule: 'F12', // and end the press
    at: 5,
    instead: 'const [next, ...effects] = rest(dropped, state.doing);',
    depth: 2,
    found: 'the form is busy when the payment is over',
  },
  {
    rule: 'G9', // a repeat that the browser refuses in silence ends in a text
    at: 0,
    instead: 'return rest(state, IDLE);',
    depth: 3,
    found: 'a press ends in silence',
  },
  {
    rule: 'G12', // a card that is filled in again is not left beside the block
    at: 0,
    instead: '',
    setting: BY_PAGE,
    depth: 3,
    found: 'a block is handed over with a card in the fields',
  },
  {
    rule: 'G13', // after `beforeunload`, nobody knows whether a payment is under way
    at: 0,
    instead: 'return [state];',
    depth: 4,
    found: 'the shopper reads payment_under_way, and that is not true',
  },
  {
    rule: 'G13', // a press that fails while the block is away tells no more than that
    at: 1,
    instead: 'const isOut = false;',
    story: 'onEncrypted submits the form to a wrong destination',
  },
  {
    rule: 'G13', // after a rejection, the next press is a press
    at: 2,
    instead: 'const mine = state.block;',
    story: 'onEncrypted rejects, and a listener of cardseal:settled submits the form',
  },
];
