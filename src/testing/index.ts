/**
 * For tests of your page: keys, a server of one order, and a shopper's typing. It needs WebCrypto,
 * so it runs in browsers, in Node, and in jsdom with the platform's `crypto`: docs/testing.md
 *
 * Never use it in a shop: its private key is in the same program.
 */

import type { CardEncryptionKey, EncryptedCard } from '../core/index.ts';

/**
 * What a {@link fakeCheckout} does with a block: it answers with this outcome. `lost`: it pays, and
 * no response comes.
 */
export type Play =
  | 'committed'
  | 'authorized'
  | 'failed'
  | 'not_paid'
  | 'retry_is_safe'
  | 'not_certain'
  | 'lost';

/** A card as a shopper types it. */
export interface TypedCard {
  /** The card number, with spaces or without. */
  number: string;
  /** The name on the card. */
  name: string;
  /** `MM/YY`. */
  expiry: string;
  /** The security code. */
  cvv: string;
}

/** A card as it was encrypted. */
export interface OpenedCard {
  /** 12 to 19 digits. */
  number: string;
  /** The name on the card, as it was typed. */
  name: string;
  /** Two digits. */
  exp_month: string;
  /** Four digits. */
  exp_year: string;
  /** 3 or 4 digits. */
  cvv: string;
}

/** A server of one order. */
export interface FakeCheckout {
  /** Put it in the place of `fetch`. It answers every address as `checkout.handle` does. */
  fetch: typeof fetch;
  /** The cards that came, opened. */
  readonly cards: OpenedCard[];
  /** What was asked, in the order in which it came. */
  readonly requests: ('GET' | 'key' | 'pay')[];
  /** How often the order was charged. */
  readonly charges: number;
}

let pair: Promise<CryptoKeyPair> | undefined;

/** The key pair of this test run. Importing the module makes none. */
function keyPair(): Promise<CryptoKeyPair> {
  const algorithm = {
    name: 'RSA-OAEP',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  pair ??= crypto.subtle.generateKey(algorithm, true, ['encrypt', 'decrypt']);
  return pair;
}

/**
 * Makes a key for `bindCardForm` and `encryptCard`: each has another id, and all have the same key
 * pair of 2048 bits, which is made at the first call.
 *
 * @example
 * ```ts
 * import { testKey } from 'cardseal/testing';
 *
 * const { id, scheme } = await testKey();
 * console.log(scheme); // RSA_OAEP_SHA256_V1
 * console.log(id.startsWith('cek_test_')); // true
 * ```
 */
export async function testKey(): Promise<CardEncryptionKey> {
  const { publicKey } = await keyPair();
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
  const public_key = btoa(String.fromCharCode(...spki));
  return { id: `cek_test_${crypto.randomUUID()}`, scheme: 'RSA_OAEP_SHA256_V1', public_key };
}

const NAMES: Record<string, keyof OpenedCard> = {
  Pan: 'number',
  Name: 'name',
  ExpMonth: 'exp_month',
  ExpYear: 'exp_year',
  Cvc: 'cvv',
};

/**
 * Decrypts a block that was made under a {@link testKey}.
 *
 * @throws OperationError of WebCrypto, as a rejection, if it was made under another key.
 *
 * @example
 * ```ts
 * import { encryptCard } from 'cardseal';
 * import { openBlock, testKey } from 'cardseal/testing';
 *
 * const card = {
 *   number: '4242424242424242',
 *   name: 'Ada Lovelace',
 *   exp_month: '12',
 *   exp_year: '2049',
 *   cvv: '123',
 * };
 * const block = await encryptCard(await testKey(), card);
 * console.log((await openBlock(block)).name); // Ada Lovelace
 * ```
 */
export async function openBlock({ payload, layout }: EncryptedCard): Promise<OpenedCard> {
  const { privateKey } = await keyPair();
  const ciphertext = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  const plaintext = await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, ciphertext);
  const bytes = [...new Uint8Array(plaintext)];
  const card = {} as OpenedCard;
  for (const { field, len } of layout) card[NAMES[field]!] = textOf(bytes.splice(0, len));
  return card;
}

/** UTF-8. jsdom has no `TextDecoder`. */
function textOf(bytes: number[]): string {
  const escapes = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  return decodeURIComponent(escapes.join(''));
}

/**
 * A server for tests of a page with `bindCheckout`: the same block has the same outcome, and an
 * order is charged once.
 *
 * @param plays - What happens to each new block, in turn. After them: `committed`.
 *
 * @example
 * ```ts
 * import { encryptCard } from 'cardseal';
 * import { fakeCheckout } from 'cardseal/testing';
 *
 * const shop = fakeCheckout('failed'); // the first card is declined
 * const ask = async (body?: string) =>
 *   (await shop.fetch('/checkout', body ? { method: 'POST', body } : { method: 'POST' })).json();
 *
 * // In a test of a page, `bindCheckout` does this. `globalThis.fetch = shop.fetch` comes first.
 * const { key } = await ask();
 * const card = {
 *   number: '4242424242424242',
 *   name: 'Ada Lovelace',
 *   exp_month: '12',
 *   exp_year: '2049',
 *   cvv: '123',
 * };
 * const { status } = await ask(JSON.stringify(await encryptCard(key, card)));
 * console.log(status); // failed
 * console.log(shop.charges); // 0
 * console.log(shop.cards[0]?.name); // Ada Lovelace
 * ```
 */
export function fakeCheckout(...plays: Play[]): FakeCheckout {
  /** By the id of the key; `undefined` until a block of it has come. */
  const outcomes = new Map<string, object | undefined>();
  const cards: OpenedCard[] = [];
  const requests: FakeCheckout['requests'] = [];
  let charges = 0;
  let current: { status: string; last?: string } = { status: 'open' };
  let before: Promise<unknown> = Promise.resolve();
  return {
    fetch: inTurn as unknown as typeof fetch,
    cards,
    requests,
    get charges() {
      return charges;
    },
  };

  /** Each request waits for the one before it, because that may be a payment. */
  function inTurn(_url: unknown, { method = 'GET', body }: RequestInit = {}) {
    const request = method === 'GET' ? 'GET' : body ? 'pay' : 'key';
    requests.push(request);
    const answered = before.then(() => (request === 'pay' ? pay(String(body)) : answer(request)));
    before = answered.catch(() => {});
    return answered;
  }

  async function answer(request: 'GET' | 'key') {
    if (request === 'GET' || current.status !== 'open') return responseOf(current);
    const key = await testKey();
    outcomes.set(key.id, undefined);
    return responseOf({ ...current, order: 'test', key });
  }

  async function pay(text: string) {
    const block = blockIn(text);
    const known = block && outcomes.get(block.key_id);
    const isNew = block && !known && outcomes.has(block.key_id);
    const card = isNew && (await openBlock(block).catch(() => undefined));
    if (card) cards.push(card);
    if (current.status !== 'open') return responseOf(current);
    if (known) return responseOf(known);
    if (!block || (isNew && !card)) return responseOf({ status: 'invalid_encrypted_card' }, 400);
    const { key_id } = block;
    if (!isNew) return responseOf({ status: 'no_order', key_id }, 404);
    const play = plays.shift() ?? 'committed';
    const outcome = outcomeOf(play);
    outcomes.set(key_id, outcome);
    if ('reference' in outcome) charges += 1;
    const isSettled = 'reference' in outcome || play === 'not_certain';
    const ofBlock = play === 'retry_is_safe' ? {} : { key_id };
    current = isSettled ? outcome : { ...outcome, status: 'open', last: play, ...ofBlock };
    if (play === 'lost') throw new TypeError('The response is lost');
    return responseOf(outcome);
  }
}

/** `undefined` if the text is no JSON of a block. */
function blockIn(text: string): EncryptedCard | undefined {
  try {
    const block = JSON.parse(text);
    return block.key_id && block.payload && block.layout ? block : undefined;
  } catch {
    return undefined;
  }
}

function outcomeOf(play: Play) {
  switch (play) {
    case 'lost':
      return { status: 'committed', reference: 'pi_card_test' };
    case 'committed':
    case 'authorized':
      return { status: play, reference: 'pi_card_test' };
    case 'failed':
      return { status: play, reason: null };
    case 'not_certain':
      return { status: play, order: 'test' };
    default:
      return { status: play };
  }
}

/** jsdom has no `Response`. */
function responseOf(body: object, status = 200) {
  const headers = { get: () => null };
  return { ok: status === 200, status, headers, json: async () => body };
}

/** A card that the form accepts, for {@link typeCard}. */
export const TEST_CARD: Readonly<TypedCard> = {
  number: '4242 4242 4242 4242',
  name: 'Ada Lovelace',
  expiry: '12/49',
  cvv: '123',
};

const CONTROLS: Record<keyof TypedCard, string> = {
  number: '[autocomplete~=cc-number], [data-cardseal-field=number]',
  name: '[autocomplete~=cc-name], [data-cardseal-field=name]',
  expiry: '[autocomplete~=cc-exp], [data-cardseal-field=expiry]',
  cvv: '[autocomplete~=cc-csc], [data-cardseal-field=cvv]',
};

/**
 * Types a card into a form that has one control for each field, as a shopper does: frameworks see
 * it, too.
 *
 * @param form - Its controls have `autocomplete` or `data-cardseal-field`.
 * @param card - What differs from {@link TEST_CARD}.
 * @throws Error if the form has no control for a field.
 *
 * @example
 * ```ts
 * // type-card.ts
 * import { typeCard } from 'cardseal/testing';
 *
 * const form = document.querySelector<HTMLFormElement>('#checkout')!;
 * typeCard(form, { cvv: '835' });
 * form.querySelector('button')!.click();
 * ```
 */
export function typeCard(form: HTMLFormElement, card: Partial<TypedCard> = {}): void {
  const values = { ...TEST_CARD, ...card };
  for (const field of Object.keys(CONTROLS) as (keyof TypedCard)[]) {
    const input = form.querySelector<HTMLInputElement>(CONTROLS[field]);
    if (!input) throw new Error(`The form has no control for ${field}`);
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')!;
    set!.call(input, values[field]); // past the property that React puts on the element
    const { Event } = form.ownerDocument.defaultView!;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
