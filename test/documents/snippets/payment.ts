// payment.ts
/** How a payment went, and what the shopper reads about it. */
export interface Outcome {
  /** `not_certain`: the card may have been charged. Do not ask for another card. */
  result: 'paid' | 'not_paid' | 'not_certain';
  text: string;
}

const NOT_CERTAIN: Outcome = {
  result: 'not_certain',
  text: 'It is not certain whether you have paid. Please do not pay again, and contact us.',
};

/** No answer came, or none that is known. Your server answers the same block with the same outcome. */
const LOST: Outcome = {
  result: 'not_certain',
  text: 'It is not certain whether you have paid. Press Pay again: you will not pay twice.',
};

/** The outcomes by the `status` that your server answers. */
const OUTCOMES: Record<string, Outcome> = {
  committed: { result: 'paid', text: 'Thank you. You have paid.' },
  authorized: { result: 'paid', text: 'Thank you. The amount is reserved on your card.' },
  failed: {
    result: 'not_paid',
    text: 'Your card was declined. You have not paid. Please try another card.',
  },
  expired: {
    result: 'not_paid',
    text: 'That took too long. You have not paid. Please enter your card again.',
  },
  not_paid: { result: 'not_paid', text: 'The payment could not be made. You have not paid.' },
  invalid_encrypted_card: {
    result: 'not_paid',
    text: 'The shop did not accept what was sent. You have not paid.',
  },
  not_certain: NOT_CERTAIN,
};

/** Asks your server for a key. `show` tells the shopper how the payment went, if none is left to make. */
export async function requestKey(show?: (text: string) => void) {
  const answer = await fetch('/card-key', { method: 'POST' });
  if (answer.status === 409) {
    const { status } = await answer.json();
    show?.((OUTCOMES[status] ?? NOT_CERTAIN).text);
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
