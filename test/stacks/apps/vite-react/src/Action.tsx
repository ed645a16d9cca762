import { bindCardForm } from 'cardseal/form';
import { useEffect, useRef, useState } from 'react';
import { requestKey, sendCard } from './payment.ts';

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key: () => requestKey() });
    return () => binding.unbind();
  }, []);

  async function pay(data: FormData) {
    setOutcome((await sendCard(String(data.get('encrypted_card')))).text);
  }

  return (
    <form ref={form} action={pay}>
      <input aria-label="E-mail" name="email" type="email" required />
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit">Pay</button>
      <p role="status">{outcome}</p>
    </form>
  );
}
