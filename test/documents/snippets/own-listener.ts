// own-listener.ts
import { bindCardForm } from 'cardseal/form';
import { requestKey, sendCard } from './payment.ts';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const output = document.querySelector('output')!;
const show = (text: string) => output.replaceChildren(text);

bindCardForm(form, { key: () => requestKey(show) });

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { result, text } = await sendCard(new FormData(form));
  show(text);
  // Empties all fields, drops the block and asks for a new key. Not certain: keep the block.
  if (result !== 'not_certain') form.reset();
});
