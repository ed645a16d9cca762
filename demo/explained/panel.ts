/**
 * The explanation beside the checkout. It only listens: to the form's controls, to what cardseal
 * tells, and to the demo's server.
 */
import type { CardEncryptionError } from 'cardseal';
import { cardControl, readFields } from './fields.ts';
import { type Scene, stations } from './stations.ts';
import { isTestNumber, TEST_CARDS, type TestCard } from './test-cards.ts';
import type { Fault, Trail } from './trail.ts';

const form = document.getElementById('checkout') as HTMLFormElement | null;
const faults = document.querySelectorAll<HTMLInputElement>('[name=fault]');
const announcement = document.querySelector('.announcement')!;

let trail: Trail = { fault: 'none', intents: [] };
let error: CardEncryptionError | undefined;
/** The key of a payment that the shopper has gone on from, by beginning with another card. */
let over: string | undefined;
/** One switch after the other, however fast the arrow keys are. */
let choosing = Promise.resolve();
/** How many switches are under way. Until they are done, the server tells of earlier ones. */
let unsettledChoices = 0;
let chosen: TestCard = TEST_CARDS[0]!;

if (form) listen(form);
draw();

const events = new EventSource('/explained/trail');
events.addEventListener('message', ({ data }) => {
  const before = trail;
  trail = JSON.parse(data);
  if (!unsettledChoices) for (const radio of faults) radio.checked = radio.value === trail.fault;
  draw();
  announce(before);
});

function listen(checkout: HTMLFormElement) {
  checkout.addEventListener('input', ({ target }) => {
    if (error?.field) error = undefined;
    // A value: cardseal empties the fields one by one, which is no other card
    if ((target as HTMLInputElement).value) over = trail.left?.key_id;
    draw();
  });
  checkout.addEventListener('cardseal:ready', () => settle(undefined));
  checkout.addEventListener('cardseal:encrypted', () => settle(undefined));
  checkout.addEventListener('cardseal:error', ({ detail }) => settle(detail));
  for (const button of document.querySelectorAll<HTMLElement>('[data-card]')) {
    button.addEventListener('click', () =>
      fill(checkout, TEST_CARDS[Number(button.dataset.card)]!),
    );
  }
  for (const radio of faults) {
    radio.addEventListener('change', () => {
      unsettledChoices += 1;
      choosing = choosing
        .then(() => choose(checkout, radio.value as Fault))
        .catch(reportError)
        .finally(() => {
          unsettledChoices -= 1;
        });
    });
  }
}

function settle(found: CardEncryptionError | undefined) {
  error = found;
  draw();
  if (found) say(`${found.code}. ${found.message}`);
}

/** As a shopper would: by input events. */
function fill(checkout: HTMLFormElement, card: TestCard) {
  chosen = card;
  const values = {
    'cc-number': card.number,
    'cc-name': card.name,
    'cc-exp': `12${(new Date().getUTCFullYear() + 3) % 100}`,
    'cc-csc': card.cvv,
  };
  for (const [token, value] of Object.entries(values)) {
    const control = cardControl(checkout, token);
    control.value = value;
    for (const type of ['input', 'change'])
      control.dispatchEvent(new Event(type, { bubbles: true }));
  }
  say('The test card is in the form.');
}

async function choose(checkout: HTMLFormElement, fault: Fault) {
  await fetch('/explained/fault', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  // As if the page came back out of the back/forward cache: the form forgets its card and asks for
  // another key, which is what goes wrong.
  const keyHasCome = untilKey(checkout);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  const declined = TEST_CARDS.find(({ outcome }) => outcome !== 'approved')!;
  fill(
    checkout,
    fault === 'declined' ? declined : chosen.outcome === 'approved' ? chosen : TEST_CARDS[0]!,
  );
  await keyHasCome;
}

/** Resolves when the form has its key, or knows that none comes: then the next switch may begin. */
function untilKey(checkout: HTMLFormElement): Promise<void> {
  return new Promise((resolve) => {
    for (const type of ['cardseal:ready', 'cardseal:error'])
      checkout.addEventListener(type, () => resolve(), { once: true });
  });
}

function draw() {
  const { left } = trail;
  const isOver = left !== undefined && left.key_id === over;
  const scene: Scene = {
    trail: isOver
      ? { fault: trail.fault, intents: trail.intents, ...(trail.key && { key: trail.key }) }
      : trail,
    fields: form ? readFields(form) : [],
    isTestCard: form !== null && isTestNumber(readFields(form)[0]!.characters.join('')),
    error,
  };
  for (const [id, { state, word, story }] of Object.entries(stations(scene))) {
    const station = document.getElementById(`station-${id}`)!;
    station.dataset.state = state;
    station.querySelector('.state')!.textContent = word;
    station.querySelector('.story')!.replaceChildren(...story);
  }
}

/** In one sentence, what is new. */
function announce({ left, answer, refusal }: Trail) {
  if (trail.answer && JSON.stringify(trail.answer) !== JSON.stringify(answer))
    say(`The service answered: ${outcome(trail.answer)}.`);
  else if (trail.refusal && !refusal)
    say(`The merchant’s server sent no block to the service: ${trail.refusal.code}.`);
  else if (trail.left && trail.left.key_id !== left?.key_id)
    say(`${trail.left.payload.bytes} bytes of ciphertext have left the page.`);
}

function outcome(answer: NonNullable<Trail['answer']>): string {
  if ('code' in answer) return answer.code;
  const { states, failure_reason } = trail.intents.find(({ id }) => id === answer.intent)!;
  const { status } = states.at(-1)!;
  return failure_reason ? `${status}, ${failure_reason}` : status;
}

function say(text: string) {
  announcement.textContent = text;
}
