import { log } from '../form/feedback/report.ts';
import { noteWrapper } from './call-site.ts';

/** Whether code of the check runs: what it does itself is not watched. */
let isInside = false;

/** Runs code of the check. A fault of the check must never be one of the page. */
export function safely<Value>(action: () => Value): Value | undefined {
  if (isInside) return undefined;
  isInside = true;
  try {
    return action();
  } catch {
    log('warn', 'cardseal check: a fault of the check itself');
    return undefined;
  } finally {
    isInside = false;
  }
}

/**
 * Listens to events of the page in code of the check: before the page's own listeners, or after
 * them (`isLate`).
 */
export function hear(types: string[], listener: (event: Event) => void, isLate = false): void {
  for (const type of types) {
    window.addEventListener(type, (event) => safely(() => listener(event)), !isLate);
  }
}

/** The prototype of a type of the platform. Nothing is watched in a browser without it. */
export const prototypeOf = (name: string): object => Reflect.get(window, name)?.prototype || {};

const { toString: textOfFunction } = Function.prototype;

/** Gets the arguments before a call. If it returns a function, that gets the result. */
type Before = (self: never, args: unknown[]) => unknown;

/**
 * Calls `before` at each call of a function of the platform: a method, a constructor, a setter or a
 * getter. The call goes on as the page made it.
 */
export function watch(
  owner: object,
  name: string,
  before: Before,
  part: 'value' | 'set' | 'get' = 'value',
): void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  // Not the descriptor's value: another watch may have made a property with a getter of it.
  const original = part === 'value' ? descriptor && Reflect.get(owner, name) : descriptor?.[part];
  if (typeof original !== 'function') return; // a browser without it
  const watched: typeof original = new Proxy(original, {
    // Monitoring looks at the text of a function: is it the platform's own?
    get(target, key, receiver) {
      const value = Reflect.get(target, key, receiver);
      return value === textOfFunction && receiver === watched ? value.bind(target) : value;
    },
    apply(target, self, args) {
      const after = safely(() => before(self as never, args));
      const result = Reflect.apply(target, self, args);
      if (typeof after === 'function') safely(() => after(result));
      return result;
    },
    construct(target, args, newTarget) {
      safely(() => before(undefined as never, args));
      return Reflect.construct(target, args, newTarget);
    },
  });
  if (part === 'value') defineFunction(owner, name, watched);
  else Object.defineProperty(owner, name, { ...descriptor, [part]: watched });
  namesOf.set(owner, (namesOf.get(owner) || []).concat(name));
  const { prototype } = original; // of a constructor: its instances name it, too
  if (prototype) Object.defineProperty(prototype, 'constructor', { value: watched });
}

/** What is watched of each object. */
const namesOf = new Map<unknown, unknown[]>();

/** Notices scripts that wrap something by a definition: an assignment notices itself. */
export function watchDefinitions(): void {
  for (const owner of [Object, Reflect]) {
    watch(owner, 'defineProperty', (_, [of, name]) => {
      if (namesOf.get(of)?.includes(name)) noteWrapper();
    });
  }
}

/** Makes a function of the platform a property that notices if a script assigns another. */
function defineFunction(owner: object, name: string, watched: unknown): void {
  let current = watched;
  Object.defineProperty(owner, name, {
    // It stays as enumerable and configurable as it was.
    get: () => current,
    set(value) {
      // WebKit has no `this` where a script assigns by the bare name: `fetch = own`.
      if (this !== owner && this !== undefined) {
        // An instance gets a function of its own, as without the check.
        const ordinary = { writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, name, { ...ordinary, value });
        return;
      }
      safely(noteWrapper);
      current = value;
    },
  });
}
