/** What each part of the library may reach: the lists that SECURITY.md names. All else is found, in the built files and while they run. */
export interface Allowed {
  /** The built files, as names in dist/. */
  files: string[];
  /** The globals: the language's, and the platform's. */
  globals: string[];
  /** The platform's methods and accessors, as the watch names them. */
  apis: string[];
}

const LANGUAGE = ['ArrayBuffer', 'Boolean', 'Error', 'Number', 'Object', 'Reflect', 'Set', 'String', 'Symbol'];

export const CORE: Allowed = {
  files: ['encrypt-card.js', 'errors.js', 'index.js', 'key.js', 'plaintext.js'],
  globals: [...LANGUAGE, 'Uint8Array', 'WeakMap', 'TextEncoder', 'atob', 'btoa', 'globalThis'],
  apis: ['crypto', 'TextEncoder.encodeInto', 'get Crypto.subtle', 'SubtleCrypto.encrypt', 'SubtleCrypto.importKey'],
};

export const SERVER: Allowed = {
  files: ['server.js'],
  globals: ['Array', 'Date', 'JSON', 'Number', 'Object', 'Reflect', 'atob', 'btoa'],
  apis: [],
};

export const PARTS: Allowed[] = [CORE, SERVER];
