/** Runs in browsers. */
type Target = Window & typeof globalThis;

/**
 * Watches a window for every use of a global ('fetch'), of a web API ('Storage.setItem', 'get Document.cookie') and of the network. What
 * cannot be wrapped, like `location`, shows by its effect. `take` tells what was seen since the last time.
 */
export function watch(target: Target) {
  const seen = new Set<string>();
  let watching = true;
  const note = (what: string) => {
    if (watching) seen.add(what);
  };
  const look = () => ({
    href: target.location.href,
    names: Object.getOwnPropertyNames(target).length,
    symbols: Object.getOwnPropertySymbols(target).length,
    requests: target.performance.getEntriesByType('resource').length,
  });
  let before = look();

  target.document.addEventListener('securitypolicyviolation', () => note('blocked by the policy'));
  for (const name of Object.getOwnPropertyNames(target)) {
    const prototype: unknown =
      !LANGUAGE.has(name) && Reflect.get(Object(Reflect.get(target, name)), 'prototype');
    if (prototype) wrapMembers(Object(prototype), name, note);
  }
  for (const name of Object.getOwnPropertyNames(target)) wrap(target, name, note, name, name);

  return {
    async take(): Promise<string[]> {
      await new Promise((resolve) => setTimeout(resolve, 50)); // reports come late
      watching = false;
      const after = look();
      if (after.href !== before.href) seen.add('the address');
      if (after.names !== before.names) seen.add('a new global');
      if (after.symbols !== before.symbols) seen.add('a new global symbol');
      if (after.requests !== before.requests) seen.add('a request');
      const taken = [...seen].sort();
      seen.clear();
      before = after;
      watching = true;
      return taken;
    },
  };
}

/** What belongs to the language: its members touch nothing outside, and the engines' own methods use them. */
const LANGUAGE = new Set(
  `Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect Proxy Promise Map Set WeakMap WeakSet WeakRef Iterator Date
  FinalizationRegistry RegExp ArrayBuffer SharedArrayBuffer DataView Atomics Intl Error AggregateError EvalError RangeError ReferenceError
  SuppressedError SyntaxError TypeError URIError Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
  Float16Array Float32Array Float64Array BigInt64Array BigUint64Array DisposableStack AsyncDisposableStack Temporal`.split(
    /\s+/,
  ),
);

function wrapMembers(prototype: object, name: string, note: (what: string) => void) {
  for (const member of Object.getOwnPropertyNames(prototype)) {
    if (member !== 'constructor')
      wrap(
        prototype,
        member,
        note,
        `get ${name}.${member}`,
        `set ${name}.${member}`,
        `${name}.${member}`,
      );
  }
}

/** A method notes that it is called if it has a name for that; everything else that it is read or written. */
function wrap(
  owner: object,
  key: string,
  note: (what: string) => void,
  read: string,
  written: string,
  called?: string,
) {
  const own = Object.getOwnPropertyDescriptor(owner, key)!;
  if (!own.configurable) return;
  const isData = 'value' in own;
  if (isData && called && typeof own.value === 'function') {
    const value = function (this: unknown, ...args: unknown[]) {
      note(called);
      return Reflect.apply(own.value, this, args);
    };
    Object.defineProperty(owner, key, { ...own, value });
    return;
  }
  let { value } = own;
  Object.defineProperty(owner, key, {
    configurable: true,
    enumerable: own.enumerable!,
    get() {
      note(read);
      return isData ? value : own.get && Reflect.apply(own.get, this, []);
    },
    set(next) {
      note(written);
      if (isData) value = next;
      else if (own.set) Reflect.apply(own.set, this, [next]);
    },
  });
}
