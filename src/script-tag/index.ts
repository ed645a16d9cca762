import {
  CardEncryptionError,
  type CardEncryptionKey,
  encryptCard,
  prepareKey,
} from '../core/index.ts';
import { checkIsForm } from '../form/bind-card-form.ts';
import { bindCardForm as bind, type CardFormBinding, type CardFormOptions } from '../form/index.ts';
import { listenOn } from '../form/page/listeners.ts';
import { elementsOf, unclobbered } from '../form/page/unclobbered.ts';

type CardsealGlobal = typeof import('../core/index.ts') & {
  /** As `bindCardForm` of `cardseal/form`, with the form's attributes as options. */
  bindCardForm(form: HTMLFormElement, options?: Partial<CardFormOptions>): CardFormBinding;
  /** Runs each time that the tag runs. Not for pages, and so not enumerable. */
  listen?(): void;
};

declare global {
  /** All of `cardseal` and of `cardseal/form`. */
  var Cardseal: CardsealGlobal;
}

/** Forms that were bound once, even if binding failed. */
const seen: HTMLFormElement[] = [];

// If the page has the tag twice, the first one works. `Cardseal` may also be an element's id.
if (typeof window.Cardseal?.bindCardForm !== 'function') {
  window.Cardseal = { CardEncryptionError, bindCardForm, encryptCard, prepareKey };
  // A polluted Object.prototype would add `get`.
  Object.defineProperty(window.Cardseal, 'listen', { __proto__: null, value: listen } as object);
}
window.Cardseal.listen?.(); // the first one may be of a version without it

/** Adding the same listeners again changes nothing, unless `document.open()` has removed them. */
function listen(): void {
  // A form that a script adds later is bound when the shopper gets to it, or something submits it.
  const bindingEvents = ['DOMContentLoaded', 'focusin', 'input', 'click', 'submit', 'formdata'];
  for (const type of bindingEvents) window.addEventListener(type, bindAll, true);
  // After `bindAll`, because a form that its first submit binds has to handle that submit. And not
  // only at binding, because a listener that is added during a submit does not get that submit.
  listenOn(window);
  if (document.readyState !== 'loading') bindAll();
}

function bindAll(): void {
  const forms = document.querySelectorAll<HTMLFormElement>('form[data-cardseal]');
  for (const form of forms) {
    if (!seen.includes(form)) bindCardForm(form);
  }
}

/**
 * Binds a form as `bindCardForm` of `cardseal/form` does. The form's attributes serve as options;
 * an option that is given wins over its attribute.
 *
 * - `data-cardseal-key`: the key as JSON.
 * - `data-cardseal-key-url`: where to ask for a key; with both, for every key but the first.
 * - `data-cardseal-key-max-age-ms`, `data-cardseal-field-name`: as the options of these names.
 * - `data-cardseal-luhn`: `off` switches the check digit off.
 * - `data-cardseal-mask-for-recorders`: `off` leaves out the attributes that recorders honour.
 * - `data-cardseal-when`: a CSS selector. A press pays by card if a control of the form matches.
 * - `data-cardseal-messages`: the option `messages` as JSON.
 * - `data-cardseal-csrf-header`: the header for the page's CSRF token. Default: `X-CSRF-Token`.
 *
 * An attribute that is wrong blocks the form, unless the option `key` is given. A wrong selector in
 * `data-cardseal-when` always blocks it.
 */
function bindCardForm(
  form: HTMLFormElement,
  options: Partial<CardFormOptions> = {},
): CardFormBinding {
  checkIsForm(form);
  seen.push(form);
  const merged = readAttributes(form);
  for (const name of Object.keys(options) as (keyof CardFormOptions)[]) {
    const value = options[name];
    // `merged[name] = value`, whose types do not fit together for TypeScript.
    if (value !== undefined) Object.assign(merged, { [name]: value });
  }
  return bind(form, merged);
}

function readAttributes(form: HTMLFormElement): CardFormOptions {
  const read = (name: string) => unclobbered(form, 'getAttribute')(`data-cardseal-${name}`);
  const options: CardFormOptions = {
    // Replaced below if the form has one of them.
    key: () => refuse('data-cardseal-key or data-cardseal-key-url'),
    fieldName: read('field-name') || undefined,
  };
  const when = read('when');
  if (when) options.when = () => elementsOf(form).some((control) => control.matches(when));
  const luhn = read('luhn');
  const mask = read('mask-for-recorders');
  const csrfHeader = read('csrf-header') || 'X-CSRF-Token';
  const key = read('key');
  const url = read('key-url');
  const maxAge = read('key-max-age-ms');
  const messages = read('messages');
  try {
    if (messages) options.messages = parseMessages(messages);
    if (maxAge !== null) options.keyMaxAgeMs = parseAge(maxAge);
    if (luhn !== null) options.luhn = parseSwitch('luhn', luhn);
    if (mask !== null) options.maskForRecorders = parseSwitch('mask-for-recorders', mask);
    checkHeaderName(csrfHeader);
    const first = key === null ? undefined : parseJson<CardEncryptionKey>('key', key);
    if (url) options.key = keysFrom(url, csrfHeader, first);
    else if (first !== undefined) options.key = first;
  } catch (error) {
    // Not thrown here: the form has to be bound, so that each press ends in a message.
    options.key = () => Promise.reject(error);
  }
  return options;
}

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
function keysFrom(url: string, csrfHeader: string, first: CardEncryptionKey | undefined) {
  let rendered = first;
  return (signal: AbortSignal | undefined) => {
    const key = rendered ?? requestKey(url, csrfHeader, signal);
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
  csrfHeader: string,
  signal: AbortSignal | undefined,
): Promise<CardEncryptionKey> {
  const token = document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content;
  try {
    const response = await fetch(url, {
      // A polluted Object.prototype would add options.
      __proto__: null,
      method: 'POST',
      mode: 'same-origin',
      credentials: 'same-origin', // not the default in Chrome before 72 and Firefox before 61
      cache: 'no-store',
      redirect: 'error',
      headers: token ? { [csrfHeader]: token } : {},
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
