import type { CardPaymentsError } from './card-payments.ts';
import { shortened } from './shortened.ts';

/** A problem that this module has found itself: its message is fixed words, and may be logged. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** The store does not do what `OrderStore` says. The message is fixed words: what to change. */
export class StoreContractError extends TypeError {
  override readonly name = 'StoreContractError';
}

/** The shop gives something else than an order. The message is fixed words: what to change. */
export class InvalidOrderError extends TypeError {}

/** Takes lines. It never throws, whatever the merchant's function does. */
export type Log = (line: string) => void;

export function safeLog(log: (line: string) => unknown): Log {
  return (line) => {
    try {
      const result = log(line);
      if (result instanceof Promise) result.catch(() => {});
    } catch {
      // A log that fails must not leave an order half done.
    }
  };
}

/**
 * An id in a line: quoted, and in ASCII, so that nothing in it can forge another line or steer a
 * terminal. Unicode has more line breaks than JSON escapes.
 */
export const quoted = (id: string): string =>
  JSON.stringify(shortened(id, LONGEST_ID)).split('').map(inAscii).join('');
const LONGEST_ID = 200;

const inAscii = (unit: string): string =>
  unit <= '~' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * What may be logged of an error: fixed words, or its name and codes. Its message may repeat what a
 * browser has posted.
 */
export function describe(error: unknown): string {
  if (IN_FIXED_WORDS.some((kind) => error instanceof kind)) return (error as Error).message;
  try {
    const { name, recovery, status, code } = Object(error) as Partial<CardPaymentsError>;
    const parts = [name, recovery, status, code].filter(isCode);
    return parts.length > 0 ? parts.join(', ') : 'it threw no Error';
  } catch {
    return 'it threw something that cannot be read';
  }
}

const IN_FIXED_WORDS = [Problem, StoreContractError, InvalidOrderError];
const LONGEST_CODE = 60;
const CODE_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-';

/** A name, a code or a number: nothing that could hold a text of somebody else. */
function isCode(part: unknown): boolean {
  if (typeof part === 'number') return true;
  if (typeof part !== 'string' || part === '' || part.length > LONGEST_CODE) return false;
  return [...part].every((character) => CODE_CHARACTERS.includes(character));
}
