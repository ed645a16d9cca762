type Calls<T> = { [name in keyof T]: (...args: never[]) => Promise<unknown> };

/** The same functions, and one that waits until no call of them is under way. */
export function countedCalls<T extends Calls<T>>(calls: T): T & { idle(): Promise<void> } {
  const underWay = new Set<Promise<unknown>>();
  const counted = Object.entries<Calls<T>[keyof T]>(calls).map(([name, call]) => [
    name,
    (...args: never[]) => count(call(...args)),
  ]);
  return { ...(Object.fromEntries(counted) as T), idle };

  function count<R>(result: Promise<R>): Promise<R> {
    underWay.add(result);
    const forget = () => underWay.delete(result);
    result.then(forget, forget);
    return result;
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  }
}
