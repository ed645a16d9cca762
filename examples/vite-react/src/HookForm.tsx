import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { NOTHING_YET, type Outcome, requestKey, sendCard } from './payment.ts';

const CARD = [
  { field: 'number', label: 'Card number', autoComplete: 'cc-number' },
  { field: 'holder', label: 'Name on card', autoComplete: 'cc-name' },
  { field: 'expiry', label: 'Expiry date', autoComplete: 'cc-exp' },
  { field: 'code', label: 'Security code', autoComplete: 'cc-csc' },
] as const;

export function Checkout() {
  const [{ text, asksForCard }, show] = useState(NOTHING_YET);
  return (
    <>
      <p role="status">{text}</p>
      {asksForCard && <CardForm show={show} />}
    </>
  );
}

/** `useForm` is in here, so that the card leaves its state with the form. */
function CardForm({ show }: { show: (outcome: Outcome) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const binding = useRef<CardFormBinding>(null);
  const { control, register, handleSubmit, formState } = useForm({
    defaultValues: { email: '', number: '', holder: '', expiry: '', code: '' },
  });
  useEffect(() => {
    const bound = bindCardForm(form.current!, { key: () => requestKey(show) });
    binding.current = bound;
    return () => bound.unbind();
  }, [show]);

  function submit(event: FormEvent<HTMLFormElement>) {
    const body = new FormData(event.currentTarget); // e-mail and encrypted_card, nothing else
    return handleSubmit(async () => {
      const { result } = await sendCard(body, show);
      if (result === 'not_paid') binding.current?.restart(); // for another card
    })(event);
  }

  return (
    <form ref={form} method="post" onSubmit={submit}>
      <input aria-label="E-mail" {...register('email', { required: true })} />
      {formState.errors.email && <p role="alert">Please enter your e-mail address.</p>}
      {CARD.map(({ field, label, autoComplete }) => (
        <Controller
          key={field}
          control={control}
          name={field}
          render={({ field: { name: _name, ...input } }) => (
            <input {...input} aria-label={label} autoComplete={autoComplete} />
          )}
        />
      ))}
      <button type="submit">Pay</button>
    </form>
  );
}
