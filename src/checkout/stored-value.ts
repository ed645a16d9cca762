import type { StoredOrder } from './decide.ts';
import { Problem, quoted } from './log.ts';

/** The value of an order is damaged: staff have to say what became of the order. */
export class UnreadableOrder extends Problem {
  constructor() {
    super(
      'its stored value is damaged. Find out what became of the order, and call ' +
        'resolve({ id, amount, currency }, intent id, committed, authorized or not_paid)',
    );
  }
}

/**
 * O14: reads what the store has given for an order. A value that is not of this order must never
 * count as a new order, and never be overwritten.
 *
 * @throws Problem if it is the value of another order.
 * @throws UnreadableOrder if it is no value of an order.
 */
export function readStored(value: string, orderId: string): StoredOrder {
  let stored: StoredOrder;
  try {
    stored = JSON.parse(value);
  } catch {
    throw new UnreadableOrder();
  }
  if (!isOrder(stored)) throw new UnreadableOrder();
  const { id = orderId } = stored;
  const isAnother = id !== orderId; // O14
  if (isAnother)
    throw new Problem(
      `the store gave the value of order ${quoted(id)}. It must compare ids exactly: ` +
        'capital letters, accents and spaces at the end count',
    );
  return stored;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTime: Check = Number.isSafeInteger;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const has = (value: unknown, checks: Record<string, Check>): boolean =>
  isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...words: unknown[]): Check =>
  (value) =>
    words.includes(value);

const KEY = { id: isText, amount: isCount, currency: isText, expiresAt: isTime, block: isText };
const ATTEMPT = { token: isText, keyId: isText, startedAt: isTime };
const CLAIM = { token: isText, until: isTime, tries: isCount };
const LAST = { status: oneOf('failed', 'not_paid'), keyId: optional(isText) };

const ORDER: Record<string, Check> = {
  id: optional(isText),
  state: oneOf('open', 'paying', 'uncertain', 'paid', 'withdrawn'),
  amount: isCount,
  currency: isText,
  capture_method: optional(oneOf('automatic', 'manual')),
  paid: oneOf(null, 'committed', 'authorized'),
  intentId: (value) => value === null || isText(value),
  sent: oneOf(true, false),
  attempt: (value) => value === null || has(value, ATTEMPT),
  keyErrors: isCount,
  keys: (value) => Array.isArray(value) && value.every((key) => has(key, KEY)),
  declines: optional(isCount),
  last: (value) => value === undefined || value === null || has(value, LAST),
  delivery: (value) => value === undefined || value === 'done' || has(value, CLAIM),
};

/** Whether it has the shape of an order, and its parts fit together. */
function isOrder(value: unknown): value is StoredOrder {
  if (!has(value, ORDER)) return false;
  const { state, paid, intentId, sent, attempt } = value as StoredOrder;
  const isSent = sent && intentId !== null;
  switch (state) {
    case 'open':
      return attempt === null && (isSent || !sent);
    case 'withdrawn':
      return attempt === null && !sent;
    case 'paid':
      return paid !== null && intentId !== null;
    default:
      return isSent && attempt !== null;
  }
}
