/** Counts promises that are under way. */
export interface UnderWay {
  /** The same function. Each call of it counts until its promise is settled. */
  counted<A extends unknown[], R>(call: (...args: A) => Promise<R>): (...args: A) => Promise<R>;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
}

export function underWay(): UnderWay {
  const calls = new Set<Promise<unknown>>();

  return {
    counted:
      (call) =>
      (...args) => {
        const result = call(...args);
        calls.add(result);
        const forget = () => calls.delete(result);
        result.then(forget, forget);
        return result;
      },
    async idle() {
      while (calls.size > 0) await Promise.allSettled(calls);
    },
  };
}
