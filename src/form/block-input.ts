import { CardEncryptionError, type EncryptedCard } from '../core/index.ts';
import { createElement, elementsOf, unclobbered } from './unclobbered.ts';

/** `form.submit()` collects the form's data, and the page is being left within this time. */
const JUST_MS = 1000;

/**
 * The hidden input that carries the block to whatever sends the form. A hidden input of that name
 * that the page has is used; otherwise one is added to the form.
 */
export function blockInput(form: HTMLFormElement, name: string) {
  /** The input that the library has added. */
  let added: HTMLInputElement | undefined;
  let isOffered = false;
  /** When something last collected the form's data with the block, in milliseconds since 1970. */
  let collected = Number.NEGATIVE_INFINITY;

  const controlsOfName = () =>
    elementsOf(form).filter((control) => control.getAttribute('name') === name);

  /** @throws {@link CardEncryptionError} `invalid_form` if another control has the name. */
  const find = (): HTMLInputElement | undefined => {
    const controls = controlsOfName() as HTMLInputElement[];
    const areHidden = controls.every(({ type }) => type === 'hidden');
    if (areHidden && controls.length < 2) return controls[0];
    const message = `The card form may have one hidden input and no other control named ${name}`;
    throw new CardEncryptionError('invalid_form', message);
  };

  return {
    /** @throws {@link CardEncryptionError} `invalid_form` if another control has the name. */
    check() {
      find();
    },
    /** Whether the form's data holds the block. */
    isOffered: () => isOffered,
    /** Whether something has collected the form's data, with the block in it, just now. */
    wasJustCollected: () => Date.now() - collected < JUST_MS,
    /** Something has collected the form's data with the block in it. */
    markCollected() {
      collected = Date.now();
    },
    offer(block: EncryptedCard) {
      let input = find();
      if (!input) {
        input = createElement('input');
        input.type = 'hidden';
        input.name = name;
        unclobbered(form, 'appendChild')(input);
        added = input;
      }
      input.value = JSON.stringify(block);
      isOffered = true;
      collected = Number.NEGATIVE_INFINITY; // only what happens from now on counts
    },
    /** Takes a block out of the form's data, also one that the server has rendered again. */
    withdraw() {
      for (const control of controlsOfName() as HTMLInputElement[]) {
        if (control.type === 'hidden') control.value = '';
      }
      added?.parentNode?.removeChild(added);
      added = undefined;
      isOffered = false;
      collected = Number.NEGATIVE_INFINITY;
    },
  };
}
