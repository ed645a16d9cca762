/**
 * Reads a member of the form past its controls: a control named `action`, `elements` or
 * `requestSubmit` stands in front of the form's member of that name.
 */
export function unclobbered<Member extends keyof HTMLFormElement & string>(
  form: HTMLFormElement,
  member: Member,
): HTMLFormElement[Member] {
  const value = Reflect.get(HTMLFormElement.prototype, member, form);
  if (typeof value !== 'function') return value;
  // In happy-dom 21 a form is a proxy, which the prototype's methods refuse: its own method is
  // needed. `own` may also be a control of that name, but a control is not a function.
  const own = form[member];
  return (typeof own === 'function' ? own : value).bind(form);
}

/** All controls that belong to the form, those outside it with a `form` attribute included. */
export const elementsOf = (form: HTMLFormElement): Element[] => [...unclobbered(form, 'elements')];

/** Creates an element. An image named `createElement` stands in front of the document's member. */
export const createElement = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
): HTMLElementTagNameMap[Name] =>
  Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[Name];

/** The window of a form, which may be another one than the library's. */
export const windowOf = (form: HTMLFormElement): Window => form.ownerDocument.defaultView ?? window;
