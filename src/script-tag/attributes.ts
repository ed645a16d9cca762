import { CardEncryptionError, type CardEncryptionKey } from '../core/index.ts';
import type { CardFormOptions } from '../form/index.ts';
import { elementsOf, unclobbered } from '../form/page/unclobbered.ts';

/**
 * Attributes of a form. An attribute that is wrong blocks the form, and the console says why. The
 * attributes of elements in the form are those of `cardseal/form`: docs/api/form.md#attributes
 */
export interface TagAttributes {
  /** The tag binds this form. */
  'data-cardseal'?: '';
  /**
   * The key as JSON, rendered by your server and escaped for HTML: docs/server.md#what-to-import.
   * Send such a page with `Cache-Control: no-store`. A shopper who needs a second key has to reload
   * the page, unless there is an address, too: then this key comes first.
   */
  'data-cardseal-key'?: string;
  /**
   * The address where your server answers a POST with a key as JSON. It must be on the page's
   * origin, and must not redirect.
   */
  'data-cardseal-key-url'?: string;
  /**
   * The option `keyMaxAgeMs`, in milliseconds. Default: `600000` (10 minutes); no limit without
   * `data-cardseal-key-url`.
   */
  'data-cardseal-key-max-age-ms'?: string;
  /**
   * The header for the content of `<meta name="csrf-token">` when a key is requested. Default:
   * `X-CSRF-Token`.
   */
  'data-cardseal-csrf-header'?: string;
  /** The option `luhn`: whether the check digit of the number is validated. Default: `on`. */
  'data-cardseal-luhn'?: 'on' | 'off';
  /**
   * The option `maskForRecorders`: whether the card's controls get the attributes by which session
   * recorders know what they may not record. Default: `on`.
   */
  'data-cardseal-mask-for-recorders'?: 'on' | 'off';
  /** The option `fieldName`: the form field that holds the block. Default: `encrypted_card`. */
  'data-cardseal-field-name'?: string;
  /**
   * A CSS selector. A press pays by card if a control of the form, or an `<option>` of one,
   * matches. Default: every press does.
   */
  'data-cardseal-when'?: string;
  /** The option `messages` as JSON: texts for shoppers. Default: English. */
  'data-cardseal-messages'?: string;
}

/** The attributes of a form as options of `bindCardForm`. Those that are wrong block the form. */
export function readAttributes(form: HTMLFormElement): CardFormOptions {
  const read = reader(form);
  const options: CardFormOptions = {
    // Replaced below if the form has one of them.
    key: () => refuse('data-cardseal-key or data-cardseal-key-url'),
    fieldName: read('data-cardseal-field-name') || undefined,
  };
  const key = read('data-cardseal-key');
  const url = read('data-cardseal-key-url');
  try {
    readShared(form, options);
    const headers = readHeaders(form);
    const first = key === null ? undefined : parseJson<CardEncryptionKey>('data-cardseal-key', key);
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
 * @throws CardEncryptionError `invalid_form` if one of them is wrong. The others are there all the
 * same.
 */
export function readShared(form: HTMLFormElement, options: Partial<CardFormOptions>): void {
  const read = reader(form);
  const when = read('data-cardseal-when');
  if (when) options.when = () => elementsOf(form).some((control) => isMatch(control, when));
  const errors: unknown[] = [];
  const take = (name: keyof TagAttributes, use: (text: string) => void) => {
    const text = read(name);
    if (text === null) return;
    try {
      use(text);
    } catch (error) {
      errors.push(error);
    }
  };
  take(MESSAGES, (text) => {
    if (text) options.messages = parseMessages(text);
  });
  take(KEY_MAX_AGE_MS, (text) => {
    options.keyMaxAgeMs = parseAge(text);
  });
  take(LUHN, (text) => {
    options.luhn = parseSwitch(LUHN, text);
  });
  take(MASK_FOR_RECORDERS, (text) => {
    options.maskForRecorders = parseSwitch(MASK_FOR_RECORDERS, text);
  });
  if (errors.length) throw errors[0];
}

const CSRF_HEADER = 'data-cardseal-csrf-header';
const KEY_MAX_AGE_MS = 'data-cardseal-key-max-age-ms';
const LUHN = 'data-cardseal-luhn';
const MASK_FOR_RECORDERS = 'data-cardseal-mask-for-recorders';
const MESSAGES = 'data-cardseal-messages';

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
  const name = reader(form)(CSRF_HEADER) || 'X-CSRF-Token';
  checkHeaderName(name);
  return () => {
    const token = document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content;
    return token ? { [name]: token } : {};
  };
}

const reader = (form: HTMLFormElement) => (name: keyof TagAttributes) =>
  unclobbered(form, 'getAttribute')(name);

function parseJson<Value>(name: keyof TagAttributes, text: string): Value {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`JSON in ${name}`); // the parser's error repeats the text
  }
}

function parseMessages(text: string): CardFormOptions['messages'] {
  const messages = parseJson<CardFormOptions['messages'] | null>(MESSAGES, text);
  return messages instanceof Object ? messages : refuse(`an object in ${MESSAGES}`);
}

function parseAge(text: string): number {
  const age = Number(text);
  return age > 0 ? age : refuse(`a number above 0 in ${KEY_MAX_AGE_MS}`);
}

function parseSwitch(name: keyof TagAttributes, text: string): boolean {
  if (text === 'on') return true;
  return text === 'off' ? false : refuse(`"on" or "off" in ${name}`);
}

/** Not by `new Headers`: a page may have a variable of that name. */
function checkHeaderName(name: string): void {
  const isToken = [...name].every((char) => TOKEN.includes(char));
  if (!isToken) refuse(`the name of a header in ${CSRF_HEADER}`);
}

/** The characters of a name in HTTP (RFC 9110, section 5.6.2). */
const TOKEN =
  "!#$%&'*+-.^_`|~0123456789" + 'abcdefghijklmnopqrstuvwxyz' + 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

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
