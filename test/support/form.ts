/** What the tests of the form share: a page with a card form that posts for real, into a frame of its own. */
import { test, vi } from 'vitest';
import { server, userEvent } from 'vitest/browser';
import type { CardEncryptionError, EncryptedCard } from '../../src/core/index.ts';
import { bindCardForm, type CardFormBinding, type CardFormOptions } from '../../src/form/index.ts';
import { freshKey } from './core.ts';
import type { Sent } from './servers/echo.ts';

export const CONTROLS = {
  number: '<label>Card number <input autocomplete="cc-number" inputmode="numeric"></label>',
  name: '<label>Name on card <input autocomplete="cc-name"></label>',
  expiry: '<label>Expiry date <input autocomplete="cc-exp"></label>',
  cvv: '<label>Security code <input autocomplete="cc-csc" inputmode="numeric"></label>',
};
export const FIELDS = Object.values(CONTROLS).join('');
export const BUTTON = '<button>Pay</button>';
export const CARD_BUTTON = '<button type="button" data-cardseal-button>Send</button>';
/** What follows it is out of view. */
export const FAR = '<div style="height: 3000px">Order summary</div>';

export const html = (controls: Partial<typeof CONTROLS> = {}) =>
  Object.values({ ...CONTROLS, ...controls }).join('') + BUTTON;

/** What a shopper types, by field, and what is encrypted of it. */
export const TYPED = {
  number: '4929 1192 8374 6509',
  name: 'Zoë Quillow',
  expiry: '11/49',
  exp_month: '11',
  exp_year: '2049',
  cvv: '583',
};
export const CARD = {
  number: '4929119283746509',
  name: 'Zoë Quillow',
  exp_month: '11',
  exp_year: '2049',
  cvv: '583',
};

/** Another card of the same shopper. */
export const OTHER = { ...TYPED, number: '4111 1111 1111 1111', cvv: '999' };
export const OTHER_CARD = { ...CARD, number: '4111111111111111', cvv: '999' };

/** What stands in the card controls of a plain page, typed and emptied. */
export const KEPT = [TYPED.number, TYPED.name, TYPED.expiry, TYPED.cvv];
export const EMPTY = ['', '', '', ''];

export type Control = HTMLInputElement | HTMLSelectElement;

export interface Page {
  /** Everything is in here. */
  host: HTMLElement;
  form: HTMLFormElement;
  /** What the form has raised so far. */
  errors: CardEncryptionError[];
  ready: number;
  encrypted: string[];
  /** How many submits have got past the library. */
  passes: number;
  control(field: string): Control;
  controls(): Control[];
  button(text?: string): HTMLButtonElement;
  /** What the server has got so far. */
  sent(): Promise<Sent[]>;
  /** Waits until the server has got something more, and the frame has its answer. */
  arrived(): Promise<Sent[]>;
}

/**
 * Real events where Playwright drives the engine, otherwise simulated ones. Without a delay, because
 * Vitest 4.1 waits for that with fake timers.
 */
export const user = (userEvent.setup as (options: { delay: null }) => typeof userEvent)({
  delay: null,
});

const undo: (() => void)[] = [];
/** Something to undo when the test is over. */
export const later = (action: () => void) => undo.push(action);
export const undoAll = () => {
  for (const action of undo.splice(0).reverse()) action();
};

/** A page with a form of this content. `around` puts the form somewhere: `FORM` stands for it. */
export function open(content = html(), attributes = 'method="post"', around = 'FORM'): Page {
  const id = crypto.randomUUID();
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = `<iframe name="${id}"></iframe><main></main>`;
  const [frame, main] = host.children as unknown as [HTMLIFrameElement, HTMLElement];
  main.innerHTML = around.replace(
    'FORM',
    `<form action="/echo/${id}" target="${id}" ${attributes}>${content}</form>`,
  );
  later(() => host.remove());
  const form = main.querySelector('form')!;
  const elements = () => [
    ...(Reflect.get(HTMLFormElement.prototype, 'elements', form) as HTMLFormControlsCollection),
  ];
  let seen = 0;
  const page: Page = {
    host: main,
    form,
    errors: [],
    ready: 0,
    encrypted: [],
    passes: 0,
    control: (field) => elements().find((element) => fieldOf(element) === field) as Control,
    controls: () => elements().filter((element) => fieldOf(element)) as Control[],
    button: (text = 'Pay') =>
      elements().find((element) => element.textContent === text) as HTMLButtonElement,
    sent: async () => (await fetch(`/sent/${id}`)).json(),
    arrived: async () => {
      for (let loaded = next(frame, 'load'); ; ) {
        await loaded;
        loaded = next(frame, 'load'); // before the question: it may come meanwhile
        const sent = await page.sent();
        if (sent.length === seen) continue; // Firefox fires a load for the empty frame, too
        seen = sent.length;
        return sent;
      }
    },
  };
  const listen = EventTarget.prototype.addEventListener.bind(form);
  listen('cardseal:error', ({ detail }: CustomEventInit) => page.errors.push(detail));
  listen('cardseal:ready', () => page.ready++);
  listen('cardseal:encrypted', ({ detail }: CustomEventInit) => page.encrypted.push(detail.key_id));
  listen('submit', () => page.passes++);
  return page;
}

const FIELD_OF: Record<string, string> = {
  'cc-number': 'number',
  'cc-name': 'name',
  'cc-given-name': 'given_name',
  'cc-family-name': 'family_name',
  'cc-exp': 'expiry',
  'cc-exp-month': 'exp_month',
  'cc-exp-year': 'exp_year',
  'cc-csc': 'cvv',
};
const fieldOf = (element: Element) => {
  const tokens = (element.getAttribute('autocomplete') ?? '').toLowerCase().split(/\s+/);
  return (
    (element as HTMLElement).dataset.cardsealField ??
    tokens.map((token) => FIELD_OF[token]).find(Boolean)
  );
};

/** Binds until the test is over; a fresh key unless the test brings one. */
export function bind(
  form: HTMLFormElement,
  options: Partial<CardFormOptions> = {},
): CardFormBinding {
  const binding = bindCardForm(form, { key: () => freshKey(), ...options });
  later(() => binding.unbind());
  return binding;
}

/** Puts a card into the controls as a script or a browser's autofill may: without an event. */
export function fill(page: Page, values: Record<string, string> = TYPED): void {
  for (const [field, value] of Object.entries(values)) {
    const control = page.control(field);
    if (control) control.value = value;
  }
}

/** What stands in the page's card controls now. */
export const values = (page: Page) => page.controls().map(({ value }) => value);

/** The next event of that type on the target. */
export const next = <T extends Event = Event>(target: EventTarget, type: string) =>
  new Promise<T>((resolve) =>
    EventTarget.prototype.addEventListener.call(target, type, (event) => resolve(event as T), {
      once: true,
    }),
  );

/** Presses a button and waits for the error that the form raises. */
export async function refused(page: Page, button = page.button()): Promise<CardEncryptionError> {
  const raised = next<CustomEvent>(page.form, 'cardseal:error');
  button.click();
  return (await raised).detail;
}

/** Presses a button and waits until the server has got something, and the frame its answer. */
export async function posted(page: Page, button = page.button()): Promise<Sent[]> {
  const arrived = page.arrived();
  button.click();
  return arrived;
}

/** Binds with `onEncrypted`, fills, presses the button, and gives what was encrypted. */
export async function pay(
  page: Page,
  values?: Record<string, string>,
  options: Partial<CardFormOptions> = {},
): Promise<EncryptedCard> {
  const encrypted = new Promise<EncryptedCard>((resolve, reject) => {
    bind(page.form, { onEncrypted: resolve, ...options });
    next<CustomEvent>(page.form, 'cardseal:error').then(({ detail }) => reject(detail));
  });
  fill(page, values);
  page.button().click();
  return encrypted;
}

/**
 * Whether clicks and keys of `user` are the engine's own, as Playwright makes them. Elsewhere a
 * script dispatches them, and the form treats them so: real ones are in test/shops, in every engine.
 */
export const hasRealInput = server.provider === 'playwright';
export const testRealInput = test.runIf(hasRealInput);

/** A click that counts as the shopper's, where the engine's driver can make one. */
export const clickAsShopper = (page: Page, button = page.button()) => user.click(button);

/** Presses by a script, and waits until nothing more happens by itself. */
export async function press(page: Page, button = page.button()): Promise<void> {
  button.click();
  await settled(page);
}

/** Presses by a script, and waits for a submit that gets past the library. */
export async function passed(page: Page, button = page.button()): Promise<SubmitEvent> {
  const submit = next<SubmitEvent>(page.form, 'submit');
  button.click();
  return submit;
}

/** A page whose own submit listener cancels every submit; `blocks` has the block of each. */
export function cancelling(content = html()) {
  const page = open(content);
  const blocks: (string | null)[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    blocks.push(blockIn(page));
  });
  return { page, blocks };
}

/** When nothing is under way in the form. */
export const idle = (page: Page) =>
  vi.waitUntil(() => {
    // After a second the form says this, and is busy without the attribute.
    return !page.form.hasAttribute('aria-busy') && statusOf(page) !== 'One moment, please.';
  });

/** When the tasks that the last press has started are over, as far as they wait for nothing. */
export async function settled(page: Page): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
  if (page.encrypted[0]) await new Promise((resolve) => setTimeout(resolve));
}

/** A page that has cancelled the submit of a card, with the block in the form's data. */
export async function cancelled(content = html(), options: Partial<CardFormOptions> = {}) {
  const page = open(content);
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const binding = bind(page.form, options);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  return { page, binding };
}

/** The block in what was sent. */
export const blockOf = ({ body }: Sent): EncryptedCard =>
  JSON.parse(Object.fromEntries(body).encrypted_card!);

/** The block in the data of the form, as JSON. */
export const blockIn = ({ form }: Page) =>
  new FormData(form).get('encrypted_card') as string | null;

/** What the status line says, the page's own or the library's; `undefined` if it says nothing. */
export const statusOf = ({ form }: { form: HTMLFormElement }): string | undefined => {
  const root = form.getRootNode() as Document | ShadowRoot;
  const lines = [...root.querySelectorAll('[data-cardseal-status], [data-cardseal-line]')];
  // The line of a form that cannot be seen stands outside.
  const own = lines.filter((line) => (line.closest('form') ?? form) === form);
  return own.map(({ textContent }) => textContent).find(Boolean) || undefined;
};

const isWrong = (control: Element) => control.getAttribute('aria-invalid') === 'true';

/** The fields whose controls are marked as wrong, in the order of the page. */
export const wrongFields = (page: Page) => page.controls().filter(isWrong).map(fieldOf);

/** The text beside a control, in an element of the page that the control names. */
function textBeside(control: Element): string | undefined {
  const root = control.getRootNode() as Document | ShadowRoot;
  const named = ['aria-errormessage', 'aria-describedby'].map((name) => control.getAttribute(name));
  const elements = named.flatMap((ids) => ids?.split(' ').map((id) => root.getElementById(id)));
  const own = elements.find((element) => element?.hasAttribute('data-cardseal-message'));
  return own?.textContent || undefined;
}

/** Whether the form is bound, by what it shows. */
export const isBound = (form: HTMLFormElement) =>
  form.querySelector('[data-cardseal-line], [data-cardseal-status][role]') !== null;

/** What the shopper reads: beside the first wrong control, or in the status line. */
export function textRead(page: Pick<Page, 'form' | 'controls'>): string | undefined {
  const first = page.controls().find(isWrong);
  const beside = first && textBeside(first);
  return beside ?? statusOf(page);
}

/** Counts what the library has WebCrypto encrypt, beside the one byte by which it tries each key. */
export function countEncryptions() {
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt');
  return () => encrypt.mock.calls.filter(([, , data]) => data.byteLength > 1).length;
}

export { deferred } from './deferred.ts';
