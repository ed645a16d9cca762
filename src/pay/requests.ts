import { CardEncryptionError, type EncryptedCard } from '../core/index.ts';
import { toJson } from '../form/page/to-json.ts';
import { createElement } from '../form/page/unclobbered.ts';
import type { CheckoutResponse } from './texts.ts';

type Signal = AbortSignal | undefined;

/** What a request has brought. */
export interface Received {
  response: CheckoutResponse;
  /** The header `Retry-After`, in milliseconds: 0 if there is none, NaN if it is a date. */
  retryAfterMs: number;
}

/**
 * The requests of a page to the address of `checkout.handle`. Each rejects with a
 * `CardEncryptionError`, whose message names the address, if it is not answered by that function.
 * What `headers` throws is thrown as it is.
 */
export function requestsTo(url: string, headers: () => Record<string, string>) {
  const address = resolved(url); // now: a page that changes its own address means the same one
  return {
    outcome: (signal: Signal) => send('GET', signal),
    key: (order: string | undefined, signal: Signal) => send('POST', signal, order),
    pay: (order: string | undefined, block: EncryptedCard, signal: Signal) =>
      send('POST', signal, order, toJson(block)),
  };

  /** @param order - The order that the page is of. The server refuses the request for another. */
  async function send(
    method: 'GET' | 'POST',
    signal: Signal,
    order?: string,
    body?: string,
  ): Promise<Received> {
    const own = headers(); // an error of the page is not one of the network
    let answered = 'did not answer';
    try {
      const response = await fetch(address, {
        // A polluted Object.prototype would add options.
        __proto__: null,
        method,
        mode: 'same-origin',
        credentials: 'same-origin', // not the default in Chrome before 72 and Firefox before 61
        cache: 'no-store',
        redirect: 'error',
        // A payment goes on if the shopper leaves the page.
        keepalive: body !== undefined,
        headers: {
          accept: 'application/json',
          ...(order !== undefined && { 'cardseal-order': encodeURIComponent(order) }),
          // As text, so that no parser of the server reads it.
          ...(body !== undefined && { 'content-type': 'text/plain' }),
          ...own,
        },
        body,
        signal,
      } as RequestInit);
      const retryAfterMs = 1000 * Number(response.headers.get('retry-after'));
      // No matter who refuses it: a proxy has its own limits.
      if (response.status === 429) return { response: { status: 'too_many' }, retryAfterMs };
      answered = `answered ${response.status} without a status: is it checkout.handle?`;
      const received: CheckoutResponse | null = await response.json();
      if (typeof received?.status === 'string') {
        if (isByCheckout(response.status, received.status))
          return { response: received, retryAfterMs };
        answered = `answered ${response.status} ${received.status}`;
      }
    } catch {} // no answer, a redirect, another origin, no JSON
    throw unavailable(`${method} ${url} ${answered}`);
  }
}

/** Without an error, whatever it is: the request fails then, and tells. */
function resolved(url: string): string {
  const link = createElement('a');
  link.href = url;
  return link.href;
}

/** The error of a gateway can be JSON with a `status`, too. It says nothing of a payment. */
function isByCheckout(code: number, status: string): boolean {
  if (code === 400) return status === 'invalid_encrypted_card';
  if (code === 404) return status === 'no_order';
  return code === 200;
}

export const unavailable = (message: string) => new CardEncryptionError('key_unavailable', message);
