import { test } from 'vitest';

/** Longer than any run waits. A run that was killed leaves this process, which must end one day. */
const HANGS_MS = 120_000;

test('never ends, and lets nothing else run in its process or page', () => {
  // Neither of the two needs a core.
  if (typeof window === 'undefined') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANGS_MS);
  } else {
    const request = new XMLHttpRequest();
    request.open('GET', '/never-answered', false);
    request.send();
  }
});
