import { bindCardForm, type CardFormOptions } from '../form/index.ts';
import { unclobbered } from '../form/page/unclobbered.ts';
import { bindCheckout, type CheckoutBinding } from '../pay/index.ts';
import { HIDDEN } from '../pay/place.ts';
import { readHeaders, readShared } from '../script-tag/attributes.ts';
import '../script-tag/index.ts';
import type { PayTag } from './global.ts';

/**
 * Attributes of a form. It may also have those of `cardseal.js` that are about neither a key's
 * address nor the native submit: `-luhn`, `-mask-for-recorders`, `-key-max-age-ms`, `-when`,
 * `-messages` and `-csrf-header`, here for each request: docs/api/script-tag.md#attributes
 */
interface PayTagAttributes {
  /** The address of `checkout.handle`, on the page's own origin. The tag binds this form. */
  'data-cardseal-url': string;
}

const URL_ATTRIBUTE: keyof PayTagAttributes = 'data-cardseal-url';

interface CheckoutsOfPage {
  bindCheckout?: PayTag['bindCheckout'];
  /** Runs each time that the tag runs. Not for pages, and so not enumerable. */
  listenForCheckouts?(): void;
}

interface Bound {
  url: string;
  unbind(): void;
  /** Whether the library has hidden the form. */
  isHidden: boolean;
}

const bound = new window.Map<HTMLFormElement, Bound>();

/** Turbo and htmx bring forms and take them away. */
const formObserver = new window.MutationObserver(bindAll);

const page: CheckoutsOfPage = window.Cardseal;
// If the page has the tag twice, the first one works.
if (!page.bindCheckout) {
  page.bindCheckout = bindCheckout;
  const property = { __proto__: null, value: listen };
  Object.defineProperty(page, 'listenForCheckouts', property as object);
}
page.listenForCheckouts?.(); // the first one may be of a version without it

/** To listen again changes nothing, unless `document.open()` has removed the listeners. */
function listen(): void {
  const bindingEvents = ['DOMContentLoaded', 'focusin', 'input', 'click', 'submit'];
  for (const type of bindingEvents) window.addEventListener(type, bindAll, true);
  formObserver.observe(document, {
    __proto__: null, // a polluted Object.prototype must set no further option
    childList: true,
    subtree: true,
    attributeFilter: [URL_ATTRIBUTE],
  } as MutationObserverInit);
  bindAll();
}

function bindAll(): void {
  if (document.readyState === 'loading') return; // a form may be there without its fields
  for (const [form, binding] of bound) {
    const isHidden = unclobbered(form, 'hasAttribute')(HIDDEN);
    const isShownAnew = binding.isHidden && !isHidden;
    binding.isHidden = isHidden;
    // Morphing keeps the form, and gives it what the next page has: another address, or no mark.
    if (form.isConnected && urlOf(form) === binding.url && !isShownAnew) continue;
    // A page may take a form away that has ended. Its text stays until another form comes.
    const isTakenAway = isHidden && !form.isConnected;
    if (!isTakenAway) release(form, binding);
  }
  const forms = document.querySelectorAll<HTMLFormElement>(`form[${URL_ATTRIBUTE}]`);
  for (const form of forms) {
    if (bound.has(form)) continue;
    for (const [other, binding] of bound) if (!other.isConnected) release(other, binding);
    bound.set(form, bindAnew(form));
  }
}

function release(form: HTMLFormElement, { unbind }: Bound): void {
  unbind();
  bound.delete(form);
}

function urlOf(form: HTMLFormElement): string {
  return unclobbered(form, 'getAttribute')(URL_ATTRIBUTE) ?? '';
}

function bindAnew(form: HTMLFormElement): Bound {
  const url = urlOf(form);
  const { unbind } = bind(form, url);
  return { url, unbind, isHidden: false };
}

function bind(form: HTMLFormElement, url: string): Pick<CheckoutBinding, 'unbind'> {
  const options: Partial<CardFormOptions> = {};
  try {
    readShared(form, options);
    return bindCheckout(form, { ...options, url, headers: readHeaders(form) });
  } catch (error) {
    // The form has to be bound, so that each press ends in a message.
    return bindCardForm(form, { ...options, key: () => Promise.reject(error), onEncrypted() {} });
  }
}
