import { CardEncryptionError, type EncryptedCard, encryptCard } from '../index.ts';
import { checkDestination } from './destination.ts';
import { cardControls, emptyControls, findFields } from './fields.ts';
import { keySource } from './key-source.ts';
import { cardMessages } from './messages.ts';
import type { CardFormBinding, CardFormOptions } from './options.ts';
import { own } from './own.ts';
import { readCard } from './read.ts';

const bindings = new WeakMap<HTMLFormElement, CardFormBinding>();

/**
 * Has a form encrypt its card before it is submitted. Fails closed: whatever goes wrong, nothing is sent and what the shopper typed stays.
 *
 * The first pass of a submit is stopped; the card is read, judged, encrypted and its controls are emptied; then the form is submitted
 * again with the block in its data, or `onEncrypted` is called. Until `restart()`, further submits send the same block.
 *
 * Events on the form, bubbling and composed: `cardseal:ready`; `cardseal:encrypted` (detail: `key_id`); `cardseal:error` (detail: the
 * {@link CardEncryptionError}, whose `code` is `invalid_card` or `card_too_long` if the shopper has to correct `field`; `invalid_form` if the page
 * has to be mended; `key_unavailable`; or what `prepareKey` and `encryptCard` reject with).
 *
 * @param form - Its controls are found anew at each submit, by `data-cardseal-field` or `autocomplete`. None may have a `name`.
 * @param given - Its own properties count.
 * @returns The binding. It replaces an older one of the same form.
 *
 * Specification: "Encryption procedure for scheme `RSA_OAEP_SHA256_V1`", rules 3 to 5.
 */
export function bindCardForm(form: HTMLFormElement, given: CardFormOptions): CardFormBinding {
  bindings.get(form)?.unbind();
  const options = withoutPrototype(given);
  const { onEncrypted, fieldName = 'encrypted_card', luhn = true, allowCrossOriginAction } = options;
  const key = keySource(options.key, options.keyTimeoutMs ?? 15_000, options.keyMaxAgeMs ?? Infinity);
  const messages = cardMessages(form, options.messages);
  const noValidate = own(form, 'noValidate');
  const bound = new AbortController();
  let round = new AbortController(); // from one card to the next; what is still under way when it ends comes to nothing
  let busy = false;
  let secondPass = false;
  let block: EncryptedCard | undefined;

  /** One submit, from its first pass to its second. */
  const submit = async (submitter: Button | null) => {
    const { signal } = round;
    setBusy(true);
    try {
      checkAction(submitter);
      if (!block) {
        const encrypted = await encrypt(signal, noValidate || Boolean(submitter?.formNoValidate));
        if (signal.aborted || !encrypted) return;
        block = encrypted;
        emit('encrypted', { key_id: block.key_id });
      }
      if (!signal.aborted) await send(block, submitter, signal); // a listener may have ended the round
    } catch (error) {
      if (!signal.aborted) fail(error as CardEncryptionError);
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  };

  /** Nothing if the browser found fault with the page's own controls, or the round ended meanwhile. */
  const encrypt = async (signal: AbortSignal, onlyCard: boolean): Promise<EncryptedCard | undefined> => {
    const controls = findFields(form);
    const { card, problems } = readCard(controls, luhn);
    try {
      const valid = messages.report(problems, onlyCard);
      if (problems[0]) throw new CardEncryptionError('invalid_card', 'The shopper has to correct the card', { field: problems[0].field });
      if (!valid) return undefined;
      const prepared = await key.get();
      if (signal.aborted) return undefined;
      const encrypted = await encryptCard(prepared, card).catch((error: CardEncryptionError) => {
        if (signal.aborted) return undefined;
        if (error.field === undefined)
          key.renew(); // it is used
        else {
          const problem = error.code === 'card_too_long' ? 'name_too_long' : 'name_invalid'; // all else was judged above
          messages.report([{ problem, field: error.field, controls: controls.name }], onlyCard);
        }
        throw error;
      });
      if (signal.aborted) return undefined;
      emptyControls(new Set([...Object.values(controls).flat(), ...cardControls(form)])); // a re-render may have replaced some
      return encrypted;
    } finally {
      for (const bytes of Object.values(card)) bytes.fill(0);
    }
  };

  const checkAction = (submitter: Button | null) => {
    if (!onEncrypted) checkDestination(form, submitter, allowCrossOriginAction);
  };

  const send = async (card: EncryptedCard, submitter: Button | null, signal: AbortSignal) => {
    submitter?.addEventListener('click', ignoreDoubleClick, withoutPrototype({ signal }));
    if (onEncrypted) {
      try {
        await onEncrypted(card, submitter);
      } catch (error) {
        report(error);
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve)); // a form ignores requestSubmit() while its submit event is still being dispatched
    if (signal.aborted) return;
    const button = submitter?.form === form && !submitter.matches(':disabled') ? submitter : null; // both may have changed meanwhile
    checkAction(button);
    secondPass = true;
    try {
      own(form, 'requestSubmit')(button);
    } finally {
      secondPass = false;
    }
  };

  const fail = (error: CardEncryptionError) => {
    emit('error', error);
    if (!error.field) console.error(error); // not the shopper's to correct, and nothing else may tell the developer
  };

  const emit = (type: string, detail?: unknown) =>
    own(form, 'dispatchEvent')(new CustomEvent(`cardseal:${type}`, { bubbles: true, composed: true, detail }));

  const setBusy = (value: boolean) => {
    busy = value;
    if (value) own(form, 'setAttribute')('aria-busy', 'true');
    else own(form, 'removeAttribute')('aria-busy');
  };

  /** Ends the round: no block, nothing under way, no message. */
  const reset = () => {
    round.abort();
    round = new AbortController();
    block = undefined;
    setBusy(false);
    messages.clear();
  };

  const forget = () => {
    reset();
    emptyControls(cardControls(form));
  };

  /** Has the key come before the shopper submits. */
  const open = (check?: () => void): Promise<void> => {
    const { signal } = round;
    const opened = (async () => {
      check?.();
      await key.get();
    })();
    const failed = (error: CardEncryptionError) => signal.aborted || busy || fail(error); // a submit that waits for the key tells it itself
    opened.then(() => signal.aborted || emit('ready'), failed);
    return opened;
  };

  const reopen = () => {
    key.renew();
    return open();
  };

  const { signal } = bound;
  own(form, 'addEventListener')(
    'submit',
    (event) => {
      if (secondPass) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!busy) submit((event.submitter ?? null) as Button | null);
    },
    withoutPrototype({ signal, capture: true }),
  );
  own(form, 'addEventListener')(
    'formdata',
    ({ formData }) => {
      for (const control of cardControls(form)) formData.delete(control.getAttribute('name') ?? '');
      if (block) formData.set(fieldName, JSON.stringify(block));
    },
    withoutPrototype({ signal }),
  );
  addEventListener('pagehide', forget, withoutPrototype({ signal }));
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (!persisted) return;
      forget();
      reopen();
    },
    withoutPrototype({ signal }),
  );
  own(form, 'toggleAttribute')('novalidate', true); // else a message of ours would keep the next submit from ever firing

  const binding: CardFormBinding = {
    ready: open(() => {
      findFields(form);
      checkAction(null);
    }),
    restart() {
      if (signal.aborted) return Promise.resolve();
      reset();
      return reopen();
    },
    unbind() {
      if (signal.aborted) return;
      bound.abort();
      reset();
      own(form, 'toggleAttribute')('novalidate', noValidate);
    },
  };
  bindings.set(form, binding);
  return binding;
}

/** Options that a polluted `Object.prototype` adds nothing to: `once` and `passive` would end or disarm a listener. */
const withoutPrototype = <Options extends object>(options: Options): Options => ({ __proto__: null, ...options });

/** A button that submits, also if it is an `<input>`. */
type Button = HTMLButtonElement | HTMLInputElement;

/** The second click of a double click submits nothing: the first has. */
const ignoreDoubleClick = (event: Event) => {
  if ((event as MouseEvent).detail > 1) event.preventDefault();
};

/** `reportError` is missing in Chrome and Edge 93 and 94 and in Firefox 92. */
const report = (error: unknown) => {
  if (typeof reportError === 'function') reportError(error);
  else
    setTimeout(() => {
      throw error;
    });
};
