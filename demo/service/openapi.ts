import { ERRORS, type ErrorCode, errorBody } from './errors.ts';
import type { CardEncryptionKey, CardPaymentIntent, SandboxState } from './schemas.ts';

/** Of the document, what is completed here. */
interface Operation {
  operationId?: string;
  parameters?: { name: string; example?: unknown }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { description?: string; headers?: object; content?: object }>;
}
interface Media {
  schema?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}
type Paths = Record<string, Record<string, Operation>>;

/** What no schema of a route says: errors with their exact statuses, examples, headers. */
export function completeOpenApi<T extends { paths?: unknown }>(document: T): T {
  for (const operations of Object.values((document.paths ?? {}) as Paths)) {
    for (const operation of Object.values(operations)) complete(operation);
  }
  return document;
}

/** Also without a body: one that comes nevertheless is refused. */
const ANY: ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'unsupported_media_type',
  'headers_too_large',
];
const WITH_BODY: ErrorCode[] = ['invalid_json', 'request_too_large'];
const API: ErrorCode[] = ['authentication_required', 'invalid_api_key', 'internal_error'];
const READING = [...ANY, ...API];
const POSTING = [...READING, ...WITH_BODY];
const REPEATED: ErrorCode[] = ['idempotency_key_in_use', 'idempotency_key_reused'];
const CHANGING: ErrorCode[] = [
  ...POSTING,
  ...REPEATED,
  'intent_not_found',
  'invalid_intent_state',
  'intent_busy',
];
const GUARDED: ErrorCode[] = ['forbidden_host', 'cross_site_request', 'internal_error', ...ANY];
const SWITCHING = [...GUARDED, ...WITH_BODY];

const KEY: CardEncryptionKey = {
  id: 'cek_5f0c1b7d9a3e48c2b6d1e0f7',
  scheme: 'RSA_OAEP_SHA256_V1',
  public_key: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA...',
  expires_at: 1767226500000,
};
const CREATED: CardPaymentIntent = {
  id: 'pi_card_0a1b2c3d4e5f60718293a4b5',
  amount: 1000,
  amount_captured: 0,
  amount_refunded: 0,
  currency: 'USD',
  status: 'created',
  status_at: null,
  processor_ref: null,
  failure_reason: null,
  cancellation_reason: null,
  capture_method: 'automatic',
  payment_method: null,
  description: null,
  statement_descriptor: null,
  metadata: {},
  created: 1767225600000,
  updated: 1767225600000,
  livemode: false,
};
const AUTHORIZED: CardPaymentIntent = {
  ...CREATED,
  capture_method: 'manual',
  status: 'authorized',
  status_at: 1767225660000,
  updated: 1767225660000,
  processor_ref: 'ref_112233445566778899aabbcc',
  payment_method: { brand: 'visa', last4: '4242' },
};
const COMMITTED: CardPaymentIntent = {
  ...AUTHORIZED,
  capture_method: 'automatic',
  status: 'committed',
  amount_captured: 1000,
};
const FAILED: CardPaymentIntent = {
  ...COMMITTED,
  status: 'failed',
  amount_captured: 0,
  failure_reason: 'card_declined',
  payment_method: null,
};
const CANCELLED: CardPaymentIntent = {
  ...CREATED,
  status: 'cancelled',
  status_at: 1767225660000,
  updated: 1767225660000,
  cancellation_reason: 'requested_by_customer',
};
const BLOCK = {
  payload: 'hJ3k...base64 of the RSA ciphertext...Zw==',
  key_id: KEY.id,
  layout: [
    { field: 'Pan', len: 16 },
    { field: 'Name', len: 12 },
    { field: 'ExpMonth', len: 2 },
    { field: 'ExpYear', len: 4 },
    { field: 'Cvc', len: 3 },
  ],
};
const SANDBOX: SandboxState = {
  now: 1767225660000,
  ahead_ms: 0,
  fresh_keys: false,
  explain: false,
  faults: { keys: null, create: null, authorize: null },
  payments: [
    {
      account: 'acct_bookshop',
      intent: COMMITTED,
      steps: [
        { what: 'created', at: 1767225600000 },
        { what: 'committed', at: 1767225660000 },
      ],
    },
  ],
  requests: [
    {
      at: 1767225660000,
      method: 'POST',
      route: '/payments/card/:id/authorize',
      status: 422,
      ms: 2,
      code: 'invalid_encryption_block',
      reason: 'The layout covers 41 of 42 bytes.',
      fault: null,
    },
  ],
};

interface Described {
  errors: ErrorCode[];
  /** Examples by name. */
  request?: Record<string, unknown>;
  /** Examples by name, of the one answer that is no error. */
  answer: Record<string, unknown>;
  /** Whether the request may have no body. */
  isBodyOptional?: true;
}

const OPERATIONS: Record<string, Described> = {
  createEncryptionKey: { errors: [...POSTING, 'service_busy'], answer: { key: KEY } },
  createIntent: {
    errors: [...POSTING, ...REPEATED],
    request: {
      automatic: { amount: 1000, currency: 'USD' },
      manual: { amount: 1000, currency: 'USD', capture_method: 'manual', description: 'Order 7' },
    },
    answer: { created: CREATED },
  },
  listIntents: {
    errors: [...READING, 'intent_not_found'],
    answer: { two: { data: [COMMITTED, CREATED], has_more: false } },
  },
  readIntent: { errors: [...READING, 'intent_not_found'], answer: { committed: COMMITTED } },
  authorizeIntent: {
    errors: [
      ...CHANGING,
      'unknown_encryption_key',
      'encryption_key_expired',
      'encryption_key_used',
      'invalid_encryption_block',
    ],
    request: { block: BLOCK },
    answer: { committed: COMMITTED, authorized: AUTHORIZED, failed: FAILED },
  },
  commitIntent: {
    errors: CHANGING,
    answer: { committed: { ...COMMITTED, capture_method: 'manual' } },
  },
  cancelIntent: {
    errors: CHANGING,
    request: { duplicate: { cancellation_reason: 'duplicate' } },
    answer: { cancelled: CANCELLED },
    isBodyOptional: true,
  },
  refundIntent: {
    errors: [...CHANGING, 'refund_too_large'],
    request: { part: { amount: 300 } },
    answer: { part: { ...COMMITTED, amount_refunded: 300 } },
    isBodyOptional: true,
  },
  readSandbox: { errors: GUARDED, answer: { state: SANDBOX } },
  setFault: {
    errors: SWITCHING,
    request: {
      once: { operation: 'authorize', fault: 'after-404', times: 1 },
      off: { operation: 'authorize', fault: null },
    },
    answer: { state: SANDBOX },
  },
  setClock: {
    errors: SWITCHING,
    request: { day: { advance_ms: 86_400_000 }, right: { ahead_ms: 0 } },
    answer: { state: SANDBOX },
  },
  resetSandbox: { errors: SWITCHING, answer: { state: SANDBOX } },
};

function complete(operation: Operation) {
  const described = OPERATIONS[operation.operationId ?? ''];
  if (!described) throw new Error('An operation of the document is not described');
  const { errors, request, answer, isBodyOptional } = described;
  for (const response of Object.values(operation.responses)) addExamples(response, answer);
  for (const status of new Set(errors.map((code) => ERRORS[code][0]))) {
    operation.responses[status] = errorResponse(
      status,
      errors.filter((code) => ERRORS[code][0] === status),
    );
  }
  const { requestBody, parameters = [] } = operation;
  if (requestBody && request) addExamples(requestBody, request);
  if (requestBody && isBodyOptional) requestBody.required = false;
  for (const parameter of parameters) {
    const example = PARAMETERS[parameter.name];
    if (example !== undefined) parameter.example = example;
  }
  const success = Object.values(operation.responses)[0]!;
  if (parameters.some(({ name }) => name === 'idempotency-key')) success.headers = REPLAYED;
}

const PARAMETERS: Record<string, unknown> = {
  id: CREATED.id,
  limit: 10,
  starting_after: CREATED.id,
  'idempotency-key': '6f1e9b0c-5a3d-4c1e-9a57-2f6d1b7c8e90',
};

const REPLAYED = {
  'Idempotent-Replayed': {
    description: 'true: this is the first response to the same Idempotency-Key, again.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const HEADERS_OF: Record<number, object> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string', enum: ['Bearer'] } } },
  503: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } },
};

function errorResponse(status: number, codes: ErrorCode[]) {
  const examples = codes.map((code) => [code, { value: errorBody(code) }] as const);
  return {
    description: codes.join(', '),
    ...(HEADERS_OF[status] && { headers: HEADERS_OF[status] }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function addExamples({ content }: { content?: object }, values: Record<string, unknown>) {
  const examples = Object.entries(values).map(([name, value]) => [name, { value }] as const);
  for (const media of Object.values((content ?? {}) as Record<string, Media>)) {
    media.examples = Object.fromEntries(examples);
  }
}
