/** What drivers give for a row. The databases themselves: test/interop/stores.test.ts. */
import { expect, test } from 'vitest';
import { StoreContractError } from '../../src/checkout/log.ts';
import { entryOf, listedEntryOf } from '../../src/checkout/order-row.ts';

const ROW = { id: 'order-1', value: '{}', version: 3 };

test.each([3, '3', 3n])('the version %o is read as a number', (version) => {
  const row = { ...ROW, version };
  expect(entryOf(row, 'order-1')).toEqual({ value: '{}', version: 3 });
  expect(listedEntryOf(row)).toEqual({ orderId: 'order-1', value: '{}', version: 3 });
});

test('an id that is a number in the table is text', () => {
  expect(listedEntryOf({ ...ROW, id: 17 }).orderId).toBe('17');
});

test.each([
  ['id', 'Order-1', 'cardseal_orders.id must compare exactly'],
  ['value', {}, 'cardseal_orders.value must be of a text type'],
  ['value', new Uint8Array(2), 'cardseal_orders.value must be of a text type'],
  ['version', 0, 'cardseal_orders.version must be of an integer type'],
  ['version', 1.5, 'cardseal_orders.version must be of an integer type'],
  ['version', null, 'cardseal_orders.version must be of an integer type'],
  ['version', 'one', 'cardseal_orders.version must be of an integer type'],
])('a row with the %s %o is refused', (column, value, message) => {
  const read = () => entryOf({ ...ROW, [column]: value }, 'order-1');
  expect(read).toThrow(StoreContractError);
  expect(read).toThrow(message);
});
