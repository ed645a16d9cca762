// encrypt.ts
import { bindCardForm } from 'cardseal/form';
import { type Outcome, requestKey, sendCard } from './payment.ts';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const output = document.querySelector('output')!;
const show = ({ text, asksForCard }: Outcome) => {
  output.replaceChildren(text);
  if (asksForCard) return;
  binding.close(); // empties the card's fields
  form.remove();
};
const binding = bindCardForm(form, { key: () => requestKey(show) });

document.querySelector('#place-order')!.addEventListener('click', async () => {
  const card = await binding.encrypt();
  if (!card) return; // the shopper reads why
  const { result } = await sendCard(JSON.stringify(card), show);
  if (result === 'not_paid') binding.restart();
});
