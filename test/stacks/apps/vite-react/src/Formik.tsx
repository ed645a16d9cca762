import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { useFormik } from 'formik';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { requestKey, sendCard } from './payment.ts';

export function Checkout() {
  const form = useRef<HTMLFormElement>(null);
  const binding = useRef<CardFormBinding>(null);
  const [outcome, setOutcome] = useState('');
  const body = useRef<FormData>(null);
  const { values, errors, handleChange, handleSubmit } = useFormik({
    initialValues: { email: '', number: '', holder: '', expiry: '', code: '' },
    validate: ({ email }) => (email ? {} : { email: 'Please enter your e-mail address.' }),
    async onSubmit() {
      const { result, text } = await sendCard(body.current!);
      setOutcome(text);
      // Opens the form for another card. After a success nobody needs another key.
      if (result === 'not_paid') await binding.current?.restart();
    },
  });
  useEffect(() => {
    const bound = bindCardForm(form.current!, { key: () => requestKey(setOutcome) });
    binding.current = bound;
    return () => bound.unbind();
  }, []);

  function submit(event: FormEvent<HTMLFormElement>) {
    body.current = new FormData(event.currentTarget); // e-mail and encrypted_card, nothing else
    handleSubmit(event);
  }

  // Formik finds a control without a name by its id.
  const card = (id: 'number' | 'holder' | 'expiry' | 'code') => ({
    id,
    value: values[id],
    onChange: handleChange,
  });
  return (
    <form ref={form} method="post" onSubmit={submit}>
      <input aria-label="E-mail" name="email" value={values.email} onChange={handleChange} />
      {errors.email && <p role="alert">{errors.email}</p>}
      <input aria-label="Card number" autoComplete="cc-number" {...card('number')} />
      <input aria-label="Name on card" autoComplete="cc-name" {...card('holder')} />
      <input aria-label="Expiry date" autoComplete="cc-exp" {...card('expiry')} />
      <input aria-label="Security code" autoComplete="cc-csc" {...card('code')} />
      <button type="submit">Pay</button>
      <p role="status">{outcome}</p>
      <output>{JSON.stringify(values)}</output>
    </form>
  );
}
