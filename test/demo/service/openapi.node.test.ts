/** /openapi.json: what is in it. That all answers are as it says, the client of all tests checks. */
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS } from '../../../demo/service/errors.ts';
import { startService } from '../../support/card-payment-service.ts';

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  parameters?: { name: string; schema: object; example?: unknown }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<
    string,
    { description: string; headers?: object; content: Record<string, Media> }
  >;
}

const { app } = startService();
const operations: Record<string, Operation> = {};
let components: object;
beforeAll(async () => {
  const reply = await app.inject('/openapi.json');
  const document = reply.json();
  components = document.components;
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path as Record<string, Operation>))
      operations[operation.operationId] = operation;
});
afterAll(() => app.close());

test('each operation has an id', () => {
  expect(Object.keys(operations).sort()).toEqual([
    'authorizeIntent',
    'cancelIntent',
    'commitIntent',
    'createEncryptionKey',
    'createIntent',
    'listIntents',
    'readIntent',
    'readSandbox',
    'refundIntent',
    'resetSandbox',
    'setClock',
    'setFault',
  ]);
});

test('cancel and refund need no body; create and authorize do; the others have none', () => {
  const bodies = Object.values(operations).map(
    ({ operationId, requestBody }) => [operationId, requestBody?.required] as const,
  );
  expect(Object.fromEntries(bodies)).toEqual({
    authorizeIntent: true,
    cancelIntent: false,
    commitIntent: undefined,
    createEncryptionKey: undefined,
    createIntent: true,
    listIntents: undefined,
    readIntent: undefined,
    readSandbox: undefined,
    refundIntent: false,
    resetSandbox: undefined,
    setClock: true,
    setFault: true,
  });
});

test('each status is exact, and names the codes that have it', () => {
  for (const { responses } of Object.values(operations)) {
    for (const [status, { description }] of Object.entries(responses)) {
      expect(status).toMatch(/^\d{3}$/);
      if (Number(status) < 400) continue;
      for (const code of description.split(', ') as (keyof typeof ERRORS)[])
        expect(ERRORS[code][0]).toBe(Number(status));
    }
  }
  const { responses } = operations.createEncryptionKey!;
  const statuses = ['201', '400', '401', '408', '413', '415', '431', '500', '503'];
  expect(Object.keys(responses)).toEqual(statuses);
  expect(responses[503]!.headers).toHaveProperty('Retry-After');
});

describe('each example is valid', () => {
  const isValid = ({ schema }: { schema: object }, value: unknown) => {
    const [, errors] = Compile({ ...schema, components } as never).Errors(value);
    expect(errors).toEqual([]);
  };

  test('of bodies and answers, and each has one', () => {
    let count = 0;
    for (const { requestBody, responses } of Object.values(operations))
      for (const { content } of [
        ...Object.values(responses),
        ...(requestBody ? [requestBody] : []),
      ])
        for (const media of Object.values(content)) {
          const examples = Object.values(media.examples!);
          expect(examples).not.toEqual([]);
          for (const { value } of examples) isValid(media, value);
          count += examples.length;
        }
    expect(count).toBeGreaterThan(100);
  });

  test('of parameters', () => {
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) isValid(parameter, parameter.example);
  });
});
