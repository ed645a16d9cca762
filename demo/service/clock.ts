import type { Save, StateRecord } from './state.ts';

/** A clock that can be set, so that keys expire and windows of 24 hours pass in a test. */
export interface MovableClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** How far it is ahead of the real clock, in milliseconds; negative if it is behind. */
  aheadMs(): number;
  setAhead(ms: number): void;
  restore(record: StateRecord): void;
  records(): Iterable<StateRecord>;
}

/** @param real - Milliseconds since 1970. */
export function createClock(real: () => number, save: Save): MovableClock {
  let ahead_ms = 0;
  return {
    now: () => real() + ahead_ms,
    aheadMs: () => ahead_ms,
    setAhead(ms) {
      ahead_ms = ms;
      save({ type: 'clock', ahead_ms });
    },
    restore(record) {
      if (record.type === 'clock') ahead_ms = record.ahead_ms;
    },
    records: () => [{ type: 'clock', ahead_ms }],
  };
}
