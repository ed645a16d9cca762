// payment.ts
/** How a payment went, and what the shopper reads about it. */
export interface Outcome {
  /** `not_certain`: the card may have been charged. Do not ask for another card. */
  result: 'paid' | 'not_paid' | 'not_certain';
  text: string;
}

const outcome = (result: Outcome['result'], text: string): Outcome => ({ result, text });

/** By the `status` that your server answers. */
const OUTCOMES: Record<string, Outcome> = {
  committed: outcome('paid', 'Thank you. You have paid.'),
  authorized: outcome('paid', 'Thank you. The amount is reserved on your card.'),
  failed: outcome('not_paid', 'Your card was declined. You have not paid. Please try another card.'),
  not_paid: outcome('not_paid', 'The payment could not be made. You have not paid.'),
  retry_is_safe: outcome('not_paid', 'Please enter your card again. You will not pay twice.'),
  invalid_encrypted_card: outcome('not_paid', 'The shop did not accept what was sent.'),
  not_certain: outcome(
    'not_certain',
    'It is not certain whether you have paid. Please do not pay again, and contact us.',
  ),
};

/** No answer came, or none that is known. Your server answers the same block with the same outcome. */
const LOST = outcome(
  'not_certain',
  'It is not certain whether you have paid. Press Pay again: you will not pay twice.',
);

/** Asks your server for a key. `show` tells the shopper if there is nothing left to pay. */
export async function requestKey(show?: (text: string) => void) {
  const answer = await fetch('/card-key', { method: 'POST' });
  if (answer.status === 409) {
    const { status } = await answer.json();
    show?.((OUTCOMES[status] ?? OUTCOMES.not_certain!).text);
  }
  if (!answer.ok) throw new Error(`/card-key answered ${answer.status}`);
  return answer.json(); // { id, scheme, public_key }
}

/** Sends the encrypted card: as JSON text, or in the data of a form. Never rejects. */
export async function sendCard(body: string | FormData): Promise<Outcome> {
  const headers = new Headers();
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  try {
    const answer = await fetch('/pay', { method: 'POST', headers, body });
    const { status } = await answer.json();
    return OUTCOMES[status] ?? LOST;
  } catch {
    return LOST;
  }
}
