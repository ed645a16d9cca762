import type { CardEncryptionErrorCode, CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm } from 'cardseal/form';

const form = document.getElementById('checkout') as HTMLFormElement;
const status = document.getElementById('status')!;

const UNCERTAIN = 'We could not reach the shop, so it is not certain whether you have paid. Press Pay again: you will not pay twice.';

/** What the status says of the encryption, as long as that is not ready. */
let concern = status.textContent;
form.addEventListener('cardseal:ready', () => {
  if (status.textContent === concern) status.textContent = '';
});
form.addEventListener('cardseal:error', ({ detail }) => {
  if (!detail.field) status.textContent = concern = tell(detail.code); // else the field says it
});
form.addEventListener('input', showProblems);
form.addEventListener(
  'invalid',
  (event) => {
    event.preventDefault(); // the browser would show the first message only, and only for a while
    showProblems();
    form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  },
  true,
);

const binding = bindCardForm(form, { key: requestKey, onEncrypted: pay });
form.querySelector('button')!.disabled = false;

async function requestKey(): Promise<CardEncryptionKey> {
  const answer = await fetch('/checkout/key', { method: 'POST' });
  if (answer.status === 409) location.reload(); // nothing is left to pay; the page shows why
  if (!answer.ok) throw new Error('The server has no key for us');
  return answer.json();
}

/** Until `restart`, pressing the button again sends the same block: the server charges it once, however often it arrives. */
async function pay(block: EncryptedCard) {
  status.textContent = 'Paying …';
  const notice = await post(block).catch(() => UNCERTAIN);
  if (notice === undefined) return location.reload(); // the page itself shows how the payment went, also to a shopper who comes back to it
  status.textContent = notice;
  if (notice !== UNCERTAIN) await binding.restart().catch(() => {}); // cardseal:error has told it
}

/** Why the shopper has to enter a card again; `undefined` if there is no need to. */
async function post(block: EncryptedCard): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(form.action, { method: 'POST', headers, body: JSON.stringify(block) });
  if (answer.status >= 500) return UNCERTAIN;
  return answer.ok ? (await answer.json()).notice : 'The shop could not take the payment. You have not paid.';
}

/** What is wrong stands below each field until it is corrected. */
function showProblems() {
  for (const control of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
    document.getElementById(`${control.id}-problem`)!.textContent = control.validationMessage;
  }
}

function tell(code: CardEncryptionErrorCode): string {
  if (code === 'key_unavailable') return 'The shop cannot take payments right now. You have not paid. Press Pay to try again.';
  return 'Your card could not be encrypted here. Nothing was sent.';
}
