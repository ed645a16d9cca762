import { bindCardForm } from 'cardseal/form';

bindCardForm(document.querySelector<HTMLFormElement>('#checkout')!, {
  async key() {
    const answer = await fetch('/card-key', { method: 'POST' });
    if (!answer.ok) throw new Error(`/card-key answered ${answer.status}`);
    return answer.json(); // { id, scheme, public_key }
  },
});
