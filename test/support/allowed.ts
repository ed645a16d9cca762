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
  globals: [...LANGUAGE, 'Uint8Array', 'WeakMap', 'TextEncoder', 'atob', 'btoa', 'crypto', 'globalThis'],
  apis: ['TextEncoder.encodeInto', 'get Crypto.subtle', 'SubtleCrypto.encrypt', 'SubtleCrypto.importKey'],
};

/** Beside what the core has: forms and their events, messages to developers, a time-out for keys that do not come. No network, no storage. */
export const FORM: Allowed = {
  files: ['bind-card-form', 'destination', 'fields', 'index', 'key-source', 'messages', 'options', 'own', 'read'].map(
    (name) => `form/${name}.js`,
  ),
  globals: [
    ...['Boolean', 'Date', 'Infinity', 'Intl', 'JSON', 'Map', 'Math', 'Object', 'Promise', 'Reflect', 'Set', 'Uint8Array', 'WeakMap'],
    ...['TextEncoder', 'AbortController', 'CustomEvent', 'Event', 'HTMLFormElement', 'HTMLInputElement', 'addEventListener'],
    ...['console', 'document', 'location', 'reportError', 'setTimeout'],
  ],
  apis: [
    ...['get HTMLFormElement.elements', 'get HTMLFormElement.method', 'get HTMLFormElement.noValidate', 'get HTMLCollection.length'],
    ...['get HTMLInputElement.type', 'get HTMLInputElement.value', 'set HTMLInputElement.value', 'get HTMLInputElement.willValidate'],
    ...['Element.matches', 'Element.getAttribute', 'Element.setAttribute', 'Element.removeAttribute', 'Element.toggleAttribute'],
    ...['HTMLInputElement.setCustomValidity', 'HTMLFormElement.reportValidity', 'get HTMLButtonElement.formNoValidate'],
    ...['EventTarget.addEventListener', 'EventTarget.dispatchEvent', 'Event.preventDefault', 'Event.stopImmediatePropagation'],
    ...['get SubmitEvent.submitter', 'get UIEvent.detail', 'get FormDataEvent.formData', 'FormData.set', 'FormData.delete'],
    ...['AbortController.abort', 'get AbortController.signal', 'get AbortSignal.aborted'],
  ],
};

export const SERVER: Allowed = {
  files: ['server.js'],
  globals: ['Array', 'Date', 'JSON', 'Number', 'Object', 'Reflect', 'atob', 'btoa'],
  apis: [],
};

/** All of the core and the form, the one global that it is there to make, and `fetch` for `data-cardseal-key-url`. */
export const SCRIPT_TAG: Allowed = {
  files: ['cardseal.js', 'cardseal.readable.js'],
  globals: [...new Set([...CORE.globals, ...FORM.globals, 'Cardseal', 'WeakSet', 'fetch'])],
  apis: [],
};

export const PARTS: Allowed[] = [CORE, FORM, SERVER, SCRIPT_TAG];
