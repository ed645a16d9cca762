import { bindCheckout } from 'cardseal/pay';
import { formatCard } from './format-card.ts';

const form = document.getElementById('checkout') as HTMLFormElement;
const { url, outcome } = form.dataset;

formatCard(form);

form.addEventListener('cardseal:outcome', ({ detail }) => {
  if (detail.reference) location.reload(); // paid: the server has a receipt
});

bindCheckout(form, {
  url: url!,
  outcome: JSON.parse(outcome!),
  // An order on invoice passes by cardseal: the browser submits the form as it is.
  when: () => new FormData(form).get('payment_method') === 'card',
});
