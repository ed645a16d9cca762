/** Joins lists. `Array.prototype.flat` came with Chrome 69 and Firefox 62. */
export const concat = <T>(lists: T[][]): T[] => ([] as T[]).concat(...lists);
