/**
 * Where something of a card is in a value, whatever the value is, or `[]`: 'number, base64 in error.stack'. Searches texts, bytes, and what
 * objects hold, property names, prototypes' getters and hidden properties included; for each field as it is, in groups, and as URLs, JSON,
 * Base64, hexadecimal and UTF-16 write it. Fields shorter than `shortest` are left out: they are found everywhere by chance.
 * So are the addresses of an error's stack: a folder, a port or a time there is the runner's.
 * Runs in browsers and in Node.
 */
export function findCard(
  value: unknown,
  card: Readonly<Record<string, string>>,
  shortest = 4,
): string[] {
  const wanted = Object.entries(card).filter(([, text]) => text.length >= shortest);
  const fields = wanted.map(([field, text]) => [field, spellings(text)] as const);
  const found = new Set<string>();
  for (const [where, text] of texts(value, 'it', new Set())) {
    for (const [field, spelt] of fields)
      for (const spelling of within(text, spelt)) found.add(`${field}, ${spelling} in ${where}`);
  }
  return [...found];
}

/** A stack, or a text with one, without the addresses and paths of files. */
export const withoutAddresses = (text: string): string =>
  text.replace(/(?:\w+:\/\/|(?<=[\s(])\/)\S*/g, '');

/** In which spellings `wanted` is in a text, or in bytes. */
export const findTraces = (text: string | Uint8Array, wanted: string): string[] =>
  within(typeof text === 'string' ? text : latin1(text), spellings(wanted));

const within = (text: string, spelt: Record<string, string>) =>
  Object.keys(spelt).filter((spelling) => text.includes(spelt[spelling]!));

/** Every way in which a text is looked for, by name. Bytes are written as Latin-1, one character each. */
export function spellings(text: string): Record<string, string> {
  const utf8 = new TextEncoder().encode(text);
  const utf16 = Uint8Array.from(
    { length: text.length * 2 },
    (_, i) => text.charCodeAt(i >> 1) >> (i % 2 ? 8 : 0),
  );
  const spelt: Record<string, string> = {
    plain: text,
    'with spaces': groups(text, ' '),
    'with dashes': groups(text, '-'),
    'in a URL': encodeURIComponent(text),
    'in a form': new URLSearchParams({ '': text }).toString().slice(1),
    'percent-encoded': Array.from(utf8, (byte) => `%${hex([byte])}`).join(''),
    'in JSON': Array.from(text, (char) =>
      char < '\x7f' ? JSON.stringify(char).slice(1, -1) : escaped(char),
    ).join(''),
    'in JSON escapes': escaped(text),
    'one by one': Array.from(text).join(','),
    'one by one, as numbers': utf8.join(','),
    backwards: Array.from(text).reverse().join(''),
    'UTF-8': latin1(utf8),
    'UTF-16LE': latin1(utf16),
    'UTF-16BE': latin1(Uint8Array.from(utf16, (_, i) => utf16[i ^ 1]!)),
  };
  for (const [name, bytes] of [
    ['', utf8],
    [' of UTF-16', utf16],
  ] as const) {
    spelt[`hexadecimal${name}`] = hex(bytes);
    spelt[`hexadecimal in capitals${name}`] = hex(bytes).toUpperCase();
    for (const offset of [0, 1, 2]) spelt[`base64${name}, at ${offset}`] = base64(bytes, offset);
    for (const offset of [0, 1, 2])
      spelt[`base64url${name}, at ${offset}`] = base64(bytes, offset)
        .replaceAll('+', '-')
        .replaceAll('/', '_');
  }
  return spelt;
}

const groups = (text: string, separator: string) =>
  Array.from(text, (char, i) => (i && i % 4 === 0 ? separator + char : char)).join('');
const escaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
const hex = (bytes: Iterable<number>) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 8192)
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return text;
}

/** The characters that stand for these bytes alone when `offset` bytes (modulo 3) come before them, whatever comes before and after. */
function base64(bytes: Uint8Array, offset: number): string {
  const text = btoa('\0'.repeat(offset) + latin1(bytes));
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** What an error has addresses in: `fileName` in Firefox, `sourceURL` in WebKit. */
const WITH_ADDRESSES: PropertyKey[] = ['stack', 'fileName', 'sourceURL'];

/** Every text that can be reached from a value, and where. */
function* texts(
  value: unknown,
  where: string,
  seen: Set<unknown>,
): Generator<[where: string, text: string]> {
  if (typeof value === 'string') yield [where, value];
  if (typeof value === 'number' || typeof value === 'bigint') yield [where, String(value)];
  if (typeof value === 'symbol') yield [where, value.description ?? ''];
  if (
    (typeof value !== 'object' && typeof value !== 'function') ||
    value === null ||
    seen.has(value)
  )
    return;
  seen.add(value);
  if (typeof value === 'function') yield [where, Function.prototype.toString.call(value)];
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer)
    : value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : undefined;
  if (bytes) return yield [where, latin1(bytes)];
  if (value instanceof Map || value instanceof Set)
    for (const entry of value) yield* texts(entry, `an entry of ${where}`, seen);
  for (
    let owner: object | null = value;
    owner && owner !== Object.prototype && owner !== Function.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const name of Reflect.ownKeys(owner)) {
      yield [`a property name of ${where}`, String(name)];
      let inside: unknown;
      try {
        inside = Reflect.get(owner, name, value);
      } catch {} // a getter that throws holds nothing
      const hasAddresses = value instanceof Error && WITH_ADDRESSES.includes(name);
      if (hasAddresses && typeof inside === 'string') inside = withoutAddresses(inside);
      yield* texts(inside, `${where}.${String(name)}`, seen);
    }
  }
}
