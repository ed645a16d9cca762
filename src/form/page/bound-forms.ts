/** A bound form, and how it handles the events of its page. */
export interface BoundForm {
  readonly form: HTMLFormElement;
  /** A submit, or a click of a button with `data-cardseal-button`. */
  onPress(event: Event, kind: 'submit' | 'click', button: HTMLElement | null): void;
  /** The shopper has done anything, anywhere in the page. */
  onShopper(): void;
  onReset(event: Event): void;
  onFormData(data: FormData): void;
  /** The shopper has gone to a control of the form. */
  onFocus(): void;
  /** The shopper or a script changed a control of the form. */
  onChange(control: Element): void;
  onPageHide(): void;
  onPageRestored(): void;
  unbind(): void;
}

/** Those of this page. */
export const boundForms: BoundForm[] = [];

export const findBoundForm = (form: unknown): BoundForm | undefined =>
  boundForms.find((bound) => bound.form === form);

/** The listeners stay: without a bound form they do nothing. */
export function removeBoundForm(bound: BoundForm): void {
  boundForms.splice(boundForms.indexOf(bound), 1);
}
