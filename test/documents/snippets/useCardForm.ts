// src/useCardForm.ts
import type { CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm } from 'cardseal/form';
import { type RefObject, useEffect, useEffectEvent } from 'react';

interface Options {
  key: () => Promise<CardEncryptionKey>;
  onEncrypted: (card: EncryptedCard) => Promise<void>;
}

export function useCardForm(form: RefObject<HTMLFormElement | null>, options: Options) {
  const key = useEffectEvent(options.key);
  const onEncrypted = useEffectEvent(options.onEncrypted);
  useEffect(() => bindCardForm(form.current!, { key, onEncrypted }).unbind, [form]);
}
