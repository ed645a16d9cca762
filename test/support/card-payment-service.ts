import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { Compile } from 'typebox/schema';
import { expect } from 'vitest';
import { ACCOUNTS, createService, type ServiceOptions } from '../../demo/service/app.ts';
import { generateRsaKeyPair, type KeyPair } from '../../demo/service/processor/index.ts';
import type {
  CardEncryptionKey,
  CardPaymentIntent,
  CardPaymentIntentList,
  CreateBody,
  EncryptedCardBlock,
  ErrorResponse,
} from '../../demo/service/schemas.ts';

export const NOON = Date.UTC(2026, 5, 15, 12);
export const CARD = {
  number: '4242424242424242',
  name: 'Zoë Ångström',
  exp_month: '12',
  exp_year: '2030',
  cvv: '123',
};

export interface Reply {
  status: number;
  headers: Record<string, unknown>;
  /** Whichever of these the operation answers with. */
  body: CardEncryptionKey & CardPaymentIntent & CardPaymentIntentList & ErrorResponse;
  text: string;
}

/** Status and error code. */
export const errorOf = ({ status, body }: Reply) => [status, body.error?.code];

type Description = {
  components: object;
  paths: Record<string, Record<string, { responses: Record<string, { content: Json }> }>>;
};
type Json = Record<'application/json', { schema: object }>;

interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  secretKey?: string | null;
}

/** Two real RSA pairs for all the keys of a file: generating one for each key would take minutes. What needs fresh pairs says so. */
const pairs: Promise<KeyPair>[] = [];
let issued = 0;
export function recycledKeyPair(): Promise<KeyPair> {
  while (pairs.length < 2) pairs.push(generateRsaKeyPair(2048));
  return pairs[issued++ % 2]!;
}

/** A service with a clock that stands still until it is set, and a client for it that holds every response against /openapi.json. */
export function startService(options: ServiceOptions = {}) {
  const time = { now: NOON };
  const app = createService({
    clock: () => time.now,
    generateKeyPair: recycledKeyPair,
    ...options,
  });

  async function call(
    method: 'GET' | 'POST',
    url: string,
    { body, headers, secretKey }: CallOptions = {},
  ): Promise<Reply> {
    const authorization =
      secretKey === null ? {} : { authorization: `Bearer ${secretKey ?? ACCOUNTS[0].secretKey}` };
    const payload =
      body === undefined
        ? {}
        : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await app.inject({
      method,
      url,
      ...payload,
      headers: { ...payload.headers, ...authorization, ...headers },
    });
    const reply = {
      status: response.statusCode,
      headers: response.headers,
      body: response.json(),
      text: response.payload,
    };
    await expectAsDescribed(method, url, reply);
    return reply;
  }

  const validators = new Map<string, ReturnType<typeof Compile>>();
  async function expectAsDescribed(method: string, url: string, { status, body }: Reply) {
    const path = url.split('?')[0]!.replace(/\/pi_card_[^/]*/, '/{id}');
    const response = `${method} ${path}, ${status}`;
    if (!validators.has(response)) {
      await app.ready();
      const { paths, components } = app.swagger() as unknown as Description;
      const responses = paths[path]?.[method.toLowerCase()]?.responses ?? {};
      const described = responses[status]?.content['application/json'].schema;
      const schema =
        described ?? (paths[path] ? undefined : { $ref: '#/components/schemas/Error' });
      expect(schema, `${response}: is not described`).toBeDefined();
      validators.set(response, Compile({ ...schema, components }));
    }
    const [, errors] = validators.get(response)!.Errors(body);
    expect(errors, `${response}: is not as described`).toEqual([]);
  }

  const create = async (
    body: Partial<CreateBody> = {},
    options: CallOptions = {},
  ): Promise<CardPaymentIntent> =>
    (
      await call('POST', '/payments/card', {
        body: { amount: 1000, currency: 'USD', ...body },
        ...options,
      })
    ).body;
  const requestKey = async (options: CallOptions = {}): Promise<CardEncryptionKey> =>
    (await call('POST', '/payments/card/encryption-keys', options)).body;
  const authorize = async (id: string, body: unknown, options: CallOptions = {}) =>
    call('POST', `/payments/card/${id}/authorize`, { body, ...options });
  const pay = async (
    card: Partial<typeof CARD> = {},
    body: Partial<CreateBody> = {},
  ): Promise<CardPaymentIntent> => {
    const { id } = await create(body);
    return (await authorize(id, seal(await requestKey(), { ...CARD, ...card }))).body;
  };

  return { app, time, call, create, requestKey, authorize, pay };
}

/** A block made without the library: by OpenSSL, from any text and any layout. */
function sealText(
  key: CardEncryptionKey,
  plaintext: string | Uint8Array,
  layout: EncryptedCardBlock['layout'],
): EncryptedCardBlock {
  const publicKey = createPublicKey({
    key: Buffer.from(key.public_key, 'base64'),
    format: 'der',
    type: 'spki',
  });
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const ciphertext = publicEncrypt(
    { key: publicKey, padding, oaepHash: 'sha256' },
    Buffer.from(plaintext as Uint8Array),
  );
  return { payload: ciphertext.toString('base64'), key_id: key.id, layout };
}

export function seal(key: CardEncryptionKey, card = CARD): EncryptedCardBlock {
  return sealText(key, plaintextOf(card), layoutOf(card));
}

export const plaintextOf = (card = CARD) =>
  card.number + card.name + card.exp_month + card.exp_year + card.cvv;

export function layoutOf(card = CARD): EncryptedCardBlock['layout'] {
  return [
    { field: 'Pan', len: Buffer.byteLength(card.number) },
    { field: 'Name', len: Buffer.byteLength(card.name) },
    { field: 'ExpMonth', len: Buffer.byteLength(card.exp_month) },
    { field: 'ExpYear', len: Buffer.byteLength(card.exp_year) },
    { field: 'Cvc', len: Buffer.byteLength(card.cvv) },
  ];
}
