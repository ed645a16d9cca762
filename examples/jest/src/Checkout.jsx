import { bindCardForm } from 'cardseal/form';
import { useEffect, useEffectEvent, useRef } from 'react';

export function Checkout({ getKey, send }) {
  const form = useRef(null);
  // With new functions from the parent, the form stays bound: a press that is under way goes on.
  const key = useEffectEvent(getKey);
  const onEncrypted = useEffectEvent(send);
  useEffect(() => {
    const binding = bindCardForm(form.current, { key, onEncrypted });
    return () => binding.unbind();
  }, []);
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
