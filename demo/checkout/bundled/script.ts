import type { CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm } from 'cardseal/form';

const form = document.getElementById('checkout') as HTMLFormElement;
const status = document.getElementById('status')!;
const notice = document.getElementById('notice')!;

const UNCERTAIN =
  'We could not reach the shop, so it is not certain whether you have paid. ' +
  'Press Pay again: you will not pay twice.';

/**
 * The status says that the encryption is being prepared. What goes wrong is told by cardseal when
 * the shopper presses.
 */
const preparing = status.textContent;
for (const type of ['cardseal:ready', 'cardseal:error']) {
  form.addEventListener(type, () => {
    if (status.textContent === preparing) status.textContent = '';
  });
}

const binding = bindCardForm(form, {
  key: () => requestKey(),
  onEncrypted: pay,
  when: isCardPayment,
});

/** An order on invoice passes by cardseal: the browser submits the form as it is. */
function isCardPayment(): boolean {
  return new FormData(form).get('payment_method') === 'card';
}

/** The server lets one address have few keys at a time: with status 429 it asks to wait. */
const WAIT_MS = 1000;

async function requestKey(): Promise<CardEncryptionKey> {
  const answer = await fetch(form.dataset.keyUrl!, { method: 'POST' });
  if (answer.status === 429) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    return requestKey(); // until the library's own time limit for a key has passed
  }
  // 409: nothing is left to pay, and the page shows why. 403: the server has forgotten this
  // shopper or knows another order of theirs, and the page begins anew.
  const isOver = answer.status === 409 || answer.status === 403;
  // Without cookies it would reload for ever
  if (isOver && navigator.cookieEnabled) location.reload();
  if (!answer.ok) throw new Error('The server has no key for us');
  return answer.json();
}

/**
 * Until `restart`, pressing the button again sends the same block: the server charges it once,
 * however often it arrives.
 */
async function pay(block: EncryptedCard) {
  notice.textContent = '';
  status.textContent = 'Paying …';
  const outcome: Outcome = await post(block).catch(() => ({ notice: UNCERTAIN }));
  if (outcome.page) return location.replace(outcome.page);
  // The page itself shows how the payment went, also to a shopper who comes back to it.
  if (outcome.notice === undefined) return location.reload();
  status.textContent = '';
  notice.textContent = outcome.notice;
  notice.focus();
  // If no new key comes, `cardseal:error` has told the shopper.
  if (outcome.notice !== UNCERTAIN) await binding.restart().catch(() => {});
}

/**
 * What the server says: where the shopper is to go, or why the shopper has to enter a card again.
 */
interface Outcome {
  page?: string;
  notice?: string;
}

async function post(block: EncryptedCard): Promise<Outcome> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(block);
  const answer = await fetch(form.action, { method: 'POST', headers, body });
  if (answer.status === 400) return { notice: 'The shop did not accept what was sent.' };
  // A proxy may have answered, after the shop was paid.
  if (!answer.ok) return { notice: UNCERTAIN };
  return answer.json();
}
