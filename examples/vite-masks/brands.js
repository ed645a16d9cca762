import creditCardType from 'credit-card-type';

const ACCEPTED = ['visa', 'mastercard', 'american-express'];
const form = document.querySelector('#checkout');
const number = document.querySelector('#number');
const code = document.querySelector('#code');
const shownBrand = document.querySelector('#brand');

number.addEventListener('input', () => {
  const digits = number.value.replace(/\D/g, '');
  const brands = digits ? creditCardType(digits) : [];
  const [brand] = brands.length === 1 ? brands : [];
  shownBrand.textContent = brand?.niceType ?? '';
  code.maxLength = brand?.code.size ?? 4;
});

// The browser submits nothing while one of these texts is set.
form.addEventListener('input', () => {
  number.setCustomValidity('');
  code.setCustomValidity('');
});

form.addEventListener('cardseal:submit', (event) => {
  const digits = number.value.replace(/\D/g, '');
  const brands = creditCardType(digits);
  const isAccepted = brands.some(({ type }) => ACCEPTED.includes(type));
  const hasCode = !code.value || brands.some(({ code: { size } }) => code.value.length === size);
  number.setCustomValidity(isAccepted ? '' : 'We accept Visa, Mastercard and American Express.');
  code.setCustomValidity(hasCode ? '' : 'The code of this card has another length.');
  if (number.reportValidity() && code.reportValidity()) return;
  event.preventDefault(); // the shopper corrects it and presses again
});
