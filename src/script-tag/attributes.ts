import { CardEncryptionError, type CardEncryptionKey } from '../core/index.ts';
import type { CardFormOptions } from '../form/index.ts';
import { elementsOf, unclobbered } from '../form/page/unclobbered.ts';

/** The attributes of a form as options of `bindCardForm`. Those that are wrong block the form. */
export function readAttributes(form: HTMLFormElement): CardFormOptions {
  const read = reader(form);
  const options: CardFormOptions = {
    // Replaced below if the form has one of them.
    key: () => refuse('data-cardseal-key or data-cardseal-key-url'),
    fieldName: read('field-name') || undefined,
  };
  const key = read('key');
  const url = read('key-url');
  try {
    readShared(form, options);
    const headers = readHeaders(form);
    const first = key === null ? undefined : parseJson<CardEncryptionKey>('key', key);
    if (url) options.key = keysFrom(url, headers, first);
    else if (first !== undefined) options.key = first;
  } catch (error) {
    // Not thrown here: the form has to be bound, so that each press ends in a message.
    options.key = () => Promise.reject(error);
  }
  return options;
}

/**
 * Puts the attributes that both script files know into options.
 *
 * @throws CardEncryptionError `invalid_form` if one of them is wrong. `when` is there all the same.
 */
export function readShared(form: HTMLFormElement, options: Partial<CardFormOptions>): void {
  const read = reader(form);
  const when = read('when');
  const luhn = read('luhn');
  const mask = read('mask-for-recorders');
  const maxAge = read('key-max-age-ms');
  const messages = read('messages');
  if (when) options.when = () => elementsOf(form).some((control) => isMatch(control, when));
  if (messages) options.messages = parseMessages(messages);
  if (maxAge !== null) options.keyMaxAgeMs = parseAge(maxAge);
  if (luhn !== null) options.luhn = parseSwitch('luhn', luhn);
  if (mask !== null) options.maskForRecorders = parseSwitch('mask-for-recorders', mask);
}

/** Whether a control, or an option of it, matches. */
function isMatch(control: Element, selector: string): boolean {
  return control.matches(selector) || control.querySelector(selector) !== null;
}

/**
 * The header with the page's CSRF token, for each request: a page may replace its token.
 *
 * @throws CardEncryptionError `invalid_form` if the header has no name that is possible.
 */
export function readHeaders(form: HTMLFormElement): () => Record<string, string> {
  const name = reader(form)('csrf-header') || 'X-CSRF-Token';
  checkHeaderName(name);
  return () => {
    const token = document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content;
    return token ? { [name]: token } : {};
  };
}

const reader = (form: HTMLFormElement) => (name: string) =>
  unclobbered(form, 'getAttribute')(`data-cardseal-${name}`);

function parseJson<Value>(name: string, text: string): Value {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`JSON in data-cardseal-${name}`); // the parser's error repeats the text
  }
}

function parseMessages(text: string): CardFormOptions['messages'] {
  const messages = parseJson<CardFormOptions['messages'] | null>('messages', text);
  return messages instanceof Object ? messages : refuse('an object in data-cardseal-messages');
}

function parseAge(text: string): number {
  const age = Number(text);
  return age > 0 ? age : refuse('a number above 0 in data-cardseal-key-max-age-ms');
}

function parseSwitch(name: string, text: string): boolean {
  if (text === 'on') return true;
  return text === 'off' ? false : refuse(`"on" or "off" in data-cardseal-${name}`);
}

function checkHeaderName(name: string): void {
  try {
    new Headers([[name, '']]);
  } catch {
    refuse('the name of a header in data-cardseal-csrf-header');
  }
}

/** The key that the server has rendered into the page, if any, and then keys from the address. */
function keysFrom(
  url: string,
  headers: () => Record<string, string>,
  first: CardEncryptionKey | undefined,
) {
  let rendered = first;
  return (signal: AbortSignal | undefined) => {
    const key = rendered ?? requestKey(url, headers(), signal);
    rendered = undefined;
    return key;
  };
}

/**
 * Asks the merchant's server for a key: by POST, so that nothing on the way keeps the answer, and
 * never on another origin.
 */
async function requestKey(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<CardEncryptionKey> {
  try {
    const response = await fetch(url, {
      // A polluted Object.prototype would add options.
      __proto__: null,
      method: 'POST',
      mode: 'same-origin',
      credentials: 'same-origin', // not the default in Chrome before 72 and Firefox before 61
      cache: 'no-store',
      redirect: 'error',
      headers,
      signal: signal ?? null,
    } as RequestInit);
    if (response.ok) return await response.json();
  } catch {} // no answer, a redirect, another origin, no JSON
  const message = 'data-cardseal-key-url must answer a POST with the key as JSON, on this origin';
  throw new CardEncryptionError('key_unavailable', message);
}

function refuse(what: string): never {
  throw new CardEncryptionError('invalid_form', `The card form must have ${what}`);
}
