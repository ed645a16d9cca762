// checkout-binding.ts
import { bindCheckout } from 'cardseal/pay';

const form = document.querySelector('form')!;
const binding = bindCheckout(form, { url: '/checkout' });

// When the component is removed:
export const onRemove = () => binding.unbind();
