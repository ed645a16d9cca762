/**
 * Every error of the service: its code, its HTTP status and its message. That of `invalid_request`
 * can be more exact. Nothing of a request is in any of them.
 */
export const ERRORS = {
  invalid_json: [400, 'The request body is not valid JSON, or a property comes twice in it.'],
  invalid_request: [
    400,
    'The request is not valid. See the description of the API at /openapi.json.',
  ],
  authentication_required: [
    401,
    'Send the secret key of your account: "Authorization: Bearer sk_test_...".',
  ],
  invalid_api_key: [
    401,
    'No account has this secret key, or it is a live-mode key and does not come from this machine.',
  ],
  forbidden_host: [
    403,
    'The page and the controls of the sandbox answer under the names of this machine only. ' +
      'See --allow-host.',
  ],
  cross_site_request: [403, 'Another site may not use the page and the controls of the sandbox.'],
  not_found: [404, 'There is no such operation. See the description of the API at /openapi.json.'],
  intent_not_found: [404, 'Your account has no card payment intent with this id.'],
  request_timeout: [408, 'The request took too long to arrive.'],
  invalid_intent_state: [
    409,
    'The card payment intent is not in a state that allows this operation.',
  ],
  intent_busy: [
    409,
    'The card payment intent is being authorized right now. ' +
      'Read it again before you decide what to do.',
  ],
  idempotency_key_in_use: [
    409,
    'A request with this Idempotency-Key is being processed right now.',
  ],
  request_too_large: [413, 'The request body is larger than 64 KiB.'],
  unsupported_media_type: [
    415,
    'Send a JSON body with "Content-Type: application/json" and without Content-Encoding.',
  ],
  unknown_encryption_key: [
    422,
    'Your account has no encryption key with this key_id. ' +
      'Forward the id of the key response unmodified.',
  ],
  encryption_key_expired: [
    422,
    'The encryption key has expired. Restart the checkout form with a new key.',
  ],
  encryption_key_used: [
    422,
    'The encryption key has been used: one key takes one block. ' +
      'Restart the checkout form with a new key.',
  ],
  invalid_encryption_block: [
    422,
    'The block cannot be decrypted, or the layout does not match its contents. ' +
      'Check the field order, the byte lengths and the public key. ' +
      'The encryption key is spent.',
  ],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key came with a different request before. ' +
      'Use a fresh one for every operation.',
  ],
  refund_too_large: [422, 'The refund is larger than what is captured and not yet refunded.'],
  headers_too_large: [431, 'The request headers are too large.'],
  internal_error: [500, 'The service failed.'],
  service_busy: [
    503,
    'Too many clients wait for an encryption key. Try again after the seconds of Retry-After.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  /**
   * @param reason - For the console and the page of the sandbox, and for the answer if the sandbox
   *   explains. Of a card it contains lengths and names of fields at most.
   */
  constructor(
    readonly code: ErrorCode,
    readonly reason?: string,
  ) {
    super(ERRORS[code][1]);
  }
}

/** What an error says beyond its code. */
export interface ErrorDetails {
  message?: string;
  /** The field at fault, by the name that the API gives it. */
  param?: string;
  /** Only if the sandbox explains. */
  reason?: string;
}

/** The body of every error response. */
export function errorBody(code: ErrorCode, details: ErrorDetails = {}) {
  return { error: { code, message: ERRORS[code][1], ...details } };
}
