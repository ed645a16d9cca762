// payment.ts
// Your server's addresses: with the recipes of docs/server-routes.md, /checkout/key and /checkout/pay.
const KEY_ADDRESS = '/card-key';
const PAY_ADDRESS = '/pay';

/** How a payment went, and what the shopper reads about it. */
export interface Outcome {
  /** `not_paid`: restart the form for another card. `no_answer`: the next press asks again. */
  result: 'paid' | 'not_paid' | 'not_certain' | 'no_answer' | 'out_of_date';
  text: string;
  /** Whether to show the form: not if the shopper has paid, or must not pay on this page. */
  asksForCard: boolean;
}

const outcome = (result: Outcome['result'], text: string): Outcome => {
  return { result, text, asksForCard: result === 'not_paid' || result === 'no_answer' };
};

/** Before the first payment, and while an answer is on its way. */
export const NOTHING_YET = outcome('no_answer', '');

/** By the `status` that your server answers. */
const OUTCOMES: Record<string, Outcome> = {
  committed: outcome('paid', 'Thank you. You have paid.'),
  authorized: outcome('paid', 'Thank you. The amount is reserved on your card.'),
  failed: outcome('not_paid', 'Your card was declined. You have not paid. Please try another card.'),
  not_paid: outcome('not_paid', 'The payment could not be made. You have not paid.'),
  retry_is_safe: outcome('not_paid', 'Please enter your card again. You will not pay twice.'),
  invalid_encrypted_card: outcome('not_paid', 'The shop did not accept what was sent.'),
  no_order: outcome(
    'out_of_date',
    'This page is out of date. If you have pressed Pay before, please contact us. If not, reload it.',
  ),
  not_certain: outcome(
    'not_certain',
    'It is not certain whether you have paid. Please do not pay again, and contact us.',
  ),
};

/** The order gets no further key. */
const DECLINED_TOO_OFTEN: Outcome = {
  ...outcome('not_paid', 'Your card was declined, and no other card can be tried. Please contact us.'),
  asksForCard: false,
};

/** No answer came, or none that is known. Your server answers the same block with the same outcome. */
const LOST = outcome(
  'no_answer',
  'It is not certain whether you have paid. Press Pay again: you will not pay twice.',
);

/** The HTTP codes of your server's answers to a block, beside 200. */
const CODES: Record<string, number> = { invalid_encrypted_card: 400, no_order: 404 };

/** Whether a card may have been charged by a block whose outcome the page does not know. */
let mayHavePaid = false;

/** Counts the calls of `sendCard`. */
let lastCall = 0;

/** A server that knows no order cannot tell how an earlier block went. */
function outcomeOf(status: string, mayHavePaidBefore: boolean): Outcome | undefined {
  return OUTCOMES[status === 'no_order' && mayHavePaidBefore ? 'not_certain' : status];
}

/** Asks your server for a key. `show` tells the shopper if there is nothing left to pay. */
export async function requestKey(show?: (outcome: Outcome) => void) {
  const answer = await fetch(KEY_ADDRESS, { method: 'POST' });
  if (answer.status === 409) {
    const { status } = await answer.json();
    const told = status === 'failed' ? DECLINED_TOO_OFTEN : outcomeOf(status, mayHavePaid);
    show?.(told ?? OUTCOMES.not_certain!);
  }
  if (!answer.ok) throw new Error(`${KEY_ADDRESS} answered ${answer.status}`);
  return answer.json(); // { id, scheme, public_key }
}

/** Sends the encrypted card, as JSON text or in the data of a form. Never rejects. */
export async function sendCard(
  body: string | FormData,
  show?: (outcome: Outcome) => void,
): Promise<Outcome> {
  const own = ++lastCall;
  const mayHavePaidBefore = mayHavePaid;
  mayHavePaid = true; // until an answer says otherwise
  show?.(NOTHING_YET); // what was shown before is about another card
  const status = await statusOf(body);
  const answered = outcomeOf(status, mayHavePaidBefore) ?? LOST;
  // The shopper has pressed again since: the answer to that press counts.
  if (own !== lastCall && answered.result !== 'paid') return NOTHING_YET;
  const isUnclear = ['not_certain', 'no_answer'].includes(answered.result);
  mayHavePaid = isUnclear || status === 'retry_is_safe';
  if (answered.result === 'paid') lastCall++; // no later answer takes that back
  show?.(answered);
  return answered;
}

/** Empty if no answer came, or one that your server does not give with that code, as a gateway may. */
async function statusOf(body: string | FormData): Promise<string> {
  const headers = new Headers();
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  try {
    const answer = await fetch(PAY_ADDRESS, { method: 'POST', headers, body });
    const { status } = await answer.json();
    return answer.status === (CODES[status] ?? 200) || answer.status === 200 ? status : '';
  } catch {
    return '';
  }
}
