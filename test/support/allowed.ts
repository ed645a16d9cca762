/** What each part of the library may reach: the lists that SECURITY.md names. All else is found, in the built files and while they run. */
export interface Allowed {
  /** The built files: a folder of dist/, or the beginning of their names there. */
  files: string;
  /** The globals: the language's, and the platform's. */
  globals: string[];
  /** The platform's methods and accessors, as the watch names them. */
  apis: string[];
}

const LANGUAGE = ['ArrayBuffer', 'Error', 'Map', 'Object', 'Reflect', 'Set', 'String', 'Symbol'];

export const CORE: Allowed = {
  files: 'core/',
  globals: [...LANGUAGE, 'Uint8Array', 'WeakMap', 'TextEncoder', 'atob', 'btoa', 'crypto'],
  apis: [
    'TextEncoder.encodeInto',
    'get Crypto.subtle',
    'SubtleCrypto.encrypt',
    'SubtleCrypto.importKey',
  ],
};

/** Beside the core's list: forms and their events, messages for developers, timers for keys. No network, no storage. */
export const FORM: Allowed = {
  files: 'form/',
  globals: [
    // Not `Array`: Prototype and MooTools replace `Array.from`.
    ...['Boolean', 'Date', 'Intl', 'JSON', 'Math', 'Number', 'Object', 'Promise'],
    ...['Reflect', 'Uint8Array', 'WeakMap'],
    ...['AbortController', 'CustomEvent', 'MutationObserver'],
    ...['document', 'window'],
    ...['clearTimeout', 'console', 'reportError', 'setTimeout'],
  ],
  apis: [
    'CSSStyleDeclaration.getPropertyValue',
    'Document.createElement',
    'Document.createEvent',
    'Document.elementFromPoint',
    'Document.getElementById',
    'Document.querySelector',
    'Document.querySelectorAll',
    'Element.checkVisibility',
    'Element.closest',
    'Element.getAttribute',
    'Element.getBoundingClientRect',
    'Element.getClientRects',
    'Element.hasAttribute',
    'Element.matches',
    'Element.querySelector',
    'Element.querySelectorAll',
    'Element.remove',
    'Element.removeAttribute',
    'Element.scrollIntoView',
    'Element.setAttribute',
    'Event.composedPath',
    'Event.initEvent',
    'Event.preventDefault',
    'Event.stopImmediatePropagation',
    'EventTarget.addEventListener',
    'EventTarget.dispatchEvent',
    'FormData.delete',
    'FormData.forEach',
    'FormData.set',
    'HTMLElement.focus',
    'MutationObserver.disconnect',
    'MutationObserver.observe',
    'Node.appendChild',
    'Node.contains',
    'Node.getRootNode',
    'Node.insertBefore',
    'Node.removeChild',
    'frameElement',
    'getComputedStyle',
    'get AbortController.signal',
    'get AbortSignal.aborted',
    'get DOMRect.height',
    'get DOMRect.width',
    'get DOMRectList.length',
    'get DOMRectReadOnly.bottom',
    'get DOMRectReadOnly.left',
    'get DOMRectReadOnly.right',
    'get DOMRectReadOnly.top',
    'get Document.documentElement',
    'get Element.id',
    'get Element.localName',
    'get Element.nextElementSibling',
    'get Event.defaultPrevented',
    'get Event.target',
    'get Event.type',
    'get FormDataEvent.formData',
    'get HTMLButtonElement.form',
    'get HTMLButtonElement.formMethod',
    'get HTMLButtonElement.name',
    'get HTMLButtonElement.type',
    'get HTMLButtonElement.value',
    'get HTMLCollection.length',
    'get HTMLElement.hidden',
    'get HTMLElement.style',
    'get HTMLFormElement.action',
    'get HTMLFormElement.elements',
    'get HTMLFormElement.method',
    'get HTMLInputElement.form',
    'get HTMLInputElement.maxLength',
    'get HTMLInputElement.name',
    'get HTMLInputElement.type',
    'get HTMLInputElement.value',
    'get HTMLInputElement.willValidate',
    'get Node.isConnected',
    'get Node.nextSibling',
    'get Node.nodeType',
    'get Node.ownerDocument',
    'get Node.parentElement',
    'get Node.parentNode',
    'get Node.textContent',
    'get NodeList.length',
    'get SubmitEvent.submitter',
    'set CSSStyleDeclaration.cssText',
    'set Element.id',
    'set HTMLElement.hidden',
    'set HTMLInputElement.name',
    'set HTMLInputElement.type',
    'set HTMLInputElement.value',
    'set Node.textContent',
  ],
};

/** Beside the core's and the form's: requests to the shop. It gets blocks, never cards. */
export const PAY: Allowed = {
  files: 'pay/',
  globals: [
    ...['Array', 'Math', 'Number', 'Object', 'Promise', 'WeakMap'],
    ...['document', 'fetch', 'encodeURIComponent'],
    ...['clearTimeout', 'setTimeout', 'window'],
  ],
  apis: [],
};

export const SERVER: Allowed = {
  files: 'server/',
  globals: ['Array', 'Date', 'Error', 'JSON', 'Number', 'Reflect', 'String'],
  apis: [],
};

/** On servers only: the service, timers, the store of the process, and texts of requests. */
export const CHECKOUT: Allowed = {
  files: 'checkout/',
  globals: [
    ...['Array', 'Date', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise'],
    'RangeError',
    ...['Set', 'String', 'Symbol', 'TypeError'],
    ...['AbortController', 'Response', 'TextDecoder', 'URL'],
    ...['URLSearchParams', 'Uint8Array'],
    ...['clearTimeout', 'console', 'crypto', 'encodeURIComponent', 'fetch', 'globalThis'],
    ...['process', 'setTimeout'],
    'of any name', // the orders of memoryStore, under a symbol
  ],
  apis: [],
};

/** The script files: all of the core, the form and `bindCheckout`, and the one global that they are there to make. */
export const SCRIPT_TAG: Allowed = {
  files: 'cardseal.',
  globals: [...new Set([...CORE.globals, ...FORM.globals, ...PAY.globals, 'Cardseal'])],
  apis: [],
};

/** For tests alone: no entry imports it. */
export const TESTING: Allowed = {
  files: 'testing/',
  globals: [
    ...['Error', 'JSON', 'Map', 'Object', 'Promise', 'String', 'TypeError', 'Uint8Array'],
    ...['atob', 'btoa', 'crypto', 'decodeURIComponent'],
  ],
  apis: [],
};

export const PARTS: Allowed[] = [CORE, FORM, PAY, SERVER, CHECKOUT, TESTING, SCRIPT_TAG];
