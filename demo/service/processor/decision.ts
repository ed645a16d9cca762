import { randomBytes } from 'node:crypto';
import type { BRANDS, FAILURE_REASONS } from '../schemas.ts';
import { type CardFields, toNumber } from './card-fields.ts';

export type Brand = (typeof BRANDS)[number];
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The processor's answer when it can read the card. An approval contains the brand and the last
 * four digits of the card. A decline contains neither.
 */
export type Decision =
  | { outcome: 'approved'; processor_ref: string; brand: Brand; last4: string }
  /** `why`: for developers, with lengths at most; `undefined` if the reason says it all. */
  | { outcome: 'declined'; processor_ref: string; reason: FailureReason; why?: string };

/**
 * The numbers that the processor declines, each with its reason. It approves every other number
 * with a correct check digit, unless the card has expired.
 */
export const DECLINED_NUMBERS: Record<string, FailureReason> = {
  '4000000000000002': 'card_declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000009987': 'lost_card',
  '4000000000009979': 'stolen_card',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
};

/** Stands in for acquirer and issuer. `now`: milliseconds since 1970. */
export function decide(card: CardFields, now: number): Decision {
  const processor_ref = `ref_${randomBytes(12).toString('hex')}`;
  const decline = declineOf(card, now);
  if (decline) return { outcome: 'declined', processor_ref, ...decline };
  return {
    outcome: 'approved',
    processor_ref,
    brand: rangeOf(card.Pan).brand,
    last4: Buffer.from(card.Pan.subarray(-4)).toString('latin1'),
  };
}

type Decline = { reason: FailureReason; why?: string };

function declineOf(card: CardFields, now: number): Decline | undefined {
  const { brand, lengths } = rangeOf(card.Pan);
  const digits = card.Pan.length;
  if (!lengths.includes(digits)) {
    const why = `The number has ${digits} digits, ${brand} has ${lengths.join(', ')}.`;
    return { reason: 'incorrect_number', why };
  }
  if (!passesLuhn(card.Pan)) {
    return { reason: 'incorrect_number', why: 'The check digit of the number is wrong (Luhn).' };
  }
  const month = toNumber(card.ExpMonth);
  if (month < 1 || month > 12) return { reason: 'invalid_expiry_month' };
  if (hasExpired(card, now)) return { reason: 'expired_card', why: 'The date is past.' };
  const reason = reasonOfNumber(card.Pan);
  return reason && { reason };
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: Uint8Array): boolean {
  const sum = digits.reduceRight((sum, byte, i) => {
    const digit = byte - 0x30;
    const weighted = (digits.length - i) % 2 ? digit : digit * 2;
    return sum + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}

/** A card is good to the end of its month, until that has ended everywhere on Earth (UTC-12). */
function hasExpired({ ExpYear, ExpMonth }: CardFields, now: number): boolean {
  const there = new Date(now - 12 * 60 * 60 * 1000);
  return (
    toNumber(ExpYear) * 12 + toNumber(ExpMonth) - 1 <
    there.getUTCFullYear() * 12 + there.getUTCMonth()
  );
}

/** Compares bytes: the number never becomes a string, which could not be wiped. */
function reasonOfNumber(pan: Uint8Array): FailureReason | undefined {
  return Object.entries(DECLINED_NUMBERS).find(([number]) => Buffer.from(number).equals(pan))?.[1];
}

interface Range {
  brand: Brand;
  /** In digits. */
  lengths: readonly number[];
}

const FROM_12 = [12, 13, 14, 15, 16, 17, 18, 19];
const FROM_14 = [14, 15, 16, 17, 18, 19];
const FROM_16 = [16, 17, 18, 19];

const LENGTHS: Record<Brand, readonly number[]> = {
  amex: [15],
  diners: FROM_14,
  discover: FROM_16,
  jcb: FROM_16,
  maestro: FROM_12,
  mastercard: [16],
  unionpay: FROM_16,
  visa: [13, 16, 19],
  unknown: FROM_12,
};

/** First and last leading four digits of each range; the first that holds counts. */
const RANGES: readonly (readonly [first: number, last: number, brand: Brand])[] = [
  [3400, 3499, 'amex'],
  [3700, 3799, 'amex'],
  [3000, 3059, 'diners'],
  [3600, 3699, 'diners'],
  [3800, 3999, 'diners'],
  [3528, 3589, 'jcb'],
  [4000, 4999, 'visa'],
  [2221, 2720, 'mastercard'],
  [5100, 5599, 'mastercard'],
  [5000, 5099, 'maestro'],
  [5600, 5899, 'maestro'],
  [6011, 6011, 'discover'],
  [6440, 6599, 'discover'],
  [6200, 6299, 'unionpay'],
  [8100, 8199, 'unionpay'],
  [6000, 6999, 'maestro'],
];

function rangeOf(pan: Uint8Array): Range {
  const prefix = toNumber(pan.subarray(0, 4));
  const range = RANGES.find(([first, last]) => prefix >= first && prefix <= last);
  const brand = range?.[2] ?? 'unknown';
  return { brand, lengths: LENGTHS[brand] };
}
