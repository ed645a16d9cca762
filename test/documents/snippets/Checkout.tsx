import { useRef, useState } from 'react';
import { requestKey, sendCard } from './payment.ts';
import { useCardForm } from './useCardForm';

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  const [outcome, setOutcome] = useState('');
  useCardForm(form, {
    key: () => requestKey(setOutcome),
    async onEncrypted(card) {
      const { result, text } = await sendCard(JSON.stringify(card));
      setOutcome(text);
      if (result === 'not_paid') form.current?.reset(); // for another card, under another key
    },
  });
  return (
    <form ref={form}>
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit">Pay</button>
      <p role="status">{outcome}</p>
    </form>
  );
}
