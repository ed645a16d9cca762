// encrypt.ts
import { bindCardForm } from 'cardseal/form';
import { requestKey, sendCard } from './payment.ts';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const output = document.querySelector('output')!;
const show = (text: string) => output.replaceChildren(text);
const binding = bindCardForm(form, { key: () => requestKey(show) });

document.querySelector('#place-order')!.addEventListener('click', async () => {
  const card = await binding.encrypt();
  if (!card) return; // the shopper reads why
  const { result, text } = await sendCard(JSON.stringify(card));
  show(text);
  if (result === 'paid') form.remove();
  if (result === 'not_paid') binding.restart();
});
