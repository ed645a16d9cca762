import { CardEncryptionError } from '../core/index.ts';
import { createElement, elementsOf, unclobbered } from './page/unclobbered.ts';

export type BlockInput = ReturnType<typeof blockInput>;

/**
 * The hidden input that carries the block to whatever sends the form. A hidden input of that name
 * that the page has is used; otherwise one is added to the form.
 *
 * @param mark - Called with the input before a block is in it.
 */
export function blockInput(
  form: HTMLFormElement,
  name: string,
  mark: (controls: Element[]) => void,
) {
  /** The input that the library has added. */
  let added: HTMLInputElement | undefined;
  /** The block in the form's data. */
  let offered: string | undefined;

  const controlsOfName = () =>
    elementsOf(form).filter((it) => it.getAttribute('name') === name) as HTMLInputElement[];

  const hiddenInputs = () => controlsOfName().filter(({ type }) => type === 'hidden');

  return {
    /** The inputs that hold a block, or may. */
    hiddenInputs,
    /** @throws {@link CardEncryptionError} `invalid_form` if there is no place for the block. */
    checkPlace() {
      if (!name) throw new CardEncryptionError('invalid_form', 'fieldName is empty');
      const controls = controlsOfName();
      if (controls.every(({ type }) => type === 'hidden') && controls.length < 2) return;
      const message = `The card form may have one hidden input and no other control named ${name}`;
      throw new CardEncryptionError('invalid_form', message);
    },
    /**
     * Never fails, because the state says already that it is done. The gate asks `checkPlace`. A
     * page that renders its form anew may have removed the input since.
     *
     * @param block - As JSON.
     */
    put(block: string) {
      offered = block;
      let input = hiddenInputs().find(Boolean);
      if (!input) {
        input = createElement('input');
        input.type = 'hidden';
        input.name = name;
        unclobbered(form, 'appendChild')(input);
        added = input;
      }
      mark([input]); // one of the page, too
      // A page that looks for changes must find none: it may collect the form's data at each.
      if (input.value !== block) input.value = block;
    },
    /** Takes a block out of the form's data, also one that the server has rendered again. */
    clear() {
      for (const control of hiddenInputs()) control.value = '';
      added?.parentNode?.removeChild(added);
      added = undefined;
      offered = undefined;
    },
    /** Puts the block into data that is being collected. */
    fill(data: FormData) {
      // The server, or a copy of the form, may have brought a block of another card. The empty
      // entry of a hidden input that the page has stays.
      if (offered) data.set(name, offered);
      else if (data.getAll(name).some(Boolean)) data.delete(name);
    },
  };
}
