import { CardEncryptionError } from '../../core/index.ts';
import type { Problem } from '../card/read.ts';
import { raise } from '../page/event.ts';
import { unclobbered } from '../page/unclobbered.ts';
import type { CardMessages } from './messages.ts';
import { log } from './report.ts';
import type { StatusLine } from './status.ts';
import type { FormProblem, Texts } from './texts.ts';

export type Notices = ReturnType<typeof notices>;

type EventName = 'ready' | 'submit' | 'encrypted' | 'error' | 'problems' | 'settled';

/** Tells the page, by events and the console, and the shopper, by texts. */
export function notices(
  form: HTMLFormElement,
  texts: Texts,
  status: StatusLine,
  messages: CardMessages,
  isKeyRenewable: boolean,
) {
  /** Whether the status line asks the shopper to wait. */
  let isWaiting = false;

  /** Never throws. Returns false if a listener has cancelled the event. */
  const emit = (type: EventName, detail?: unknown): boolean => {
    const cancelable = type === 'submit' || type === 'problems';
    return raise(form, `cardseal:${type}`, { cancelable, detail });
  };

  /** Tells screen readers whether a press is under way. A text that asks to wait goes. */
  const setBusy = (isBusy: boolean) => {
    if (isBusy) unclobbered(form, 'setAttribute')('aria-busy', 'true');
    else unclobbered(form, 'removeAttribute')('aria-busy');
    if (isWaiting) status.clear();
    isWaiting = false;
  };

  const tell = (problem: FormProblem) => {
    setBusy(false); // screen readers may not announce what changes in a busy element
    isWaiting = problem === 'one_moment' || problem === 'payment_under_way';
    status.write(texts(problem), !isWaiting);
  };

  /** Tells the page alone, because the shopper has not pressed anything. */
  const tellPage = (error: CardEncryptionError) => {
    log('error', error);
    emit('error', error);
  };

  const problemFor = ({ code }: CardEncryptionError): FormProblem => {
    switch (code) {
      case 'key_unavailable':
      case 'key_already_used':
      case 'encryption_failed':
        return isKeyRenewable ? 'press_again' : 'reload_page';
      case 'unsupported_scheme':
      case 'invalid_key':
      case 'insecure_context':
      case 'unsupported_browser':
      case 'invalid_form':
      case 'invalid_card': // `showProblems` tells the shopper of these two
      case 'card_too_long':
      case 'invalid_encrypted_card': // only servers get this one
        return 'payment_unavailable';
    }
  };

  return {
    emit,
    setBusy,
    tell,
    tellPage,
    /** Removes every text. */
    clear() {
      messages.clear();
      status.clear();
    },
    /** The form is not bound any more. A text stays until it is bound again. */
    leave: status.leave,
    /** Shows what the shopper has to correct, unless the page shows it itself. */
    showProblems(problems: Problem[]) {
      const detail = problems.map((problem) => ({ ...problem, text: texts(problem.problem) }));
      if (emit('problems', detail)) messages.show(detail);
    },
    /**
     * Tells the shopper and the page why a press came to nothing.
     *
     * @param isAway - Whether a block is on its way: then nobody can say that nothing was sent.
     */
    fail(reason: unknown, isAway: boolean) {
      const error = asCardEncryptionError(reason);
      if (!isAboutCard(error)) {
        log('error', error); // first: what follows may fail in a page that is broken
        tell(isAway ? 'no_answer' : problemFor(error));
      }
      emit('error', error);
    },
  };
}

/** Whether the shopper has to correct the card: then `showProblems` has told them. */
export const isAboutCard = ({ code }: CardEncryptionError): boolean =>
  code === 'invalid_card' || code === 'card_too_long';

/**
 * An error from page code may contain card data, so it goes no further. The library
 * itself throws one if a script has replaced a function of the browser.
 */
export const asCardEncryptionError = (reason: unknown): CardEncryptionError =>
  reason instanceof CardEncryptionError
    ? reason
    : new CardEncryptionError('invalid_form', 'A script on this page threw, or replaced something');
