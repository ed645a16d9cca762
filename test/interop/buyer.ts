/**
 * A shopper without a browser: asks for pages, reads them, encrypts a card and posts it. For tests
 * that need many payments; the shops' own tests have real browsers.
 */
import { JSDOM } from 'jsdom';
import { type CardEncryptionKey, encryptCard } from '../../src/core/index.ts';
import { shownOf } from '../../src/pay/texts.ts';

/** What a page tells about an order. `open`: a form, and nothing that went before. */
export type Told = 'open' | 'paid' | 'declined' | 'not_paid' | 'retry_is_safe' | 'not_certain';

/** How a shop says it, in its headings and notices. */
export interface Words {
  paid: string;
  declined: RegExp;
  refused: RegExp;
  retry: RegExp;
  unclear: string;
}

/**
 * What a page tells.
 *
 * @param text - Of its headings and alerts.
 * @param hasForm - Whether a card can be entered.
 * @throws Error if it tells none of it, or a form stands beside what rules it out.
 */
export function readTold(text: string, hasForm: boolean, words: Words): Told {
  if (!hasForm) {
    if (text.includes(words.paid)) return 'paid';
    if (text.includes(words.unclear)) return 'not_certain';
  } else {
    if (words.declined.test(text)) return 'declined';
    if (words.refused.test(text)) return 'not_paid';
    if (words.retry.test(text)) return 'retry_is_safe';
    if (!text.includes(words.paid) && !text.includes(words.unclear)) return 'open';
  }
  throw new Error(`The page tells something else: ${text}`);
}

export class Buyer {
  /** The address of the page. */
  #address = '';
  #document!: Document;
  /** Tabs share it. */
  #jar = { cookie: '' };

  constructor(private readonly words: Words) {}

  /** The same shopper on the same page, in another tab. */
  inAnotherTab(): Buyer {
    const tab = new Buyer(this.words);
    tab.#address = this.#address;
    tab.#document = this.#document;
    tab.#jar = this.#jar;
    return tab;
  }

  /** Opens a page, as a link or a reload does. */
  async open(address = this.#address): Promise<this> {
    return this.#request(address);
  }

  /** The id of the order, as the page tells it to a shopper whose payment is not certain. */
  get orderId(): string {
    const [id] = /(order_[\w-]+|\b[0-9a-f]{16}\b)/.exec(this.#document.body.textContent) ?? [];
    if (!id) throw new Error('The page names no order');
    return id;
  }

  /** Submits the form that there is on the page, with these fields beside its hidden ones. */
  async submit(fields: Record<string, string> = {}): Promise<this> {
    const form = this.#document.querySelector('form')!;
    const action = checkoutUrl(form) ?? form.action;
    const sent = 'input[type=hidden][name], input:checked[name]';
    const hidden = [...form.querySelectorAll<HTMLInputElement>(sent)];
    const body = new URLSearchParams(hidden.map(({ name, value }) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return this.#request(new URL(action, this.#address).href, { method: 'POST', body });
  }

  /** A block under the key of the page. */
  async encrypt(number: string): Promise<string> {
    const card = { number, name: 'Ada', exp_month: '12', exp_year: '2039', cvv: '123' };
    return JSON.stringify(await encryptCard(await this.#key(), card));
  }

  /** What the page tells. */
  told(): Told {
    const texts = [...this.#document.querySelectorAll('h1, [role=alert]')];
    const text = texts.map(({ textContent }) => textContent).join('\n');
    return readTold(text, this.#form !== null, this.words);
  }

  get #form(): HTMLFormElement | null {
    return this.#document.querySelector(
      'form[data-cardseal], form[data-cardseal-url], form[data-url]',
    );
  }

  /** It is in the page, or the page's script asks for it. */
  async #key(): Promise<CardEncryptionKey> {
    const form = this.#form!;
    const { cardsealKey, cardsealKeyUrl, cardsealCsrfHeader } = form.dataset;
    if (cardsealKey) return JSON.parse(cardsealKey);
    const token = this.#document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content;
    const answer = await fetch(new URL(checkoutUrl(form) ?? cardsealKeyUrl!, this.#address), {
      method: 'POST',
      headers: {
        cookie: this.#jar.cookie,
        ...(token && { [cardsealCsrfHeader ?? 'X-CSRF-Token']: token }),
      },
    });
    if (!answer.ok) throw new Error(`No key: ${answer.status}`);
    const body = (await answer.json()) as CardEncryptionKey & { key?: CardEncryptionKey };
    return body.key ?? body;
  }

  /**
   * What `cardseal/pay` does when the page is there: shows the outcome, and the form if it is open.
   */
  async #showOutcome(): Promise<void> {
    const form = this.#form;
    const url = form && checkoutUrl(form);
    if (!form || !url) return;
    const headers = { cookie: this.#jar.cookie };
    const answer = await fetch(new URL(url, this.#address), { headers });
    const { text, isClosed } = shownOf((await answer.json()) as Parameters<typeof shownOf>[0]);
    this.#document.querySelector('[data-cardseal-outcome]')!.textContent = text;
    if (isClosed) form.remove();
  }

  async #request(address: string, init: RequestInit = {}): Promise<this> {
    const headers = { cookie: this.#jar.cookie, accept: 'text/html' };
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0];
    if (cookie) this.#jar.cookie = cookie;
    const location = answer.headers.get('location');
    if (location) return this.#request(new URL(location, address).href);
    this.#address = address;
    this.#document = new JSDOM(await answer.text(), { url: address }).window.document;
    await this.#showOutcome();
    return this;
  }
}

/** The one address of `checkout.handle`: for the script file, or for a script of the shop. */
function checkoutUrl({ dataset }: HTMLFormElement): string | undefined {
  return dataset.cardsealUrl ?? dataset.url;
}
