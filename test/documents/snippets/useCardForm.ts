// src/useCardForm.ts
import type { CardEncryptionKey, EncryptedCard } from 'cardseal';
import { bindCardForm, type CardFormBinding, type CardFormOptions } from 'cardseal/form';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';

interface Options extends CardFormOptions {
  key: (signal?: AbortSignal) => Promise<CardEncryptionKey>;
  onEncrypted: (card: EncryptedCard) => Promise<void>;
}

/** `key` and `onEncrypted` are those of the last render, the other options those of the first. */
export function useCardForm(form: RefObject<HTMLFormElement | null>, options: Options) {
  const binding = useRef<CardFormBinding>(null);
  const key = useEffectEvent(options.key);
  const onEncrypted = useEffectEvent(options.onEncrypted);
  const given = useEffectEvent(() => options);
  useEffect(() => {
    binding.current = bindCardForm(form.current!, { ...given(), key, onEncrypted });
    return binding.current.unbind;
  }, [form]);
  return binding;
}
