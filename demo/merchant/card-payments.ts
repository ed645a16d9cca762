/**
 * A client of the Card Payment Service, for your server: one file without dependencies, made to be copied.
 *
 * - A decline is an outcome, not an error: {@link CardPayments.authorize} resolves with the intent in `failed`.
 * - Nothing is ever tried again by itself. An error says in `recovery` what the specification prescribes.
 * - The secret key is in no error, log, inspection or JSON of the client, and goes to the base address only.
 */
export class CardPayments {
  readonly #baseUrl: string;
  readonly #secretKey: string;
  readonly #timeoutMs: number;

  /** @throws TypeError if an option is not what {@link CardPaymentsOptions} says. */
  constructor({ baseUrl, secretKey, timeoutMs = 30_000 }: CardPaymentsOptions) {
    const base = readBaseUrl(baseUrl);
    if (!base)
      throw new TypeError(
        'baseUrl must be https, or http to this machine, and have no credentials, query or fragment',
      );
    if (!isSecretKey(secretKey))
      throw new TypeError('secretKey must begin with sk_test_ or sk_live_');
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)
      throw new TypeError('timeoutMs must be milliseconds');
    this.#baseUrl = base;
    this.#secretKey = secretKey;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * A fresh encryption key, for one checkout session. Forward `id`, `scheme` and `public_key` to the browser and nothing else.
   *
   * @throws {@link CardPaymentsError}
   */
  createEncryptionKey(options: RequestOptions = {}): Promise<CardEncryptionKey> {
    return this.#post('/payments/card/encryption-keys', {
      ...options,
      success: 201,
      isAnswer: isEncryptionKey,
    });
  }

  /**
   * A draft that fixes amount and currency; no card is involved. `currency`: the service judges it, the specification shows only `USD`.
   *
   * @throws {@link CardPaymentsError}; TypeError if `amount` is not a safe integer of minor units (1000 is 10.00 USD), zero or more.
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
   * Charges or reserves the amount of an intent in `created`. Look at `status` of the answer: `committed` (charged), `authorized` (reserved,
   * with `capture_method` `manual`) or `failed` (declined, see `failure_reason`).
   *
   * @param id - The intent's.
   * @param card - What the browser made of the card; check that it is of this checkout before. Never log or keep it.
   * @throws {@link CardPaymentsError}; TypeError if `id` is not an intent's.
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

  async #post<T>(
    path: string,
    { success, body, isAnswer, intentId, idempotencyKey, signal }: Post<T>,
  ): Promise<T> {
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
      this.#timeoutMs,
      signal,
      {
        method: 'POST',
        headers,
        redirect: 'manual', // another host would get the secret key
        ...(body && { body: JSON.stringify(body) }),
      },
    );
    if (status === success && !failure) {
      const answer = parseJson(text);
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

export interface CardPaymentsOptions {
  /** The service's {base_url}: https, or http on `localhost`, `127.0.0.1` and `[::1]`. */
  baseUrl: string;
  /** Begins with `sk_test_` or `sk_live_`. Never let it leave the server. */
  secretKey: string;
  /** How long one request may take, answer included, in milliseconds; 30,000. */
  timeoutMs?: number;
}

export interface RequestOptions {
  /** Gives up waiting. The service may have done what it was asked for all the same. */
  signal?: AbortSignal;
}

export interface IdempotentOptions extends RequestOptions {
  /** Sent as `Idempotency-Key`, visible ASCII, such as a UUID. How the service treats a repeated one is not specified. */
  idempotencyKey?: string;
}

/** One of the values that the specification shows, or one that it does not. */
type Open<Shown extends string> = Shown | (string & Record<never, never>);

/** Times are Unix timestamps in milliseconds, amounts are in minor units. Specification: "Card payment intent". */
export interface CardPaymentIntent {
  /** Prefixed `pi_card_`. */
  id: string;
  /** Fixed at creation. */
  amount: number;
  /** 0 until captured; equals `amount` after an automatic authorization that succeeded. */
  amount_captured: number;
  amount_refunded: number;
  currency: Open<'USD'>;
  /** More statuses exist: cancellation's is not specified. */
  status: Open<'created' | 'authorized' | 'committed' | 'failed'>;
  /** When the status last changed; null in `created`. */
  status_at: number | null;
  /** null until the processor has handled the payment. */
  processor_ref: string | null;
  /** null unless the intent failed. */
  failure_reason: string | null;
  /** null unless the intent was cancelled. */
  cancellation_reason: string | null;
  capture_method: CaptureMethod;
  /** null until authorization succeeds. `brand` in lower case; `last4`: the last four digits of the card number. */
  payment_method: { brand: string; last4: string } | null;
  description: string | null;
  statement_descriptor: string | null;
  metadata: Record<string, unknown>;
  created: number;
  updated: number;
  livemode: boolean;
}

export type CaptureMethod = 'automatic' | 'manual';

/** Specification: "POST /payments/card". */
export interface NewCardPaymentIntent {
  /** Minor units: 1000 is 10.00 in a two-decimal currency. */
  amount: number;
  currency: string;
  /** `automatic` unless given. */
  capture_method?: CaptureMethod;
  description?: string;
}

/** Specification: "Card encryption key". */
export interface CardEncryptionKey {
  /** Prefixed `cek_`; comes back with the ciphertext as `key_id`. */
  id: string;
  scheme: Open<'RSA_OAEP_SHA256_V1'>;
  /** Base64 of a DER (SPKI) RSA public key; not a secret. */
  public_key: string;
  /** Unix timestamp in milliseconds. After this instant the key is no longer accepted. */
  expires_at: number;
}

/** What the browser posts. `len`: bytes of UTF-8. Specification: "Encrypted card block". */
export interface EncryptedCard {
  payload: string;
  key_id: string;
  layout: { field: 'Pan' | 'Name' | 'ExpMonth' | 'ExpYear' | 'Cvc'; len: number }[];
}

/** The error codes that the specification gives. Specification: "Errors". */
export type EncryptionErrorCode =
  | 'encryption_key_expired'
  | 'unknown_encryption_key'
  | 'invalid_encryption_block';

/** What to do about an error. */
export type Recovery =
  | 'restart_checkout' // encryption_key_expired: request a new key and show the card form anew; only the shopper has the card
  | 'forward_key_id' // unknown_encryption_key: mend your code, the `id` of the key response must come back unmodified as `key_id`
  | 'check_layout' // invalid_encryption_block: mend your code, check field order, byte lengths and the public key
  | 'resolve_intent' // the outcome is unknown: find out what became of this intent; never ask for the card again by yourself
  | 'ask_again' // no key or draft came: nobody was charged, it can be asked for again
  | 'not_specified'; // refused for a reason that the specification does not show: see `status`

const RECOVERIES = {
  encryption_key_expired: 'restart_checkout',
  unknown_encryption_key: 'forward_key_id',
  invalid_encryption_block: 'check_layout',
} as const satisfies Record<EncryptionErrorCode, Recovery>;

/** The message is fixed text: nothing of the request or the answer is in it. */
export class CardPaymentsError extends Error {
  override readonly name = 'CardPaymentsError';
  readonly recovery: Recovery;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** The error code, if the service gave one that the specification knows. */
  readonly code: EncryptionErrorCode | undefined;
  /** The intent that was to be authorized. */
  readonly intentId: string | undefined;

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

/** The key, the intent and the errors of the specification take less than 2 KiB, and a description as much as was sent. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** One request and its whole answer within the time limit. Never rejects: `failure` says in fixed words why there is no whole answer. */
async function exchange(
  url: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  init: RequestInit,
) {
  const controller = new AbortController(); // AbortSignal.any with AbortSignal.timeout can be collected unfired in Node 20
  const stop = () => controller.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  let status: number | undefined;
  let text = '';
  let failure: string | undefined;
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
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

/** The envelope of errors is not specified, so the code is found wherever it stands; two different ones are none. */
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

const KEY: Checks<CardEncryptionKey> = {
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

const isEncryptionKey = (value: unknown): value is CardEncryptionKey => hasShape(KEY, value);
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

/** What may stand in a header: `fetch` repeats in its error what may not. */
function isVisibleAscii(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].every((c) => c >= '!' && c <= '~');
}
