// card-form-binding.ts
import { bindCardForm } from 'cardseal/form';
import { testKey } from 'cardseal/testing'; // in a shop: ask your server for a key

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const binding = bindCardForm(form, { key: () => testKey() });
await binding.ready;

async function pay(): Promise<void> {
  const block = await binding.encrypt();
  if (!block) return; // the shopper reads why
  const answer = await fetch('/pay', { method: 'POST', body: JSON.stringify(block) });
  const { status } = await answer.json();
  if (status === 'failed') await binding.restart(); // for another card
  else binding.close(); // paid
}

document.querySelector('#place-order')!.addEventListener('click', () => {
  if (!binding.isBusy) void pay();
});
// When the component is removed:
window.addEventListener('pagehide', () => binding.unbind());
