// core.ts
import { type Card, encryptCard, prepareKey } from 'cardseal';

/** Asks your server for a key, `{ id, scheme, public_key }`, and checks it. One key encrypts one card. */
async function freshKey() {
  const answer = await fetch('/card-key', { method: 'POST' });
  if (!answer.ok) throw new Error(`/card-key answered ${answer.status}`);
  return prepareKey(await answer.json());
}

/** When the shopper pays. When the promise resolves, the card object is empty. */
export async function pay(card: Card): Promise<Response> {
  const block = await encryptCard(await freshKey(), card);
  const headers = { 'content-type': 'application/json' };
  return fetch('/pay', { method: 'POST', headers, body: JSON.stringify(block) });
}
