import type { LayoutField } from 'cardseal';
import type { FAULTS } from './faults.ts';

export type Fault = (typeof FAULTS)[number];

/**
 * What the merchant's server tells of a shopper's checkout, for people to look at. Times: Unix
 * timestamps in milliseconds.
 */
export interface Trail {
  /** What is to go wrong; `none` for nothing. */
  fault: Fault;
  /** As the page got it; and from the service's answer when it expires. */
  key?: { id: string; scheme: string; bits: number; expires_at: number };
  /** What came out of the page, before anything meddled with it. */
  left?: Block;
  /** What the merchant's server was handed. */
  received?: Block;
  /** The merchant's server sent no block to the service: the `status` of its response. */
  refusal?: Pick<Problem, 'code'>;
  /** What the service answered to the authorization. */
  answer?: { status: number; intent: string } | Problem;
  /** The intents of this checkout, the oldest first. */
  intents: Intent[];
}

/**
 * Only the beginning of the payload: a block contains a security code, and is never kept, encrypted
 * or not.
 */
export interface Block {
  /** Of the whole request body. */
  bytes: number;
  payload: { bytes: number; start: string };
  key_id: string;
  layout: { field: LayoutField; len: number }[];
}

export interface Problem {
  code: string;
  /** The HTTP status, if an answer had one. */
  status?: number | undefined;
}

/** `amount`: minor units. */
export interface Intent {
  id: string;
  amount: number;
  currency: string;
  failure_reason: string | null;
  payment_method: { brand: string; last4: string } | null;
  states: { status: string; at: number }[];
}
