import { bindCardForm } from 'cardseal/form';

bindCardForm(document.querySelector<HTMLFormElement>('#checkout')!, {
  key: async () => (await fetch('/card-key', { method: 'POST' })).json(),
});
