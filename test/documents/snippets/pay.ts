import { bindCheckout } from 'cardseal/pay';

const form = document.querySelector('form')!;
bindCheckout(form, { url: '/checkout' });
