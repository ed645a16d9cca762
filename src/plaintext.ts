import { CardEncryptionError, type CardField } from './errors.ts';

/**
 * A card, each field a string or UTF-8 bytes. It is consumed; bytes can be wiped, strings only be let go. `number`: 12 to 19 digits; `name`:
 * well-formed text without control characters, encrypted exactly as given; `exp_month`: `01` to `12`; `exp_year`: four digits; `cvv`: 3 or 4.
 */
export interface Card extends Record<CardField, string | Uint8Array> {}

/** The specification's layout identifiers. */
export type LayoutField = 'Pan' | 'Name' | 'ExpMonth' | 'ExpYear' | 'Cvc';

const isDigits = (bytes: Uint8Array) => bytes.every((byte) => byte >= 0x30 && byte <= 0x39);
const isMonth = (bytes: Uint8Array) => isDigits(bytes) && (bytes[0] === 0x30 ? bytes[1] !== 0x30 : bytes[0] === 0x31 && bytes[1]! <= 0x32);

/** In the specification's order: field, layout identifier, fewest and most bytes (446: all that a 4096-bit key takes), rule. */
const FIELDS = [
  ['number', 'Pan', 12, 19, isDigits, '12 to 19 digits'],
  ['name', 'Name', 1, 446, isName, 'well-formed text without control characters'],
  ['exp_month', 'ExpMonth', 2, 2, isMonth, '01 to 12'],
  ['exp_year', 'ExpYear', 4, 4, isDigits, 'four digits'],
  ['cvv', 'Cvc', 3, 4, isDigits, '3 or 4 digits'],
] as const;

/**
 * Copies the five fields into one buffer, which the caller zeroes, empties the card whatever is wrong with it, and judges the copy; never throws.
 * No regular expression, joined string, template or parse of card data: `RegExp.input` would keep the number within reach of the whole page.
 */
export function takeOver(card: Card) {
  const buffer = new Uint8Array(512);
  const encoder = globalThis.TextEncoder && new TextEncoder();
  const layout: { field: LayoutField; len: number }[] = [];
  let length = 0;
  let error = encoder ? undefined : new CardEncryptionError('insecure_context', 'No TextEncoder: give it to test environments');
  const taken = FIELDS.map(([field, identifier, min, max, isValid]) => {
    const room = buffer.subarray(length, length + max); // what does not fit whole is refused, never cut
    const { value, len } = take(card, field, room, encoder);
    if (len <= max) length += len;
    layout.push({ field: identifier, len });
    return { value, tooLong: len > max, valid: len >= min && len <= max && isValid(room.subarray(0, len)) };
  });
  for (const [field, , , , , rule] of FIELDS) {
    const { value, tooLong, valid } = taken.shift()!;
    const wiped = wipe(card, field, value); // not before all are copied: views may overlap
    if (tooLong && field === 'name') error ??= new CardEncryptionError('card_too_long', 'The name is too long for any key', { field });
    if (valid && wiped) continue;
    error ??= new CardEncryptionError('invalid_card', `${field} must be ${rule}, in an own property that can be emptied`, { field });
  }
  return { buffer, length, layout, error };
}

/** Reads a field once, without running a getter, and copies it if the room holds it whole. `len` 0: nothing that can be taken. */
function take(card: Card, field: CardField, room: Uint8Array, encoder: TextEncoder): { value?: unknown; len: number } {
  let value: unknown;
  let len = 0;
  try {
    const property = Object.getOwnPropertyDescriptor(card, field)!;
    if (Object.hasOwn(property, 'value')) value = property.value; // hasOwn: a polluted Object.prototype has a value, too
    if (typeof value === 'string') {
      const { read, written } = encoder.encodeInto(value, room);
      len = read === value.length ? written : Number.POSITIVE_INFINITY;
    } else if (isUint8Array(value) && isFixed(internal(value, 'buffer'))) {
      len = internal(value, 'length');
      if (len <= room.length) room.set(value);
    }
    if (!property.writable) len = 0;
  } catch {} // no such property, a proxy refused, or the memory is shared
  return { value, len };
}

/** Not resizable; and if the memory is shared, the getter throws. */
const isFixed = (memory: object): boolean =>
  Reflect.get(ArrayBuffer.prototype, 'byteLength', memory) >= 0 && !Reflect.get(ArrayBuffer.prototype, 'resizable', memory);
/** By the internal tag, not `instanceof`: views of other realms, subarrays and Node's Buffer count. */
const isUint8Array = (value: unknown): value is Uint8Array => internal(value, Symbol.toStringTag) === 'Uint8Array';
/** What the getters of all typed arrays say, past anything that the value itself may carry. */
const internal = (value: unknown, property: PropertyKey) => Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), property, value);

/** Empties a field if it is there, by its setter if it has one, and tells whether it could. */
function wipe(card: Card, field: CardField, value: unknown): boolean {
  try {
    if (isUint8Array(value)) return Boolean(Uint8Array.prototype.fill.call(value, 0));
    if (value === undefined && !(field in card)) return false; // nothing to empty, nor to take
    return Reflect.set(card, field, '') && Object.getOwnPropertyDescriptor(card, field)!.value === ''; // a proxy may lie
  } catch {
    return false;
  }
}

/** Well-formed UTF-8 (RFC 3629, 3) that shows what it says. */
function isName(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i++]!;
    const more = lead < 0x80 ? 0 : lead < 0xc0 ? 4 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : 4;
    let point = more ? lead & (0x3f >> more) : lead;
    for (const end = i + more; i < end; i++) {
      if (bytes[i]! >> 6 !== 2) return false; // no continuation byte, or the end
      point = (point << 6) | (bytes[i]! & 0x3f);
    }
    if (point < [0x20, 0x80, 0x800, 0x10000, 1 / 0][more]! || point > 0x10ffff) return false; // C0; overlong; no lead byte; beyond Unicode
    if ((point >= 0x7f && point <= 0x9f) || (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) return false; // DEL, C1; lines; bidi
    if (point === 0xfffd || (point >= 0xd800 && point <= 0xdfff)) return false; // surrogates, and what encodeInto makes of a lone one
  }
  return true;
}
