/**
 * Lets one sender have only so many requests under way at the same time. The others are refused at
 * once, so they wait for nothing and hold nobody up.
 *
 * @param most - How many requests of one sender may be under way.
 */
export function concurrencyLimit(most: number) {
  const underWay = new Map<string, number>();

  return {
    /**
     * Takes a place. Returns what gives it back, or `undefined` if there is no place for this
     * sender now.
     */
    enter(sender: string): (() => void) | undefined {
      const count = underWay.get(sender) ?? 0;
      if (count >= most) return undefined;
      underWay.set(sender, count + 1);
      return () => leave(sender);
    },
  };

  function leave(sender: string) {
    const left = underWay.get(sender)! - 1;
    if (left === 0) underWay.delete(sender);
    else underWay.set(sender, left);
  }
}
