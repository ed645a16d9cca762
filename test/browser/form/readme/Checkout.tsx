import { bindCardForm } from 'cardseal/form';
import { useEffect, useRef } from 'react';

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const key = async () => (await fetch('/card-key', { method: 'POST' })).json();
    const binding = bindCardForm(form.current!, { key });
    return () => binding.unbind();
  }, []);
  return (
    <form ref={form} method="post" action="/pay">
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit">Pay</button>
    </form>
  );
}
