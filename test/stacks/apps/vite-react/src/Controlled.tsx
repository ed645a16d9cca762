import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { requestKey, sendCard } from './payment.ts';

const EMPTY = { number: '', name: '', expiry: '', code: '' };

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  const [card, setCard] = useState(EMPTY);
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    const binding: CardFormBinding = bindCardForm(form.current!, {
      key: () => requestKey(setOutcome),
      async onEncrypted(block) {
        const { result, text } = await sendCard(JSON.stringify(block));
        setOutcome(text);
        if (result === 'not_paid') await binding.restart(); // opens the form for another card
      },
    });
    return () => binding.unbind();
  }, []);
  const bind = (field: keyof typeof EMPTY) => ({
    value: card[field],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
      setCard((card) => ({ ...card, [field]: target.value })),
  });
  return (
    <form ref={form}>
      <input aria-label="E-mail" name="email" type="email" required />
      <input aria-label="Card number" autoComplete="cc-number" {...bind('number')} />
      <input aria-label="Name on card" autoComplete="cc-name" {...bind('name')} />
      <input aria-label="Expiry date" autoComplete="cc-exp" {...bind('expiry')} />
      <input aria-label="Security code" autoComplete="cc-csc" {...bind('code')} />
      <button type="submit">Pay</button>
      <p role="status">{outcome}</p>
      <output>{JSON.stringify(card)}</output>
    </form>
  );
}
