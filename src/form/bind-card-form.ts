import { CardEncryptionError } from '../core/index.ts';
import { cardForm } from './card-form.ts';
import { findBoundForm } from './listeners.ts';
import type { CardFormBinding, CardFormOptions } from './options.ts';

/**
 * Has a form encrypt its card before it is submitted.
 *
 * A press of the submit button is stopped. The library reads and validates the card that is on the
 * screen, encrypts it, and submits the form again, with the block in a hidden input; or it calls
 * `onEncrypted`. The page's own submit listeners run when the form is submitted again, and find the
 * block; with `onEncrypted` they do not run. If something is wrong before that, nothing is sent,
 * the shopper reads why, and everything typed stays.
 *
 * The form raises these events; they bubble, and they leave shadow roots:
 * - `cardseal:ready`: the form is correct and a key has arrived.
 * - `cardseal:submit`, cancelable, with `detail.submitter`: a press pays by card.
 * - `cardseal:encrypted`, with `detail.key_id`: the card is encrypted.
 * - `cardseal:error`, with the {@link CardEncryptionError} as `detail`. Its code is `invalid_card`
 *   or `card_too_long` if the shopper has to correct `field`; `invalid_form` if the page has to be
 *   fixed; `unsupported_browser`; `key_unavailable`; or what `prepareKey` and `encryptCard` throw.
 *
 * @param form - Its controls are found at each press, by `data-cardseal-field` or `autocomplete`.
 * None of them may have a `name`, except a name control with `data-cardseal-shared`.
 * @param options - Only its own properties count.
 * @returns The binding. It replaces an earlier one of the same form.
 * @throws {@link CardEncryptionError} `invalid_form` if `form` is not a form element.
 *
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", rules 3 to 5.
 */
export function bindCardForm(form: HTMLFormElement, options: CardFormOptions): CardFormBinding {
  checkIsForm(form);
  findBoundForm(form)?.unbind();
  return cardForm(form, withoutPrototype(options));
}

/** @throws {@link CardEncryptionError} `invalid_form`. */
export function checkIsForm(form: HTMLFormElement | null): void {
  if (form?.localName === 'form') return;
  throw new CardEncryptionError('invalid_form', 'bindCardForm needs a form element');
}

/** A polluted `Object.prototype` would add options. */
const withoutPrototype = <Options extends object>(options: Options): Options =>
  Object.assign(Object.create(null), options);
