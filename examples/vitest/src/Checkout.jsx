import { bindCardForm } from 'cardseal/form';
import { useEffect, useRef } from 'react';

export function Checkout({ getKey, send }) {
  const form = useRef(null);
  useEffect(() => {
    const binding = bindCardForm(form.current, { key: getKey, onEncrypted: send });
    return () => binding.unbind();
  }, [getKey, send]);
  return (
    <form ref={form}>
      <input autoComplete="cc-number" />
      <input autoComplete="cc-name" />
      <input autoComplete="cc-exp" />
      <input autoComplete="cc-csc" />
      <button type="submit">Pay</button>
    </form>
  );
}
