import type { CardEncryptionKey, EncryptedCard } from '../core/types.ts';

/**
 * A client of the Card Payment Service, for your server.
 *
 * - A decline is an outcome, not an error: {@link CardPayments.authorize} resolves with an intent
 *   whose `status` is `failed`.
 * - The client never retries a request, but `fetch` repeats one that is answered with status 421.
 *   The `recovery` of an error says what the specification prescribes.
 * - An authorization gets a connection of its own where the runtime would send it again if a kept
 *   connection drops (Bun, Deno).
 * - The client sends the secret key to `baseUrl` only. The key never appears in an error or a log,
 *   nor when the client is inspected or converted to JSON.
 *
 * @example
 * ```ts
 * import { encryptCard } from 'cardseal';
 * import { CardPayments } from 'cardseal/checkout';
 * import { browserKey } from 'cardseal/server';
 *
 * const payments = new CardPayments({
 *   baseUrl: process.env.CARD_PAYMENTS_URL!,
 *   secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
 * });
 * const key = await payments.createEncryptionKey();
 * // In a shop, the page does this, with what `browserKey` returns:
 * const card = {
 *   number: '4242424242424242',
 *   name: 'Ada Lovelace',
 *   exp_month: '12',
 *   exp_year: '2049',
 *   cvv: '123',
 * };
 * const block = await encryptCard(browserKey(key), card);
 *
 * const { id } = await payments.createIntent({ amount: 1000, currency: 'USD' });
 * const intent = await payments.authorize(id, block);
 * console.log(intent.status); // committed
 * console.log(intent.payment_method?.last4); // 4242
 * ```
 */
export class CardPayments {
  readonly #baseUrl: string;
  readonly #secretKey: string;
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number;

  /**
   * Makes no request.
   *
   * @throws TypeError if an option is not what {@link CardPaymentsOptions} says.
   */
  constructor({ baseUrl, secretKey, timeoutMs = 30_000 }: CardPaymentsOptions) {
    const base = readBaseUrl(baseUrl);
    if (!base)
      throw new TypeError(
        'baseUrl must be https, or http to this machine, ' +
          'and have no credentials, query or fragment',
      );
    if (!isSecretKey(secretKey))
      throw new TypeError('secretKey must begin with sk_test_ or sk_live_');
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)
      throw new TypeError('timeoutMs must be milliseconds');
    this.#baseUrl = base;
    this.#secretKey = secretKey;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Requests a fresh encryption key for one checkout session. Forward only `id`, `scheme` and
   * `public_key` to the browser.
   *
   * @throws {@link CardPaymentsError}, always as a rejection: `ask_again` or `not_specified`.
   */
  createEncryptionKey(options: RequestOptions = {}): Promise<EncryptionKeyResource> {
    return this.#post('/payments/card/encryption-keys', {
      ...options,
      success: 201,
      isAnswer: isEncryptionKey,
    });
  }

  /**
   * Creates a draft intent, which fixes the amount and the currency. It involves no card. The
   * service validates `currency`; the specification shows only `USD`.
   *
   * @throws {@link CardPaymentsError}, always as a rejection: `ask_again` or `not_specified`.
   * @throws TypeError if `amount` is negative or not a safe integer. `amount` is in minor units:
   * 1000 is 10.00 USD.
   */
  async createIntent(
    draft: NewCardPaymentIntent,
    options: IdempotentOptions = {},
  ): Promise<CardPaymentIntent> {
    const { amount, currency, capture_method, description } = draft;
    if (!Number.isSafeInteger(amount) || amount < 0)
      throw new TypeError('amount must be a whole number of minor units');
    const body = { amount, currency, capture_method, description };
    return this.#post('/payments/card', { ...options, success: 201, body, isAnswer: isIntent });
  }

  /**
   * Charges or reserves the amount of an intent whose `status` is `created`. The `status` of the
   * answer is the outcome:
   *
   * - `committed`: the card is charged.
   * - `authorized`: the amount is reserved, because `capture_method` is `manual`.
   * - `failed`: the card is declined. `failure_reason` gives the reason.
   *
   * @param id - The id of the intent.
   * @param card - The encrypted card that the browser posted. First check that it belongs to this
   * checkout. Never log or store it.
   * @param options - An idempotency key, and a signal.
   * @throws {@link CardPaymentsError}, always as a rejection, with any {@link Recovery} but
   * `ask_again`.
   * @throws TypeError if `id` is not the id of an intent.
   */
  async authorize(
    id: string,
    card: EncryptedCard,
    options: IdempotentOptions = {},
  ): Promise<CardPaymentIntent> {
    if (!isIntentId(id)) throw new TypeError('id must be the id of a card payment intent');
    const { payload, key_id, layout } = card;
    const body = { payload, key_id, layout: layout.map(({ field, len }) => ({ field, len })) };
    const isAnswer = (answer: unknown): answer is CardPaymentIntent =>
      isIntent(answer) && answer.id === id;
    return this.#post(`/payments/card/${id}/authorize`, {
      ...options,
      success: 200,
      body,
      isAnswer,
      intentId: id,
    });
  }

  async #post<T>(path: string, options: Post<T>): Promise<T> {
    // Without a prototype: what a script has put into `Object.prototype` is no option.
    const { success, body, isAnswer, intentId, idempotencyKey, signal }: Post<T> = {
      __proto__: null,
      ...options,
    } as never;
    signal?.throwIfAborted(); // nothing has been sent
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#secretKey}`,
      Accept: 'application/json',
    };
    if (body) headers['Content-Type'] = 'application/json';
    if (idempotencyKey !== undefined) {
      if (!isVisibleAscii(idempotencyKey))
        throw new TypeError('idempotencyKey must be visible ASCII characters');
      headers['Idempotency-Key'] = idempotencyKey;
    }
    const { status, text, failure } = await exchange(
      `${this.#baseUrl}${path}`,
      this.timeoutMs,
      signal,
      {
        __proto__: null,
        method: 'POST',
        headers,
        redirect: 'manual', // another host would get the secret key
        ...(body && { body: JSON.stringify(body) }),
        ...(intentId !== undefined && ownConnection()),
      } as RequestInit,
    );
    if (status === success) {
      const answer = parseJson(text); // of a part of an answer, there is no text
      if (isAnswer(answer)) return answer;
    }
    if (status !== undefined && status >= 400 && status < 500 && !failure) {
      const code = encryptionErrorCode(text);
      const recovery = code ? RECOVERIES[code] : 'not_specified';
      throw new CardPaymentsError('The service refused the request', {
        recovery,
        status,
        code,
        intentId,
      });
    }
    // A lost answer may have been a payment. A lost key or draft charges nobody.
    const recovery = intentId ? 'resolve_intent' : 'ask_again';
    throw new CardPaymentsError(failure ?? 'The service did not answer as specified', {
      recovery,
      status,
      code: undefined,
      intentId,
    });
  }
}

/** Options for `CardPayments`. */
export interface CardPaymentsOptions {
  /** The service's {base_url}: https, or http on `localhost`, `127.0.0.1` and `[::1]`. */
  baseUrl: string;
  /** Begins with `sk_test_` or `sk_live_`. Never let it leave the server. */
  secretKey: string;
  /** How long one request may take, answer included, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
}

/** Options for one request. */
export interface RequestOptions {
  /**
   * Gives up waiting. The service may still have done its work. If it is aborted before the call,
   * nothing is sent, and the call rejects with its reason.
   */
  signal?: AbortSignal;
}

/** Options for a request that may be repeated. */
export interface IdempotentOptions extends RequestOptions {
  /**
   * Sent as the header `Idempotency-Key`: visible ASCII characters, such as a UUID. The
   * specification does not say how the service treats a repeated key.
   */
  idempotencyKey?: string;
}

/**
 * Times are Unix timestamps in milliseconds. Amounts are in minor units.
 *
 * Specification: "Card payment intent".
 */
export interface CardPaymentIntent {
  /** Prefixed `pi_card_`. */
  id: string;
  /** Fixed at creation. */
  amount: number;
  /** 0 until captured; equals `amount` after an automatic authorization that succeeded. */
  amount_captured: number;
  /** 0 until a refund. */
  amount_refunded: number;
  /** The specification shows only `USD`. */
  currency: string;
  /** `created`, `authorized`, `committed`, `failed`, or one that is not specified. */
  status: string;
  /** When the status last changed; null in `created`. */
  status_at: number | null;
  /** null until the processor has handled the payment. */
  processor_ref: string | null;
  /** null unless the intent failed. */
  failure_reason: string | null;
  /** null unless the intent was cancelled. */
  cancellation_reason: string | null;
  /** Fixed at creation. */
  capture_method: CaptureMethod;
  /**
   * null until authorization succeeds. `brand` is in lower case. `last4` is the last four digits of
   * the card number.
   */
  payment_method: { brand: string; last4: string } | null;
  /** As it was created. */
  description: string | null;
  /** Default null. The specification shows no limits for it. */
  statement_descriptor: string | null;
  /** Default `{}`. The specification shows no limits for it. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created: number;
  /** When it last changed. */
  updated: number;
  /** The specification shows only `false`, and not how it follows from the key. */
  livemode: boolean;
}

/** `automatic`: authorizing charges the card. `manual`: it only reserves the amount. */
export type CaptureMethod = 'automatic' | 'manual';

/** Specification: "POST /payments/card". */
export interface NewCardPaymentIntent {
  /** Minor units: 1000 is 10.00 in a two-decimal currency. */
  amount: number;
  /** A code such as `USD`. */
  currency: string;
  /** Whether authorizing charges the card. Default: `automatic`. */
  capture_method?: CaptureMethod | undefined;
  /** Free text. */
  description?: string | undefined;
}

/** Specification: "Card encryption key". */
export interface EncryptionKeyResource extends CardEncryptionKey {
  /** Unix timestamp in milliseconds. After this instant the key is no longer accepted. */
  expires_at: number;
}

/** The error codes that the specification gives. Specification: "Errors". */
export type EncryptionErrorCode =
  | 'encryption_key_expired'
  | 'unknown_encryption_key'
  | 'invalid_encryption_block';

/** What to do about an error. */
export type Recovery =
  /**
   * `encryption_key_expired`: request a new key and show the card form again. Only the shopper has
   * the card.
   */
  | 'restart_checkout'
  /**
   * `unknown_encryption_key`: fix your code. The `id` of the key response must come back unmodified
   * as `key_id`.
   */
  | 'forward_key_id'
  /**
   * `invalid_encryption_block`: fix your code. Check the field order, the byte lengths and the
   * public key.
   */
  | 'check_layout'
  /**
   * The outcome is unknown. Find out what happened to this intent. Never ask for the card again
   * automatically.
   */
  | 'resolve_intent'
  /** No key or draft arrived. Nobody was charged, so you can send the request again. */
  | 'ask_again'
  /** The service refused for a reason that the specification does not show: see `status`. */
  | 'not_specified';

const RECOVERIES = {
  encryption_key_expired: 'restart_checkout',
  unknown_encryption_key: 'forward_key_id',
  invalid_encryption_block: 'check_layout',
} as const satisfies Record<EncryptionErrorCode, Recovery>;

/**
 * What a request of {@link CardPayments} rejects with. The message is fixed text: nothing of the
 * request or the answer is in it.
 *
 * @example
 * ```ts
 * import { CardPayments, CardPaymentsError } from 'cardseal/checkout';
 *
 * const payments = new CardPayments({
 *   baseUrl: process.env.CARD_PAYMENTS_URL!,
 *   secretKey: 'sk_test_wrong',
 * });
 * try {
 *   await payments.createIntent({ amount: 1000, currency: 'USD' });
 * } catch (error) {
 *   if (!(error instanceof CardPaymentsError)) throw error;
 *   console.log(error.recovery); // not_specified
 *   console.log(error.status); // 401
 * }
 * ```
 */
export class CardPaymentsError extends Error {
  /** Always `CardPaymentsError`. */
  override readonly name = 'CardPaymentsError';
  /** What to do. */
  readonly recovery: Recovery;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** The error code, if the service gave one that the specification knows. */
  readonly code: EncryptionErrorCode | undefined;
  /** The intent that was to be authorized. */
  readonly intentId: string | undefined;

  /**
   * For a client of your own.
   *
   * @param message - Fixed text.
   * @param details - The other properties.
   */
  constructor(
    message: string,
    details: Pick<CardPaymentsError, 'recovery' | 'status' | 'code' | 'intentId'>,
  ) {
    super(message);
    this.recovery = details.recovery;
    this.status = details.status;
    this.code = details.code;
    this.intentId = details.intentId;
  }
}

interface Post<T> extends IdempotentOptions {
  success: 200 | 201;
  body?: object;
  isAnswer: (answer: unknown) => answer is T;
  intentId?: string;
}

/**
 * The limit for one answer. A key, an intent or an error of the specification takes less than
 * 2 KiB, plus the description that you sent.
 */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Sends one request and reads the whole answer within the time limit. It never rejects: if the
 * answer is missing or incomplete, `failure` gives the reason in fixed words.
 */
async function exchange(
  url: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  init: RequestInit,
) {
  // In Node 20, AbortSignal.any with AbortSignal.timeout can be garbage-collected before it fires.
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  let status: number | undefined;
  let text = '';
  let failure: string | undefined;
  try {
    init.signal = controller.signal;
    const response = await fetch(url, init);
    status = response.status;
    text = await readText(response);
  } catch {
    failure = 'The connection failed, or the answer was not text of a reasonable size';
    if (controller.signal.aborted)
      failure = signal?.aborted ? 'The request was aborted' : 'The service did not answer in time';
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
  return { status, text, failure };
}

/**
 * Bun 1.3 and Deno 2.9 send a POST again if a kept connection drops before it is answered: the card
 * could be authorized twice. Node does not.
 */
function ownConnection(): RequestInit & { client?: unknown } {
  const { Deno } = globalThis as { Deno?: { createHttpClient?(options: object): unknown } };
  if (!Deno?.createHttpClient) return 'Bun' in globalThis ? { keepalive: false } : {};
  denoClient ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  return { client: denoClient };
}
let denoClient: unknown;

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError(); // ends the loop, and that the connection
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * The specification does not define an error envelope, so the code can be any string in the answer.
 * If the answer contains two different codes, neither counts.
 */
function encryptionErrorCode(text: string): EncryptionErrorCode | undefined {
  const found = new Set<EncryptionErrorCode>();
  parseJson(text, (_, value) => {
    if (typeof value === 'string' && Object.hasOwn(RECOVERIES, value))
      found.add(value as EncryptionErrorCode);
    return value;
  });
  return found.size === 1 ? [...found][0] : undefined;
}

function parseJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined; // a JSON error repeats the text
  }
}

function readBaseUrl(value: string): string | undefined {
  try {
    const { protocol, hostname, origin, pathname, username, password, search, hash } = new URL(
      value,
    );
    const secure =
      protocol === 'https:' ||
      (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
    if (!secure || username || password || search || hash) return undefined;
    return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
  } catch {
    return undefined; // the URL's error repeats it
  }
}

type Check = (value: unknown) => boolean;
type Checks<T> = { readonly [field in keyof T]-?: Check };

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const KEY: Checks<EncryptionKeyResource> = {
  id: (value) => isText(value) && (value as string).startsWith('cek_'),
  scheme: isText,
  public_key: isText,
  expires_at: Number.isSafeInteger,
};

const INTENT: Checks<CardPaymentIntent> = {
  id: isIntentId,
  amount: Number.isSafeInteger,
  amount_captured: Number.isSafeInteger,
  amount_refunded: Number.isSafeInteger,
  currency: isText,
  status: isText,
  status_at: (value) => value === null || Number.isSafeInteger(value),
  processor_ref: isTextOrNull,
  failure_reason: isTextOrNull,
  cancellation_reason: isTextOrNull,
  capture_method: (value) => value === 'automatic' || value === 'manual',
  payment_method: (value) =>
    value === null || (isObject(value) && isText(value.brand) && isText(value.last4)),
  description: isTextOrNull,
  statement_descriptor: isTextOrNull,
  metadata: isObject,
  created: Number.isSafeInteger,
  updated: Number.isSafeInteger,
  livemode: (value) => typeof value === 'boolean',
};

const isEncryptionKey = (value: unknown): value is EncryptionKeyResource => hasShape(KEY, value);
const isIntent = (value: unknown): value is CardPaymentIntent => hasShape(INTENT, value);

function hasShape<T>(checks: Checks<T>, value: unknown): boolean {
  return (
    isObject(value) && Object.entries<Check>(checks).every(([field, check]) => check(value[field]))
  );
}

/** It goes into a path: letters, digits, `_` and `-` after the prefix. */
function isIntentId(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith('pi_card_') || value === 'pi_card_')
    return false;
  return [...value].every(
    (c) =>
      (c >= 'a' && c <= 'z') ||
      (c >= 'A' && c <= 'Z') ||
      (c >= '0' && c <= '9') ||
      c === '_' ||
      c === '-',
  );
}

function isSecretKey(value: unknown): value is string {
  return (
    isVisibleAscii(value) &&
    ['sk_test_', 'sk_live_'].some((prefix) => value.startsWith(prefix) && value !== prefix)
  );
}

/** The characters that a header may have. An error of `fetch` would repeat any others. */
function isVisibleAscii(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].every((c) => c >= '!' && c <= '~');
}
