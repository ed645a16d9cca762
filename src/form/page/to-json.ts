/**
 * A value as JSON. What a `toJSON` of the page returns is not used: Prototype 1.6 gives arrays one,
 * and `JSON.stringify` would make one text of a whole list.
 */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, key) {
    return this[key];
  });
