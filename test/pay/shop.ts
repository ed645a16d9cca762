/** What the tests of `bindCheckout` share: a page with a form, and a shop that really pays. */
import { vi } from 'vitest';
import { bindCheckout, type CheckoutFormOptions } from '../../src/pay/index.ts';
import { html, later } from '../support/form.ts';
import type { Fault, Kind, Seen } from '../support/servers/checkout.ts';

export const PAID = 'Thank you. You have paid.';
export const DECLINED = 'Your card was declined. You have not paid. Please try another card.';
export const NO_ANSWER =
  'We do not know yet whether you have paid. Press the button again: you cannot pay twice.';

/** The sandbox declines this one. */
export const DECLINED_NUMBER = '4000000000000002';
const CARD = { number: '4242424242424242', name: 'Ada Lovelace', exp: '12/39', csc: '123' };

export type Shop = ReturnType<typeof openShop>;

export function openShop(content = html()) {
  const id = crypto.randomUUID();
  const url = `/shop/${id}/checkout`;
  const host = document.body.appendChild(document.createElement('main'));
  later(() => host.remove());
  host.innerHTML = `<form>${content}</form>`;
  const form = host.querySelector('form')!;
  const tell = async (path: string): Promise<Seen> => (await fetch(`/shop/${id}/${path}`)).json();

  const waitFor = (text: string) => vi.waitFor(() => see(host, text), { timeout: 20_000 });

  /** Types a card and presses. Waits until the shopper reads `text`. */
  async function pay(card: Partial<typeof CARD> = {}, text = PAID): Promise<void> {
    typeCard(form, card);
    form.querySelector('button')!.click();
    await waitFor(text);
  }

  return {
    id,
    url,
    host,
    form,
    bind: (options: Partial<CheckoutFormOptions> = {}) => bindAt(form, { url, ...options }),
    type: (card: Partial<typeof CARD> = {}) => typeCard(form, card),
    press: () => form.querySelector('button')!.click(),
    pay,
    decline: () => pay({ number: DECLINED_NUMBER }, DECLINED),
    /** What the next request of a kind meets. */
    next: (kind: Kind, fault: Fault) => tell(`fault/${kind}/${fault}`),
    go: () => tell('go'),
    seen: () => tell('seen'),
    /** All that the shopper reads beside the labels. */
    reads: () => readIn(host),
    waitFor,
    /** When the key is there. */
    ready: () => vi.waitFor(async () => hasKey(await tell('seen')), { timeout: 20_000 }),
  };
}

/** Binds a form for the time of the test. */
export function bindAt(form: HTMLFormElement, options: CheckoutFormOptions) {
  const binding = bindCheckout(form, options);
  later(() => binding.unbind());
  return binding;
}

function hasKey({ requests }: Seen): void {
  if (!requests.includes('key')) throw new Error('no key was requested');
}

export function typeCard(form: HTMLFormElement, card: Partial<typeof CARD> = {}): void {
  for (const [word, value] of Object.entries({ ...CARD, ...card })) {
    const input = form.querySelector<HTMLInputElement>(`[autocomplete=cc-${word}]`)!;
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

export function readIn(host: HTMLElement): string {
  const lines = [...host.querySelectorAll('[role=status], [role=alert]')];
  return lines.map(({ textContent }) => textContent).join('');
}

function see(host: HTMLElement, text: string): void {
  const read = readIn(host);
  if (read !== text) throw new Error(`the shopper reads "${read}"`);
}
