import { test } from 'vitest';

/** Longer than any run waits. A run that was killed leaves this process, which must end one day. */
const HANGS_MS = 120_000;

test('never ends, and lets nothing else run in its process or page', () => {
  const start = Date.now();
  while (Date.now() < start + HANGS_MS);
});
