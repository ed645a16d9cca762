import { isUtf8 } from 'node:buffer';
import { ServiceError } from './errors.ts';

/**
 * Reads the JSON of a body. Unlike the parser of the framework it takes a member named `__proto__`,
 * which is a name like any other: no object of the service is ever merged with a body.
 *
 * @throws ServiceError `invalid_json` if it is not JSON, if it is not UTF-8 (a text would be
 *   altered), or if a property comes twice.
 */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'The body is not UTF-8.');
  const text = body.toString();
  const value = parse(text);
  if (hasRepeatedProperty(text, value)) {
    throw new ServiceError('invalid_json', 'A property comes twice.');
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json'); // the parser's message quotes the body
  }
}

/**
 * Whether an object in a JSON text has a property twice. The parser would silently drop one of the
 * two, and another parser may drop the other one.
 *
 * @param text - Valid JSON.
 * @param value - What the parser made of it.
 */
function hasRepeatedProperty(text: string, value: unknown): boolean {
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
