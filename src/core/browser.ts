import { CardEncryptionError } from './errors.ts';

/**
 * Looks for every feature that the core needs and that not every environment has. `crypto.subtle`
 * is looked for when a key is imported.
 *
 * @throws {@link CardEncryptionError} `unsupported_browser` if one is missing.
 */
export function checkBrowser(): void {
  const types = [typeof TextEncoder, typeof WeakMap, typeof atob, typeof btoa];
  if (!types.includes('undefined')) return;
  throw new CardEncryptionError(
    'unsupported_browser',
    'The browser lacks TextEncoder, WeakMap, atob or btoa: add them to test environments',
  );
}

/**
 * `TextEncoder.encodeInto`. Chrome 64 to 73, Firefox 60 to 65 and Safari 12.1 to 14.0 lack it:
 * there, either the whole text is written or nothing.
 */
export function encodeInto(text: string, target: Uint8Array): TextEncoderEncodeIntoResult {
  const encoder = new TextEncoder();
  if (encoder.encodeInto) return encoder.encodeInto(text, target);

  const bytes = encoder.encode(text);
  try {
    if (bytes.length > target.length) return { read: 0, written: 0 };
    target.set(bytes);
    return { read: text.length, written: bytes.length };
  } finally {
    bytes.fill(0);
  }
}
