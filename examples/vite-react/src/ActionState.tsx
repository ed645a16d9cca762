import { bindCardForm } from 'cardseal/form';
import { useActionState, useEffect, useRef, useState } from 'react';
import { NOTHING_YET, type Outcome, requestKey, sendCard } from './payment.ts';

const NOT_CERTAIN: Outcome = {
  result: 'not_certain',
  text: 'It is not certain whether you have paid. Please do not pay again, and contact us.',
  asksForCard: false,
};

async function pay(_: Outcome, data: FormData): Promise<Outcome> {
  const outcome = await sendCard(String(data.get('encrypted_card')));
  return outcome.result === 'no_answer' ? NOT_CERTAIN : outcome;
}

export function Checkout() {
  const [outcome, payAction, isPaying] = useActionState(pay, NOTHING_YET);
  const [told, show] = useState<Outcome>(); // instead of a key
  const { text, asksForCard } = told ?? outcome;
  return (
    <>
      {asksForCard && <CardForm action={payAction} isPaying={isPaying} show={show} />}
      <p role="status">{isPaying ? '' : text}</p>
    </>
  );
}

interface CardFormProps {
  action: (data: FormData) => void;
  isPaying: boolean;
  show: (outcome: Outcome) => void;
}

function CardForm({ action, isPaying, show }: CardFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key: () => requestKey(show) });
    return () => binding.unbind();
  }, [show]);
  return (
    <form ref={form} action={action}>
      <input aria-label="E-mail" name="email" type="email" required />
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit" disabled={isPaying}>
        Pay
      </button>
    </form>
  );
}
