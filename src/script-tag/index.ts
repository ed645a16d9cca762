import { CardEncryptionError, encryptCard, prepareKey } from '../core/index.ts';
import { bindCardForm as bind, type CardFormBinding, type CardFormOptions } from '../form/index.ts';
import { checkIsForm } from '../form/page/card-payment.ts';
import { listenOn } from '../form/page/listeners.ts';
import { watchElements } from '../form/page/watch-elements.ts';
import { readAttributes } from './attributes.ts';
import type { ScriptTag } from './global.ts';

interface OwnGlobal extends ScriptTag {
  /** Runs each time that the tag runs. Not for pages, and so not enumerable. */
  listen?(): void;
}

const page = window as { Cardseal?: OwnGlobal };

/** Forms that were bound once, even if binding failed. */
const seen: HTMLFormElement[] = [];

// If the page has the tag twice, the first one works. `Cardseal` may also be an element's id.
if (typeof page.Cardseal?.bindCardForm !== 'function') {
  page.Cardseal = { CardEncryptionError, bindCardForm, encryptCard, prepareKey };
  // A polluted Object.prototype would add `get`.
  Object.defineProperty(page.Cardseal, 'listen', { __proto__: null, value: listen } as object);
  // A form that a script adds later is bound, and asks for its key, when it comes. Once: the tag
  // may run at each page that Turbo renders, and `document.open()` takes no observer away.
  watchElements(document, bindLoaded, 'data-cardseal');
}
page.Cardseal.listen?.(); // the first one may be of a version without it

/** To listen again changes nothing, unless `document.open()` has removed the listeners. */
function listen(): void {
  // Where nothing tells that it comes: when the shopper gets to it, or something submits it.
  const bindingEvents = ['DOMContentLoaded', 'focusin', 'input', 'click', 'submit', 'formdata'];
  for (const type of bindingEvents) window.addEventListener(type, onBindingEvent, true);
  // After that, because a form that its first submit binds has to handle that submit. And not
  // only at binding, because a listener that is added during a submit does not get that submit.
  listenOn(window);
  bindLoaded();
  if (document.readyState !== 'loading') bindInShadowRoots();
}

/** While the page is loading, a form may not be whole yet. */
function bindLoaded(): void {
  if (document.readyState !== 'loading') bindIn(document);
}

function onBindingEvent(event: Event): void {
  bindIn(document);
  if (event.type === 'DOMContentLoaded') bindInShadowRoots();
  // A form in a shadow root that a script has attached.
  for (const target of event.composedPath?.() ?? []) {
    const { localName } = target as Element;
    if (localName === 'form') bindIn((target as Element).parentNode!);
  }
}

/** Those that are part of the HTML. They can only be found one by one, so this is done once. */
function bindInShadowRoots(): void {
  for (const { shadowRoot } of document.querySelectorAll('*')) if (shadowRoot) bindIn(shadowRoot);
}

function bindIn(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>('form[data-cardseal]')) {
    if (!seen.includes(form)) bindCardForm(form);
  }
}

/**
 * Binds a form as `bindCardForm` of `cardseal/form` does. The form's attributes serve as options;
 * an option that is given wins over its attribute.
 *
 * An attribute that is wrong blocks the form, or has no effect if the option `key` is given. A
 * wrong selector in `data-cardseal-when` always blocks it.
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
