import { bindCardForm } from 'cardseal/form';
import { useActionState, useEffect, useRef } from 'react';
import { requestKey, sendCard } from './payment.ts';

const NOT_CERTAIN = 'It is not certain whether you have paid. Please contact us.';

async function pay(_outcome: string, data: FormData): Promise<string> {
  const { result, text } = await sendCard(String(data.get('encrypted_card')));
  return result === 'not_certain' ? NOT_CERTAIN : text;
}

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  const [outcome, payAction, isPaying] = useActionState(pay, '');
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key: () => requestKey() });
    return () => binding.unbind();
  }, []);
  return (
    <form ref={form} action={payAction}>
      <input aria-label="E-mail" name="email" type="email" required />
      <input aria-label="Card number" autoComplete="cc-number" inputMode="numeric" />
      <input aria-label="Name on card" autoComplete="cc-name" />
      <input aria-label="Expiry date" autoComplete="cc-exp" placeholder="MM/YY" />
      <input aria-label="Security code" autoComplete="cc-csc" inputMode="numeric" />
      <button type="submit" disabled={isPaying}>
        Pay
      </button>
      <p role="status">{outcome}</p>
    </form>
  );
}
