/**
 * Whether an object in a JSON text has a property twice. The parser would silently drop one of the
 * two, and another parser may drop the other one.
 *
 * @param text - Valid JSON.
 * @param value - What the parser made of it.
 */
export function hasRepeatedProperty(text: string, value: unknown): boolean {
  return countColons(text) > countProperties(value);
}

/** The colons outside of strings: each property has one. */
function countColons(text: string): number {
  let count = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') isInString = !isInString;
    else if (char === '\\')
      i += 1; // it escapes the next character
    else if (char === ':' && !isInString) count += 1;
  }
  return count;
}

/** Without recursion: a body can be nested deeper than the stack is. */
function countProperties(value: unknown): number {
  let count = 0;
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    rest.push(...values);
  }
  return count;
}
