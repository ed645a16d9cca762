import { CardEncryptionError, type CardField, encryptCard, prepareKey } from 'cardseal';
import { findProblems } from './problems.ts';

const form = find<HTMLFormElement>('checkout');
const button = form.querySelector('button')!;
const controls = {
  number: find<HTMLInputElement>('number'),
  name: find<HTMLInputElement>('name'),
  exp_month: find<HTMLSelectElement>('exp_month'),
  exp_year: find<HTMLSelectElement>('exp_year'),
  cvv: find<HTMLInputElement>('cvv'),
};
const fields = Object.keys(controls) as CardField[];

const preparedKey = prepareKey(JSON.parse(form.dataset.key!));
preparedKey.then(
  () => {
    button.disabled = false;
    say('');
  },
  () => startAgain('This browser cannot encrypt your card. Nothing was sent.'),
);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  show(findProblems(readCard()));
  if (form.querySelector('[aria-invalid]')) return;
  button.disabled = true;
  say('Paying …');
  try {
    const block = await encryptCard(await preparedKey, readCard());
    for (const field of fields) controls[field].value = '';
    await pay(JSON.stringify(block));
  } catch (error) {
    if (!(error instanceof CardEncryptionError)) throw error;
    if (!error.field) return startAgain('Your card could not be encrypted. Nothing was sent.');
    show({ [error.field]: error.code === 'card_too_long' ? 'This is too long; shorten it' : 'Check this' });
    say('');
    button.disabled = false; // nothing was encrypted: the key is still good
  }
});

// Out of the back/forward cache: the key may be spent, or the payment made.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

/** Afterwards the page itself shows how the payment went, also to a shopper who comes back to it. */
async function pay(block: string) {
  let answer: Response;
  try {
    answer = await fetch(form.action, { method: 'POST', headers: { 'content-type': 'application/json' }, body: block, redirect: 'manual' });
  } catch {
    return startAgain('We could not reach the shop, so it is not certain whether you have paid.', 'See how it went');
  }
  if (answer.type === 'opaqueredirect') location.replace(location.href);
  else startAgain('The shop could not take the payment. You have not paid.');
}

/** A new object for each use, because `encryptCard` empties it. */
function readCard() {
  return {
    number: controls.number.value.replaceAll(' ', '').replaceAll('-', ''),
    name: controls.name.value.trim(),
    exp_month: controls.exp_month.value,
    exp_year: controls.exp_year.value,
    cvv: controls.cvv.value.trim(),
  };
}

function show(problems: Partial<Record<CardField, string>>) {
  for (const field of fields) {
    const problem = problems[field];
    find(`${field}-problem`).textContent = problem ?? '';
    if (problem) controls[field].setAttribute('aria-invalid', 'true');
    else controls[field].removeAttribute('aria-invalid');
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
}

/** The form has served. */
function startAgain(why: string, link = 'Start again') {
  say(why);
  find('again').hidden = false;
  find('again').querySelector('a')!.textContent = link;
}

function say(text: string) {
  find('status').textContent = text;
}

function find<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
