/** O14: which values of a store are orders. What is none is never overwritten: surroundings. */
import { describe, expect, test } from 'vitest';
import { readStored } from '../../src/checkout/stored-value.ts';

const KEY = { id: 'cek_1', amount: 1000, currency: 'USD', expiresAt: 5000, block: 'a hash' };
const ATTEMPT = { token: 'random 1', keyId: 'cek_1', startedAt: 1000 };
const CLAIM = { token: 'random 1', until: 2000, tries: 1 };

const OPEN = {
  ...{ id: 'order-1', state: 'open', amount: 1000, currency: 'USD', capture_method: 'manual' },
  ...{ paid: null, intentId: null, sent: false, attempt: null, keyErrors: 0, keys: [KEY] },
  ...{ declines: 0, last: null },
};
const PAYING = { ...OPEN, state: 'paying', intentId: 'pi_1', sent: true, attempt: ATTEMPT };
const PAID = { ...OPEN, state: 'paid', paid: 'authorized', intentId: 'pi_1', delivery: CLAIM };

const read = (value: unknown) => readStored(JSON.stringify(value), 'order-1');

describe('an order', () => {
  test.each<[string, object]>([
    ['that is open', OPEN],
    ['whose key expired before 1970', { ...OPEN, keys: [{ ...KEY, expiresAt: -1 }] }],
    ['whose last card was declined', { ...OPEN, last: { status: 'failed' } }],
    ['whose card was sent before', { ...OPEN, sent: true, intentId: 'pi_1' }],
    ['whose intent is a draft', { ...OPEN, intentId: 'pi_1' }],
    ['that is being paid', PAYING],
    ['that is not certain', { ...PAYING, state: 'uncertain' }],
    ['that is paid', PAID],
    ['that is withdrawn', { ...OPEN, state: 'withdrawn' }],
    ['that is delivered', { ...PAID, paid: 'committed', delivery: 'done' }],
  ])('%s is read', (_, order) => {
    expect(read(order)).toEqual(order);
  });

  test('may leave out what was not stored before', () => {
    const { id: _, capture_method: __, declines: ___, last: ____, ...older } = OPEN;
    expect(read(older)).toEqual(older);
    expect(read({ ...OPEN, capture_method: 'automatic' })).toMatchObject({ id: 'order-1' });
  });

  test('of another id is refused, with the reason', () => {
    expect(() => read({ ...OPEN, id: 'Order-1' })).toThrow(
      'the store gave the value of order "Order-1". It must compare ids exactly: capital letters, ' +
        'accents and spaces at the end count',
    );
  });
});

describe('no order', () => {
  const property = (name: string, value: unknown): [string, unknown] => [
    `${name} ${JSON.stringify(value)}`,
    { ...OPEN, [name]: value },
  ];
  const missing = Object.keys(OPEN)
    .filter((name) => !['id', 'capture_method', 'declines', 'last'].includes(name))
    .map((name): [string, unknown] => [`without ${name}`, { ...OPEN, [name]: undefined }]);
  const parts = (whole: object, name: string, part: object) =>
    Object.keys(part).map((key): [string, unknown] => [
      `${name} without ${key}`,
      {
        ...whole,
        [name]:
          name === 'keys' ? [KEY, { ...part, [key]: undefined }] : { ...part, [key]: undefined },
      },
    ]);

  test.each<[string, unknown]>([
    ['a text', 'order-1'],
    ['null', null],
    ['a list', [OPEN]],
    ...missing,
    property('id', 1),
    property('state', 'lost'),
    property('amount', -1),
    property('amount', 0.5),
    property('amount', '1000'),
    property('currency', 1),
    property('capture_method', 'later'),
    property('capture_method', null),
    property('paid', 'failed'),
    property('intentId', 1),
    property('sent', 1),
    property('attempt', 'none'),
    property('keyErrors', -1),
    property('keys', {}),
    property('keys', [KEY, 'cek_2']),
    property('declines', 0.5),
    property('last', { status: 'paid' }),
    property('last', 'failed'),
    property('last', { status: 'failed', reason: null, keyId: 7 }),
    ['delivery of an unknown word', { ...PAID, delivery: 'begun' }],
    ['delivery null', { ...PAID, delivery: null }],
    ...parts(OPEN, 'keys', KEY),
    ...parts(PAYING, 'attempt', ATTEMPT),
    ...parts(PAID, 'delivery', CLAIM),
    ['open with an attempt', { ...OPEN, attempt: ATTEMPT }],
    ['open and sent without an intent', { ...OPEN, sent: true }],
    ['paying without an attempt', { ...PAYING, attempt: null }],
    ['paying without an intent', { ...PAYING, intentId: null }],
    ['paying, and nothing was sent', { ...PAYING, sent: false }],
    ['withdrawn with an attempt', { ...OPEN, state: 'withdrawn', attempt: ATTEMPT }],
    ['withdrawn, and sent', { ...OPEN, state: 'withdrawn', sent: true, intentId: 'pi_1' }],
    ['paid as nothing', { ...PAID, paid: null }],
    ['paid without an intent', { ...PAID, intentId: null }],
  ])('%s', (_, value) => {
    expect(() => read(value)).toThrow('its stored value is damaged');
  });

  test.each(['', '{', JSON.stringify(OPEN).slice(0, -1)])('the text %o', (text) => {
    expect(() => readStored(text, 'order-1')).toThrow('its stored value is damaged');
  });
});
