import { test } from 'vitest';

/** Longer than any run waits. A run that was killed leaves this process, which must end one day. */
const HANGS_MS = 120_000;

test('never ends, and lets nothing else run in its process or page', () => {
  if (typeof window === 'undefined') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANGS_MS); // needs no core
  }
  const start = Date.now();
  while (Date.now() < start + HANGS_MS);
});
