import type { CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm } from 'cardseal/form';
import { useEffect, useEffectEvent, useRef } from 'react';

interface Props {
  getKey(): CardEncryptionKey;
  send(card: EncryptedCard): void;
}

export function Checkout({ getKey, send }: Props) {
  const form = useRef<HTMLFormElement>(null);
  // With new functions from the parent, the form stays bound: a press that is under way goes on.
  const key = useEffectEvent(getKey);
  const onEncrypted = useEffectEvent(send);
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key, onEncrypted });
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
