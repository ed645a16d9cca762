import type { CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm } from 'cardseal/form';
import { useEffect, useRef } from 'react';

interface Props {
  getKey(): CardEncryptionKey;
  send(card: EncryptedCard): void;
}

export function Checkout({ getKey, send }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const binding = bindCardForm(form.current!, { key: getKey, onEncrypted: send });
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
