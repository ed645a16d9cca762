// Older engines lack these methods, and TypeScript's library does not declare them.
type BytesToBase64 = Uint8Array & { toBase64?(): string };
type BytesFromBase64 = { fromBase64?(text: string): Uint8Array<ArrayBuffer> };

/** Base64 with padding: RFC 4648, section 4. */
export function encodeBase64(bytes: BytesToBase64): string {
  if (typeof bytes.toBase64 === 'function') return bytes.toBase64();
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes canonical Base64 and returns undefined for anything else. Both decoders of the browser
 * also accept white space, missing padding and stray trailing bits. So the result is encoded again
 * and compared with the text.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = decodeLaxly(text);
  } catch {
    return undefined;
  }
  return encodeBase64(bytes) === text ? bytes : undefined;
}

function decodeLaxly(text: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as BytesFromBase64;
  if (typeof native.fromBase64 === 'function') return native.fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
