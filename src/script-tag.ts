import { bindCardForm as bind, type CardFormBinding, type CardFormOptions } from './form/index.ts';
import { own } from './form/own.ts';
import { CardEncryptionError, type CardEncryptionKey, encryptCard, prepareKey } from './index.ts';

declare global {
  /** All of `cardseal` and of `cardseal/form`. */
  var Cardseal: typeof import('./index.ts') & { bindCardForm(form: HTMLFormElement, options?: Partial<CardFormOptions>): CardFormBinding };
}

/** Forms that were bound once, whatever became of it. */
const taken = new WeakSet<HTMLFormElement>();

if (typeof globalThis.Cardseal?.bindCardForm !== 'function') {
  // Else the page has the tag twice, and the first serves. A control or frame of that name is no function.
  globalThis.Cardseal = { CardEncryptionError, bindCardForm, encryptCard, prepareKey };
  if (document.readyState !== 'loading') bindAll();
  addEventListener('DOMContentLoaded', bindAll);
  addEventListener('submit', bindAll, true); // a form that came later, or is submitted before the page is whole: in time for this submit
}

function bindAll() {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-cardseal]')) if (!taken.has(form)) bindCardForm(form);
}

/**
 * As `bindCardForm` of `cardseal/form`. Options that are not given come from the form's attributes: `data-cardseal-key`,
 * `data-cardseal-key-url`, `data-cardseal-key-max-age-ms`, `data-cardseal-field-name`. What is wrong with these blocks the form, unless `key` is
 * given as an option.
 */
function bindCardForm(form: HTMLFormElement, options?: Partial<CardFormOptions>): CardFormBinding {
  taken.add(form);
  return bind(form, { ...readAttributes(form), ...options } as CardFormOptions);
}

function readAttributes(form: HTMLFormElement) {
  const read = (name: string) => own(form, 'getAttribute')(`data-cardseal-${name}`);
  const json = read('key');
  const url = read('key-url');
  const keyMaxAgeMs = Number(read('key-max-age-ms') ?? Infinity);
  let key: CardFormOptions['key'] = refuse;
  try {
    if (!json !== !url && keyMaxAgeMs > 0) key = url ? () => requestKey(url) : JSON.parse(json!);
  } catch {} // no JSON
  return { key, keyMaxAgeMs, fieldName: read('field-name') || undefined };
}

/** Asks the merchant's server for a key: as a POST, so that nothing on the way keeps the answer, and never another origin. */
async function requestKey(url: string): Promise<CardEncryptionKey> {
  const token = document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content;
  try {
    const response = await fetch(url, {
      __proto__: null, // what is on a polluted Object.prototype would count as an option
      method: 'POST',
      mode: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      headers: token ? { 'X-CSRF-Token': token } : {},
    } as RequestInit);
    if (response.ok) return await response.json();
  } catch {} // no answer, a redirect, another origin, no JSON
  throw new CardEncryptionError('key_unavailable', 'data-cardseal-key-url must answer a POST with the key as JSON, on this origin');
}

/** The source of no key: the form stays blocked, and the console says why. */
function refuse(): never {
  const message = 'The card form must have data-cardseal-key (JSON) or data-cardseal-key-url, and data-cardseal-key-max-age-ms above 0';
  throw new CardEncryptionError('invalid_form', message);
}
