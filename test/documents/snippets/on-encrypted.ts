// on-encrypted.ts
import { bindCardForm } from 'cardseal/form';
import { requestKey, sendCard } from './payment.ts';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
const output = document.querySelector('output')!;
const show = (text: string) => output.replaceChildren(text);
const binding = bindCardForm(form, {
  key: () => requestKey(show),
  async onEncrypted(card) {
    const { result, text } = await sendCard(JSON.stringify(card));
    show(text);
    if (result === 'paid') form.remove();
    if (result === 'not_paid') binding.restart(); // opens the form for another card
  },
});
