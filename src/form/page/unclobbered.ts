/*
 * A page may declare a variable or a class of any name, such as `Event`. So the library asks an
 * object in hand for its prototype, and never names an interface of the platform. The few without
 * such an object are read from `window`, which a `const` or `class` of the page leaves as it is.
 */

/** That of the platform: a form with `is` may have one of the page's. */
let formPrototype: HTMLFormElement | undefined;

/**
 * Reads a member of the form, even if the form has a control of that name, such as `action` or
 * `submit`. The library reads the members of a form like this, unless nobody would name a control
 * after them, as with `isConnected`, `ownerDocument` or `getClientRects`.
 */
export function unclobbered<Member extends keyof HTMLFormElement & string>(
  form: HTMLFormElement,
  member: Member,
): HTMLFormElement[Member] {
  formPrototype ??= Object.getPrototypeOf(createElement('form')) as HTMLFormElement;
  const value = Reflect.get(formPrototype, member, form);
  if (typeof value !== 'function') return value;
  // In happy-dom 21 a form is a proxy, which the prototype's methods refuse: its own method is
  // needed. `own` may also be a control of that name, but a control is not a function.
  const own = form[member];
  return (typeof own === 'function' ? own : value).bind(form);
}

/** All controls that belong to the form, those outside it with a `form` attribute included. */
export const elementsOf = (form: HTMLFormElement): Element[] => [...unclobbered(form, 'elements')];

/** Creates an element, even if the page has an image named `createElement`. */
export const createElement = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
): HTMLElementTagNameMap[Name] =>
  Object.getPrototypeOf(document).createElement.call(document, name);

/** Creates an event, which `initEvent` gives its type. */
export const createEvent = (): Event =>
  Object.getPrototypeOf(document).createEvent.call(document, 'Event');

/** The document or shadow root of an element. An element that is in none yet gets the document. */
export function rootOf(element: Element): Document | ShadowRoot {
  const root = element.getRootNode?.(); // an unsupported browser may have none
  const isRoot = root !== undefined && 'getElementById' in root;
  return isRoot ? (root as Document | ShadowRoot) : element.ownerDocument;
}
