/** Whether code of the check runs: what it does itself is not watched. */
let isInside = false;

/** Runs code of the check. A fault of the check must never be one of the page. */
export function safely<Value>(action: () => Value): Value | undefined {
  if (isInside) return undefined;
  isInside = true;
  try {
    return action();
  } catch (error) {
    console.warn('cardseal check: a fault of the check itself', (error as Error).name);
    return undefined;
  } finally {
    isInside = false;
  }
}

/** Gets the arguments before a call. If it returns a function, that gets the result. */
type Before = (self: never, args: unknown[]) => unknown;

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** Calls `before` at each call of a method of the platform. The call goes on as it was made. */
export function watchMethod(owner: object | undefined, name: string, before: Before): void {
  const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!descriptor || typeof descriptor.value !== 'function') return;
  const original = descriptor.value as Callable;
  function watched(this: unknown, ...args: unknown[]): unknown {
    const after = safely(() => before(this as never, args));
    const result = original.apply(this, args);
    if (typeof after === 'function') safely(() => after(result));
    return result;
  }
  Object.defineProperty(watched, 'name', { value: original.name, configurable: true });
  Object.defineProperty(watched, 'length', { value: original.length, configurable: true });
  Object.defineProperty(owner, name, { ...descriptor, value: watched });
}

/** Calls `before` each time that a property of the platform is set. */
export function watchSetter(owner: object | undefined, name: string, before: Before): void {
  const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!descriptor?.set) return;
  const { set } = descriptor;
  Object.defineProperty(owner, name, {
    ...descriptor,
    set(this: unknown, value: unknown) {
      safely(() => before(this as never, [value]));
      set.call(this, value);
    },
  });
}

/** Calls `after` each time that a property of the platform is read. */
export function watchGetter(
  owner: object | undefined,
  name: string,
  after: (self: never, value: unknown) => void,
): void {
  const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!descriptor?.get) return;
  const { get } = descriptor;
  Object.defineProperty(owner, name, {
    ...descriptor,
    get(this: unknown) {
      const value = get.call(this);
      safely(() => after(this as never, value));
      return value;
    },
  });
}

/** Calls `before` each time that a class of the platform is constructed. */
export function watchConstructor(name: 'WebSocket' | 'EventSource', before: Before): void {
  const descriptor = Object.getOwnPropertyDescriptor(window, name);
  if (!descriptor || typeof descriptor.value !== 'function') return;
  const watched = new Proxy(descriptor.value, {
    construct(target, args, newTarget) {
      safely(() => before(undefined as never, args));
      return Reflect.construct(target, args, newTarget);
    },
  });
  Object.defineProperty(window, name, { ...descriptor, value: watched });
}
