import { StoreContractError } from './log.ts';

/** A row of the table `cardseal_orders`, as a driver gives it. */
export type OrderRow = Record<string, unknown>;

/**
 * Reads what a driver gives: numbers may come as text or as `bigint`.
 *
 * @param orderId - The id that was asked for.
 * @throws StoreContractError if the table is not as the store's documentation says.
 */
export function entryOf(row: OrderRow, orderId: string): { value: string; version: number } {
  if (row.id !== orderId)
    throw new StoreContractError(
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
  throw new StoreContractError(
    'cardseal_orders.value must be of a text type: not JSON, JSONB or a binary type',
  );
}

function versionOf({ version }: OrderRow): number {
  const number = Number(version);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new StoreContractError('cardseal_orders.version must be of an integer type');
}
