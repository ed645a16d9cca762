import { type Static, Type } from '@fastify/type-provider-typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { FAULTS, type FaultName, OPERATIONS } from './faults.ts';

// The shapes of everything that goes over the wire. Requests are validated against them,
// /openapi.json is made of them, and the tests hold
// every response against them. None has a `pattern`: a regular expression that matches keeps its
// subject, and a body can be a misposted card.

const keysOf = <T extends object>(object: T) => Object.keys(object) as [keyof T & string];
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false };
/** A hundred years. */
const MOST_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const Timestamp = Type.Integer({ description: 'Unix timestamp in milliseconds.' });

export const STATUSES = ['created', 'authorized', 'committed', 'failed', 'cancelled'] as const;
export const FAILURE_REASONS = [
  'card_declined',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'insufficient_funds',
  'invalid_expiry_month',
  'lost_card',
  'processing_error',
  'stolen_card',
] as const;
const CANCELLATION_REASONS = [
  'abandoned',
  'duplicate',
  'fraudulent',
  'requested_by_customer',
] as const;
export const BRANDS = [
  'amex',
  'diners',
  'discover',
  'jcb',
  'maestro',
  'mastercard',
  'unionpay',
  'visa',
  'unknown',
] as const;

const Amount = Type.Integer({
  minimum: 1,
  maximum: 99_999_999,
  description: 'Minor units: 1000 means 10.00 in a two-decimal currency.',
});
const Currency = Type.Enum(['AUD', 'CAD', 'CHF', 'EUR', 'GBP', 'JPY', 'USD'], {
  description: 'ISO 4217, in capitals.',
});
const CaptureMethod = Type.Enum(['automatic', 'manual']);
const Description = Type.String({ maxLength: 500 });
const StatementDescriptor = Type.String({ minLength: 1, maxLength: 22 });
const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
});

export const CardEncryptionKey = Type.Object(
  {
    id: Type.String({ description: 'Prefixed cek_. Sent back with the ciphertext as key_id.' }),
    scheme: Type.Literal('RSA_OAEP_SHA256_V1'),
    public_key: Type.String({ description: 'Base64 of a DER (SPKI) RSA public key.' }),
    expires_at: Type.Integer({
      description:
        'Unix timestamp in milliseconds. After this instant the key is no longer accepted.',
    }),
  },
  closed,
);

export const CardPaymentIntent = Type.Object(
  {
    id: Type.String({ description: 'Prefixed pi_card_.' }),
    amount: Amount,
    amount_captured: Type.Integer({ minimum: 0 }),
    amount_refunded: Type.Integer({ minimum: 0 }),
    currency: Currency,
    status: Type.Enum([...STATUSES]),
    status_at: nullable(Timestamp),
    processor_ref: nullable(Type.String()),
    failure_reason: nullable(Type.Enum([...FAILURE_REASONS])),
    cancellation_reason: nullable(Type.Enum([...CANCELLATION_REASONS])),
    capture_method: CaptureMethod,
    payment_method: nullable(
      Type.Object(
        { brand: Type.Enum([...BRANDS]), last4: Type.String({ minLength: 4, maxLength: 4 }) },
        closed,
      ),
    ),
    description: nullable(Description),
    statement_descriptor: nullable(StatementDescriptor),
    metadata: Metadata,
    created: Timestamp,
    updated: Timestamp,
    livemode: Type.Boolean(),
  },
  closed,
);

export const CardPaymentIntentList = Type.Object(
  {
    data: Type.Array(Type.Unsafe<CardPaymentIntent>(Type.Ref('CardPaymentIntent'))),
    has_more: Type.Boolean({ description: 'Whether older intents follow.' }),
  },
  closed,
);

export const CreateBody = Type.Object(
  {
    amount: Amount,
    currency: Currency,
    capture_method: Type.Optional(CaptureMethod),
    description: Type.Optional(nullable(Description)),
    statement_descriptor: Type.Optional(nullable(StatementDescriptor)),
    metadata: Type.Optional(Metadata),
  },
  closed,
);

/**
 * Types only. The processor validates the values of `field` and `len`, so that every layout that
 * does not match has one answer.
 */
export const EncryptedCardBlock = Type.Object(
  {
    payload: Type.String({ description: 'Base64 of the RSA ciphertext.' }),
    key_id: Type.String({ description: 'The id of the encryption key that was used.' }),
    layout: Type.Array(
      Type.Object(
        {
          field: Type.String({
            description: 'Pan, Name, ExpMonth, ExpYear, Cvc: each once, in this order.',
          }),
          len: Type.Integer({ description: "The UTF-8 byte length of that field's value." }),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const CancelBody = Type.Object(
  { cancellation_reason: Type.Optional(Type.Enum([...CANCELLATION_REASONS])) },
  closed,
);
export const RefundBody = Type.Object({ amount: Type.Optional(Amount) }, closed);

export const IntentParams = Type.Object({ id: Type.String() });
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    starting_after: Type.Optional(
      Type.String({
        description: 'The id of an intent: the list goes on with the next older one.',
      }),
    ),
  },
  closed,
);
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

export const ErrorResponse = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Enum(keysOf(ERRORS) as [ErrorCode]),
        message: Type.String(),
        param: Type.Optional(Type.String({ description: 'The field at fault.' })),
        reason: Type.Optional(
          Type.String({
            description: 'What is wrong with the block or the key; only with --explain.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
);

const Milliseconds = Type.Integer({ minimum: 0, maximum: MOST_MS });

export const FaultBody = Type.Object(
  {
    operation: Type.Enum([...OPERATIONS], { description: 'The requests that go wrong.' }),
    fault: nullable(
      Type.Enum(keysOf(FAULTS) as [FaultName], { description: 'null: they pass again.' }),
    ),
    times: Type.Optional(
      nullable(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'null, the default: all.' }),
      ),
    ),
    slow_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 600_000, description: 'How long a slow fault waits.' }),
    ),
  },
  closed,
);

export const ClockBody = Type.Object(
  {
    advance_ms: Type.Optional(Milliseconds),
    ahead_ms: Type.Optional(
      Type.Integer({
        minimum: -MOST_MS,
        maximum: MOST_MS,
        description: 'How far the clock is ahead of the real one; 0: it is right.',
      }),
    ),
  },
  { ...closed, minProperties: 1, maxProperties: 1 },
);

const Fault = nullable(
  Type.Object(
    {
      fault: Type.Enum(keysOf(FAULTS) as [FaultName]),
      times: nullable(Type.Integer()),
      slow_ms: Type.Integer(),
    },
    closed,
  ),
);

export const SandboxState = Type.Object(
  {
    now: Timestamp,
    ahead_ms: Type.Integer({ description: 'How far the clock is ahead of the real one.' }),
    fresh_keys: Type.Boolean(),
    explain: Type.Boolean(),
    faults: Type.Object({ keys: Fault, create: Fault, authorize: Fault }, closed),
    payments: Type.Array(
      Type.Object(
        {
          account: Type.String(),
          intent: Type.Unsafe<CardPaymentIntent>(Type.Ref('CardPaymentIntent')),
          steps: Type.Array(
            Type.Object({ what: Type.Enum([...STATUSES, 'refunded']), at: Timestamp }, closed),
          ),
        },
        closed,
      ),
      { description: 'Newest first.' },
    ),
    requests: Type.Array(
      Type.Object(
        {
          at: Timestamp,
          method: Type.String(),
          route: Type.String(),
          status: Type.Integer(),
          ms: Type.Integer({ description: 'How long the service took.' }),
          code: nullable(Type.String({ description: 'The code of an error.' })),
          reason: nullable(
            Type.String({ description: 'Why: of a card, lengths and names of fields at most.' }),
          ),
          fault: nullable(Type.String({ description: 'What went wrong with it on purpose.' })),
        },
        closed,
      ),
      { description: 'Newest first.' },
    ),
  },
  closed,
);

export type CardEncryptionKey = Static<typeof CardEncryptionKey>;
export type CardPaymentIntent = Static<typeof CardPaymentIntent>;
export type CardPaymentIntentList = Static<typeof CardPaymentIntentList>;
export type CreateBody = Static<typeof CreateBody>;
export type EncryptedCardBlock = Static<typeof EncryptedCardBlock>;
export type CancelBody = Static<typeof CancelBody>;
export type RefundBody = Static<typeof RefundBody>;
export type ListQuery = Static<typeof ListQuery>;
export type ErrorResponse = Static<typeof ErrorResponse>;
export type FaultBody = Static<typeof FaultBody>;
export type ClockBody = Static<typeof ClockBody>;
export type SandboxState = Static<typeof SandboxState>;
