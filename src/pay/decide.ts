import { type CheckoutResponse, closesPage, type OutcomeStatus } from './texts.ts';

/**
 * The rules of a page with one order. This file knows no page and no network. Each function takes
 * what is known of the order and what has happened, and returns what is known afterwards and what
 * the shopper is told. `bind-checkout.ts` does what these functions say.
 *
 * A block is **out** from when it is sent until an answer speaks of it. Until then it may still
 * arrive at the shop, and charge the card.
 *
 * The rules. The comment `P3` stands beside the code of rule P3.
 *
 * - P1: When nothing can be paid on the page any more, nothing changes that.
 * - P2: A text about a try goes at the next press of any kind. What became of the last try is told
 *   once, and not after a press that follows it. A block that is sent is a new try. If the browser
 *   shows a page again that it has kept, the text goes, too, and the next answer tells anew.
 * - P3: An answer to a block speaks of that block. Any other answer speaks of the block that its
 *   `key_id` names; without a name, of the newest one of this page, and if that is `retry_is_safe`,
 *   which never has a name, of none.
 * - P4: `no_order` and `invalid_encrypted_card` say that nothing was sent now. They speak of one
 *   sending of a block, and of no other one of the same block.
 * - P5: Nobody reads "not paid" while another block is out: it may still charge the card. The
 *   shopper reads `retry_is_safe`, also of an order that is open and knows of no try. If the order
 *   gets no further key, no block of it is sent either.
 * - P6: Nobody reads `no_order` while a block is out, or while a doubt stands whether the order is
 *   paid. The shopper reads `not_certain`. An answer that says "not paid" ends the doubt.
 * - P7: Without a key nothing can be paid. An order that gets no further key closes the page.
 * - P8: A block that is out, and a doubt, stay so when the form is bound again: the answer to it
 *   tells. A form that is bound for another order, or on a page that was closed, begins anew.
 */

/** What a page knows of its order. */
export interface Known {
  /** The id of the order, if the page has it. */
  readonly order: string | undefined;
  /** Whether nothing can be paid on the page any more. */
  readonly isClosed: boolean;
  /** The key ids of the blocks that are out: one for each time that a block was sent. */
  readonly out: readonly string[];
  /** The key id of the block that this page has sent last, whether it is out or not. */
  readonly newest: string | undefined;
  /** Whether the newest answer about a try leaves open whether the order is paid. */
  readonly isUnclear: boolean;
  /**
   * What the shopper has been told of the last try:
   *
   * - `nothing`: and they do not know it either.
   * - `text`: a text stands on the page.
   * - `enough`: they have read it, or have pressed since.
   */
  readonly told: 'nothing' | 'text' | 'enough';
}

/** An outcome of the order, and not a reason why there is none. */
export type Outcome = CheckoutResponse & { status: OutcomeStatus };

/** What an answer is about: the request for the outcome or for a key, or a block, by its key id. */
export type Asked = { for: 'outcome' } | { for: 'key' } | { for: 'payment'; key: string };

/** `tell` is there only if the shopper is told something now. */
export interface Decision {
  known: Known;
  tell?: Outcome;
}

/** Nothing is known of the order but its id, if the page names it. */
export function onBegin(order: string | undefined): Known {
  return {
    order,
    isClosed: false,
    out: [],
    newest: undefined,
    isUnclear: false,
    told: 'nothing',
  };
}

/** The form is bound again, for the same address. `undefined`: it begins anew. */
export function onBindAgain(known: Known, order: string | undefined): Known | undefined {
  const isSame = order === undefined || order === known.order;
  const goesOn = isSame && !known.isClosed && (known.out.length > 0 || known.isUnclear); // P8
  return goesOn ? { ...known, told: 'nothing' } : undefined;
}

/** The shopper has pressed: a text is about the try before. */
export function onPress(known: Known): Decision {
  return withoutText(known, 'enough');
}

/** The browser shows the page again, after the shopper has left it: much may have happened. */
export function onRestored(known: Known): Decision {
  return withoutText(known, 'nothing');
}

function withoutText(known: Known, told: 'enough' | 'nothing'): Decision {
  if (known.isClosed) return { known }; // P1
  const after: Known = { ...known, told }; // P2
  return known.told === 'text' ? { known: after, tell: { status: 'open' } } : { known: after };
}

/** A block is sent. The browser may keep the page, and not the request: a later answer tells. */
export function onSent(known: Known, key: string): Decision {
  return withoutText({ ...known, out: [...known.out, key], newest: key }, 'nothing'); // P2
}

/** Nobody knows how the order stands. Before a block is sent, the request for a key tells. */
export function onNoOutcome(known: Known): Decision {
  if (known.out.length === 0) return { known };
  return onAnswer(known, { status: 'retry_is_safe' }, { for: 'outcome' }); // P8
}

/** The shop has answered. A request that is not answered changes nothing. */
export function onAnswer(known: Known, answer: Outcome, asked: Asked): Decision {
  if (known.isClosed) return { known }; // P1
  const out = outAfter(known, answer, asked);
  const hasNoKey = getsNoKey(answer, asked);
  const tell = meaningOf(answer, { ...known, out }, hasNoKey);
  const after: Known = {
    ...known,
    order: answer.order ?? known.order,
    isClosed: hasNoKey || closesPage(tell.status),
    out,
    isUnclear: saysUnclear(answer) || (known.isUnclear && !saysNotPaid(answer)), // P6
  };
  const isNews = tell.status !== 'open' || (tell.last && known.told === 'nothing'); // P2
  return isNews ? { known: { ...after, told: 'text' }, tell } : { known: after };
}

function outAfter({ out, newest }: Known, answer: Outcome, asked: Asked): readonly string[] {
  if (asked.for !== 'payment') {
    const unnamed = answer.last === 'retry_is_safe' ? undefined : newest;
    const named = answer.last && (answer.key_id ?? unnamed); // P3
    return out.filter((key) => key !== named);
  }
  if (answer.status !== 'no_order' && answer.status !== 'invalid_encrypted_card')
    return out.filter((key) => key !== asked.key); // P3
  const sending = out.lastIndexOf(asked.key);
  return out.filter((_, i) => i !== sending); // P4
}

/** P7. An order whose outcome is `failed` gets no further key. */
function getsNoKey(answer: Outcome, asked: Asked): boolean {
  return asked.for === 'key' ? !answer.key : asked.for === 'outcome' && answer.status === 'failed';
}

/** What is true for the shopper, whatever becomes of the blocks that are out. */
function meaningOf(answer: Outcome, { order, out, isUnclear }: Known, hasNoKey: boolean): Outcome {
  const isOut = out.length > 0;
  if (answer.status === 'no_order')
    return isOut || isUnclear ? { status: 'not_certain', order } : answer; // P6
  const isOpen = answer.status === 'open';
  const maySayTooMuch = saysNotPaid(answer) || (isOpen && !answer.last);
  if (!maySayTooMuch || !isOut || hasNoKey) return answer;
  return isOpen ? { status: 'open', last: 'retry_is_safe' } : { status: 'retry_is_safe' }; // P5
}

const saysUnclear = ({ status, last }: Outcome): boolean => (last ?? status) === 'retry_is_safe';

const saysNotPaid = ({ status, last }: Outcome): boolean =>
  ['failed', 'not_paid'].includes(last ?? status);
