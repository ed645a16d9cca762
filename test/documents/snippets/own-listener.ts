// own-listener.ts
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

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { result } = await sendCard(new FormData(form), show);
  if (result === 'not_paid') binding.restart(); // empties the card's fields, too, for another card
});
