'use client';

import { bindCardForm } from 'cardseal/form';
import { useEffect, useRef } from 'react';
import { requestKey } from '../payment';

export default function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key: () => requestKey() });
    return () => binding.unbind();
  }, []);
  return (
    <form ref={form} method="post" action="/pay">
      <input aria-label="E-mail" name="email" type="email" required />
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit">Pay</button>
    </form>
  );
}
