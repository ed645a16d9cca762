import { useRef, useState } from 'react';
import { NOTHING_YET, type Outcome, requestKey, sendCard } from './payment.ts';
import { useCardForm } from './useCardForm';

export function Checkout() {
  const [{ text, asksForCard }, show] = useState(NOTHING_YET);
  return (
    <>
      <p role="status">{text}</p>
      {asksForCard && <CardForm show={show} />}
    </>
  );
}

function CardForm({ show }: { show: (outcome: Outcome) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const binding = useCardForm(form, {
    key: () => requestKey(show),
    async onEncrypted(card) {
      const { result } = await sendCard(JSON.stringify(card), show);
      if (result === 'not_paid') binding.current?.restart(); // for another card
    },
  });
  return (
    <form ref={form}>
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit">Pay</button>
    </form>
  );
}
