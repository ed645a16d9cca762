// own-listener.ts
import { bindCardForm } from 'cardseal/form';
import { requestKey, sendCard } from './payment.ts';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const output = document.querySelector('output')!;
const show = (text: string) => output.replaceChildren(text);
const binding = bindCardForm(form, { key: () => requestKey(show) });

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { result, text } = await sendCard(new FormData(form));
  show(text);
  if (result === 'paid') {
    binding.unbind(); // empties the card's fields
    form.remove();
  }
  if (result === 'not_paid') binding.restart(); // empties them, too, for another card
});
