// Older engines lack the native methods, and TypeScript's library does not declare them.
type NativeBytes = Uint8Array & { toBase64?(): string };
type NativeConstructor = { fromBase64?(text: string): Uint8Array<ArrayBuffer> };

/** Base64 with padding: RFC 4648, section 4. */
export function encodeBase64(bytes: NativeBytes): string {
  if (bytes.toBase64) return bytes.toBase64();
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes canonical Base64 only; anything else is undefined. The native decoders are lax: they
 * accept white space, stray trailing bits and, in the case of `atob`, missing padding.
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
  const native = Uint8Array as NativeConstructor;
  if (native.fromBase64) return native.fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
