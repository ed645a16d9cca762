import { expect, test } from 'vitest';
import { server } from 'vitest/browser';

test('runs in the engine that it is named after', () => {
  // By what only this engine has: a user agent string can say anything.
  const engine =
    'mozInnerScreenX' in window
      ? 'firefox'
      : 'webkitConvertPointFromNodeToPage' in window
        ? 'webkit'
        : 'webkitRequestFileSystem' in window
          ? 'chromium'
          : 'unknown';
  expect(engine).toBe(server.browser);
  expect(isSecureContext).toBe(true);
});
