import { bindCardForm } from 'cardseal/form';

/** After any other status, the card may have been charged. */
const NOT_PAID = ['failed', 'not_paid', 'retry_is_safe'];

const form = document.querySelector('#checkout');
const binding = bindCardForm(form, {
  key: async () => (await fetch('/card-key', { method: 'POST' })).json(),
  async onEncrypted(block) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/pay', { method: 'POST', headers, body: JSON.stringify(block) });
    const { status } = await answer.json();
    document.querySelector('[role=status]').textContent = status;
    if (NOT_PAID.includes(status)) await binding.restart(); // open the form for another card
    else form.remove();
  },
});
