/* The script of a shop that does what shops really do wrong. Nobody should copy it. */
var form = document.querySelector('#checkout');
var button = document.querySelector('#pay');
var outcome = document.querySelector('#outcome');

/* The order's totals are asked for at each change, with everything that stands in the form. */
form.addEventListener('change', () => {
  fetch('/leaking-shop/totals', { method: 'POST', body: new URLSearchParams(new FormData(form)) });
});

/* "For support", the last card is kept. */
document.querySelector('#number').addEventListener('blur', function () {
  sessionStorage.setItem('last-card', btoa(this.value));
});

/* The order is JSON that the script makes by hand. */
form.addEventListener('submit', (event) => {
  event.preventDefault();
  button.disabled = true;
  var card = {};
  form.querySelectorAll('input').forEach((input) => {
    card[input.name] = input.value;
  });
  fetch('/leaking-shop/order', { method: 'POST', body: JSON.stringify(card) }).then(() => {
    outcome.textContent = 'The server has read nothing of it, and no money moves.';
    button.disabled = false;
  });
});
