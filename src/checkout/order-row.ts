/** A row of the table `cardseal_orders`, as a driver gives it. */
export type OrderRow = Record<string, unknown>;

/** What a store has found wrong with its table or its connection. */
export type OrderStoreErrorCode =
  /** The column `id` takes two ids for one, for example `a` and `A`. */
  | 'id_compares_loosely'
  /** The column `value` is not of a text type: `json` and `jsonb` give something else. */
  | 'value_is_not_text'
  /** The database has cut a value and reported success. */
  | 'value_was_cut'
  /** The column `version` is not an integer. */
  | 'version_is_not_an_integer'
  /** The connection has an open transaction, so what is written can still be rolled back. */
  | 'in_a_transaction';

/** The database would lose or mix up orders. The table or the connection must be changed. */
export class OrderStoreError extends Error {
  override readonly name = 'OrderStoreError';
  readonly code: OrderStoreErrorCode;

  constructor(code: OrderStoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads what a driver gives: numbers may come as text or as `bigint`.
 *
 * @param orderId - The id that was asked for.
 * @throws OrderStoreError if the table is not as the store's documentation says.
 */
export function entryOf(row: OrderRow, orderId: string): { value: string; version: number } {
  if (row.id !== orderId)
    throw new OrderStoreError(
      'id_compares_loosely',
      'cardseal_orders.id must compare exactly: upper and lower case, accents, spaces at the end',
    );
  return { value: textOf(row), version: versionOf(row) };
}

/** The same for a row that was not asked for by its id. */
export function listedEntryOf(row: OrderRow): { orderId: string; value: string; version: number } {
  return { orderId: String(row.id), value: textOf(row), version: versionOf(row) };
}

function textOf({ value }: OrderRow): string {
  if (typeof value === 'string') return value;
  throw new OrderStoreError(
    'value_is_not_text',
    'cardseal_orders.value must be of a text type: not JSON, JSONB or a binary type',
  );
}

function versionOf({ version }: OrderRow): number {
  const number = Number(version);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new OrderStoreError(
    'version_is_not_an_integer',
    'cardseal_orders.version must be of an integer type',
  );
}
