/** A member of the form itself. On the form, a control named `action`, `elements` or `requestSubmit` stands in front of it. */
export function own<Member extends keyof HTMLFormElement & string>(form: HTMLFormElement, member: Member): HTMLFormElement[Member] {
  const value = Reflect.get(HTMLFormElement.prototype, member, form);
  return typeof value === 'function' ? value.bind(form) : value;
}
