/** What the tests of the script tag share: whole pages, in frames, that load the built file and submit for real. */
import { onTestFinished } from 'vitest';
import { commands } from 'vitest/browser';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import { freshKey } from './core.ts';
import { CONTROLS, TYPED } from './form.ts';
import type { Answer, Got } from './servers/pages.ts';

await commands.assertBuilt();

export const TAG = '<script src="/dist/cardseal.js"></script>';

/** What stands in `integrity`, by file. */
export const integrity = async (): Promise<Record<string, string>> =>
  (await fetch('/dist/integrity.json')).json();

export const otherOrigin = async () => (await fetch('/other-origin')).text();

/** An address whose answers are up to the test: until the first `say`, it keeps who asks waiting. */
export function endpoint(answer?: Answer) {
  // Without digits: the check shows no address that may hold a card number.
  const id = crypto.randomUUID().replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
  const endpoint = {
    path: `/answer/${id}`,
    say: async (answer: Answer) =>
      void (await fetch(`/say/${id}`, { method: 'PUT', body: JSON.stringify(answer) })),
    got: async (): Promise<Got[]> => (await fetch(`/got/${id}`)).json(),
  };
  if (answer) endpoint.say(answer);
  return endpoint;
}

/** A script of the page. */
export const script = (body: string) =>
  endpoint({ headers: { 'Content-Type': 'text/javascript' }, body });

/**
 * What Prototype 1.6 and 1.7.0 give arrays and elements. Callbacks get no third argument, and an
 * element that is nowhere cannot be removed.
 */
export const prototypeScript = () =>
  script(`var array = Array.prototype;
  array.toJSON = function () {
    return '[' + this.map(function (it) { return JSON.stringify(it); }).join(', ') + ']';
  };
  array.reduce = function () { return this.length > 1 ? this : this[0]; };
  array.entries = function () { return this.slice(); };
  ['map', 'filter', 'find', 'some', 'every'].forEach(function (name) {
    var native = array[name];
    array[name] = function (callback, self) {
      return native.call(this, function (it, i) { return callback.call(self, it, i); });
    };
  });
  HTMLElement.prototype.remove = function () {
    this.parentNode.removeChild(this);
    return this;
  };`);

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export const keyAttribute = (key: CardEncryptionKey = freshKey()) =>
  `data-cardseal-key="${escapeHtml(JSON.stringify(key))}"`;

interface Parts {
  head?: string;
  /** Of the form, besides `method`, `action` and `data-cardseal`. */
  attributes?: string;
  controls?: string;
  /** Instead of the form. */
  body?: string;
  tail?: string;
  /** Look at the page before it is whole. */
  early?: boolean;
  /** Put the page into the attribute `srcdoc` of its frame. */
  srcdoc?: boolean;
  headers?: Record<string, string>;
}

type PageWindow = Window & typeof globalThis & { seen: string[] };

export type TagPage = Awaited<ReturnType<typeof visit>>;

/** Opens a page with a card form in a frame. */
export async function visit({
  head = TAG,
  attributes = keyAttribute(),
  controls = Object.values(CONTROLS).join(''),
  body,
  tail = '',
  early = false,
  srcdoc = false,
  headers = {},
}: Parts = {}) {
  const target = endpoint({ body: '<!doctype html><title>received</title>' });
  const form = `<form method="post" action="${target.path}" data-cardseal ${attributes}>${controls}<button>Pay</button></form>`;
  const source = endpoint();
  const html = `<!doctype html><meta charset="utf-8"><script src="/spy.js"></script>${head}${body ?? form}${tail}`;
  await source.say({ headers, body: html });
  const frame = document.createElement('iframe');
  onTestFinished(() => frame.remove());
  if (srcdoc) frame.srcdoc = html;
  else frame.src = source.path;
  document.body.append(frame);
  const page = {
    target,
    window: frame.contentWindow as PageWindow,
    get document() {
      return frame.contentDocument!;
    },
    get form() {
      return (
        page.document.querySelector<HTMLFormElement>('form[data-cardseal]') ??
        page.document.forms[0]!
      );
    },
    /** What a page's author finds in the console. */
    get seen() {
      return page.window.seen;
    },
    /** Adds a script to the page and waits for it. */
    async load(src: string) {
      const script = page.document.createElement('script');
      script.src = src;
      const loaded = new Promise((resolve) => script.addEventListener('load', resolve));
      page.document.head.append(script);
      await loaded;
    },
    loaded: () =>
      new Promise<void>((resolve) =>
        frame.addEventListener('load', () => resolve(), { once: true }),
      ),
    control: (field: keyof typeof CONTROLS) =>
      page.document.querySelector<HTMLInputElement>(`[autocomplete=${TOKENS[field]}]`)!,
    controls: () => (Object.keys(CONTROLS) as (keyof typeof CONTROLS)[]).map(page.control),
    fill(typed: Partial<Record<keyof typeof CONTROLS, string>> = {}) {
      for (const field of Object.keys(CONTROLS) as (keyof typeof CONTROLS)[])
        page.control(field).value = typed[field] ?? TYPED[field];
    },
    press: () => page.document.querySelector('button')!.click(),
    /** Fills in the card, presses the button, and waits until the server has got the form: what stood in it. */
    async pay(): Promise<[string, string][]> {
      page.fill();
      const answered = page.loaded();
      page.press();
      await answered;
      return page.posted();
    },
    /** Fills in the card, presses the button, and waits for the error that the form raises: its code, and what the console says. */
    async refused(typed: Partial<Record<keyof typeof CONTROLS, string>> = {}): Promise<string> {
      page.fill(typed);
      const raised = new Promise<CustomEvent>((resolve) =>
        EventTarget.prototype.addEventListener.call(
          page.form,
          'cardseal:error',
          (event) => resolve(event as CustomEvent),
          { once: true },
        ),
      );
      const sent = page.loaded().then(() => {
        throw new Error('The form is sent, and not refused');
      });
      page.press();
      return (await Promise.race([raised, sent])).detail.code;
    },
    async posted(): Promise<[string, string][]> {
      const forms = (await target.got()).map(
        ({ headers, body }) =>
          new Response(body, { headers: { 'Content-Type': headers['content-type']! } }),
      );
      const entries = await Promise.all(forms.map(async (form) => [...(await form.formData())]));
      return entries.flat().map(([name, value]) => [name, String(value)]);
    },
  };
  const whole = page.loaded();
  if (early)
    while (
      !frame.contentDocument?.querySelector('button') ||
      frame.contentDocument.URL === 'about:blank'
    )
      await nextTask();
  else await whole;
  return page;
}

const TOKENS = { number: 'cc-number', name: 'cc-name', expiry: 'cc-exp', cvv: 'cc-csc' };

const nextTask = () => new Promise((resolve) => setTimeout(resolve, 10));
