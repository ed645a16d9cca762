// card-form-binding.ts
import { bindCardForm } from 'cardseal/form';
import { testKey } from 'cardseal/testing'; // in a shop: ask your server for a key
import { sendCard } from './payment.ts'; // docs/payment.md

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const binding = bindCardForm(form, { key: () => testKey() });

document.querySelector('#place-order')!.addEventListener('click', async () => {
  const block = await binding.encrypt();
  if (!block) return; // the shopper reads why
  const { result, text, asksForCard } = await sendCard(JSON.stringify(block));
  document.querySelector('output')!.replaceChildren(text);
  if (result === 'not_paid') binding.restart(); // for another card
  if (!asksForCard) binding.close();
});

// When the component is removed:
export const onRemove = () => binding.unbind();
