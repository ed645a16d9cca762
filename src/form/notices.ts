import { CardEncryptionError } from '../core/index.ts';
import type { StatusLine } from './status.ts';
import type { FormProblem } from './texts.ts';
import { unclobbered } from './unclobbered.ts';

export type Notices = ReturnType<typeof notices>;

/** What a bound form tells the page, by events and the console, and the shopper, by the status. */
export function notices(form: HTMLFormElement, status: StatusLine, isKeyRenewable: boolean) {
  /** Returns false if a listener has cancelled the event. */
  const emit = (type: 'ready' | 'submit' | 'encrypted' | 'error', detail?: unknown): boolean => {
    if (typeof CustomEvent !== 'function') return true; // in an unsupported browser
    const init = { bubbles: true, composed: true, cancelable: type === 'submit', detail };
    return unclobbered(form, 'dispatchEvent')(new CustomEvent(`cardseal:${type}`, init));
  };

  const setBusy = (isBusy: boolean) => {
    if (isBusy) unclobbered(form, 'setAttribute')('aria-busy', 'true');
    else unclobbered(form, 'removeAttribute')('aria-busy');
  };

  const tellShopper = (problem: FormProblem) => {
    setBusy(false); // screen readers may not announce what changes in a busy element
    status.show(problem);
  };

  /** Tells the page alone, because the shopper has not pressed anything. */
  const tellPage = (reason: unknown) => {
    const error = asCardEncryptionError(reason);
    logForPage(error);
    emit('error', error);
  };

  const problemFor = ({ code }: CardEncryptionError): FormProblem => {
    switch (code) {
      case 'key_unavailable':
      case 'key_already_used':
      case 'encryption_failed':
        return isKeyRenewable ? 'press_again' : 'reload_page';
      default:
        return 'payment_unavailable';
    }
  };

  return {
    emit,
    setBusy,
    tellShopper,
    tellPage,
    /** Tells the shopper and the page why a press came to nothing. */
    fail(reason: unknown) {
      const error = asCardEncryptionError(reason);
      logForPage(error); // first: what follows may fail in a page that is broken
      if (!error.field) tellShopper(problemFor(error)); // else the text stands at the field
      emit('error', error);
    },
  };
}

/** An error that the shopper can correct does not belong in the console. */
function logForPage(error: CardEncryptionError): void {
  if (!error.field) console.error(error);
}

/** An error from page code may contain card data, so it goes no further. */
export const asCardEncryptionError = (reason: unknown): CardEncryptionError =>
  reason instanceof CardEncryptionError
    ? reason
    : new CardEncryptionError('invalid_form', 'A script of the page keeps the form from working');
