import { encodeInto } from './browser.ts';
import { CardEncryptionError } from './errors.ts';
import { ownProperty } from './own-property.ts';
import { CARD_FIELDS, type FieldDefinition, type Scheme } from './scheme.ts';
import type { Card, CardField } from './types.ts';

/** A card that was taken over from the caller. `checkCard` tells whether it can be encrypted. */
export interface TakenCard {
  /** Holds everything that was copied. `encryptCard` zeroes it. */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** The part of `memory` that is encrypted: the fields, one after the other. */
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /** In the order of the scheme. */
  readonly fields: readonly TakenField[];
}

interface TakenField {
  readonly definition: FieldDefinition;
  /** The copy, in UTF-8. It is empty if there is nothing that can be taken over. */
  readonly bytes: Uint8Array;
  /** Whether the value has more bytes than the scheme allows. `bytes` is empty then. */
  readonly isTooLong: boolean;
  /** Whether the caller's property is a writable one, and is empty now. */
  readonly isEmptied: boolean;
}

/**
 * Copies the fields of the scheme, then empties every card field of the object. It never throws,
 * whatever the object is.
 *
 * No regular expression, joined string, template or parse touches card data: `RegExp.input` would
 * keep the number within reach of the whole page, and a string cannot be wiped.
 */
export function takeOver(card: Card, scheme: Scheme): TakenCard {
  const properties = readProperties(card);
  let size = 0; // by a loop: Prototype 1.6 replaces the `reduce` of arrays
  for (const { maxBytes } of scheme.fields) size += maxBytes;
  const memory = new Uint8Array(size);
  let end = 0;
  // Not by `push`, which runs into an index of `Object.prototype` (G17).
  const copies = scheme.fields.map((definition) => {
    const room = memory.subarray(end, end + definition.maxBytes);
    const copy = copyValue(properties[definition.name].value, room);
    end += copy.bytes.length;
    return { definition, ...copy };
  });
  // Only after all fields were copied: the bytes of two fields may overlap.
  const emptied = emptyFields(card, properties);
  const fields = copies.map((copy) => ({ ...copy, isEmptied: emptied.has(copy.definition.name) }));
  return { memory, plaintext: memory.subarray(0, end), fields };
}

/** Empties every card field of the object without copying anything. It never throws. */
export function emptyCard(card: Card): void {
  emptyFields(card, readProperties(card));
}

/**
 * Checks a card that was taken over against the rules of its scheme.
 *
 * @throws {@link CardEncryptionError} for the first field at fault: `card_too_long` if no key takes
 * it and it can be shortened, otherwise `invalid_card`.
 */
export function checkCard({ fields }: TakenCard, { shortenable }: Scheme): void {
  for (const { definition, bytes, isTooLong, isEmptied } of fields) {
    const { name: field, minBytes, isValid } = definition;
    if (!isEmptied) throw invalidCard(definition);
    if (isTooLong && field === shortenable) {
      const message = `The ${field} is too long for any key`;
      throw new CardEncryptionError('card_too_long', message, { field });
    }
    if (isTooLong || bytes.length < minBytes || !isValid(bytes)) throw invalidCard(definition);
  }
}

function invalidCard({ name: field, rule }: FieldDefinition): CardEncryptionError {
  const message = `${field} must be ${rule}, in a writable property of the card object`;
  return new CardEncryptionError('invalid_card', message, { field });
}

/**
 * Checks whether a key takes the card whole.
 *
 * @throws {@link CardEncryptionError} `card_too_long`, with the most bytes that fit as `limit`.
 */
export function checkCapacity(taken: TakenCard, scheme: Scheme, capacity: number): void {
  const excess = taken.plaintext.length - capacity;
  if (excess <= 0) return;
  const field = scheme.shortenable;
  const { bytes } = taken.fields.find(({ definition }) => definition.name === field)!;
  const limit = bytes.length - excess;
  throw new CardEncryptionError('card_too_long', `The ${field} is too long for this key`, {
    field,
    limit,
  });
}

type Properties = Record<CardField, PropertyDescriptor>;

const FIELD_NAMES = Object.keys(CARD_FIELDS) as CardField[];

/** Reads the property of every card field once. Runs no getter. */
function readProperties(card: Card): Properties {
  const properties: Properties = Object.create(null); // a polluted prototype may have a setter
  for (const name of FIELD_NAMES) properties[name] = readProperty(card, name);
  return properties;
}

function readProperty(card: Card, name: CardField): PropertyDescriptor {
  try {
    return ownProperty(card, name);
  } catch {
    return Object.create(null); // it is not an object, or it is a proxy that refuses
  }
}

type Copy = Pick<TakenField, 'bytes' | 'isTooLong'>;

/** Copies a value to the beginning of the room, if the room holds it whole. */
function copyValue(value: unknown, room: Uint8Array): Copy {
  if (typeof value === 'string') return copyText(value, room);
  if (isUint8Array(value) && hasMemoryOfItsOwn(value)) return copyBytes(value, room);
  return { bytes: room.subarray(0, 0), isTooLong: false };
}

function copyText(text: string, room: Uint8Array): Copy {
  const { read, written } = encodeInto(text, room);
  const isTooLong = read < text.length;
  return { bytes: room.subarray(0, isTooLong ? 0 : written), isTooLong };
}

function copyBytes(bytes: Uint8Array, room: Uint8Array): Copy {
  const length = readGetter('length', bytes) as number;
  const isTooLong = length > room.length;
  if (isTooLong) return { bytes: room.subarray(0, 0), isTooLong };
  if (length > 0) room.set(bytes); // a detached array has the length 0, and `set` would throw
  return { bytes: room.subarray(0, length), isTooLong };
}

/** Empties all fields. Returns the names of those in writable properties that are empty now. */
function emptyFields(card: Card, properties: Properties): Set<CardField> {
  const emptied = new Set<CardField>();
  for (const name of FIELD_NAMES) {
    try {
      if (emptyField(card, name, properties[name])) emptied.add(name);
    } catch {
      // The card is not an object, or a proxy or a setter refuses.
    }
  }
  return emptied;
}

/** May throw what a proxy or a setter throws. */
function emptyField(card: Card, name: CardField, property: PropertyDescriptor): boolean {
  return isUint8Array(property.value) ? emptyBytes(property) : emptyOther(card, name, property);
}

/**
 * Zeroes the bytes, also those in a read-only property. Such a field still counts as not emptied,
 * so that strings and bytes follow the same rule.
 */
function emptyBytes({ value, writable }: PropertyDescriptor): boolean {
  Uint8Array.prototype.fill.call(value, 0);
  return writable === true;
}

/** Replaces anything but bytes. */
function emptyOther(card: Card, name: CardField, { value }: PropertyDescriptor): boolean {
  // A field that is missing is not added. It is missing only if both tests say so: an accessor has
  // no value, and a proxy may hide a field from either of them.
  const isMissing = value === undefined && !(name in card);
  if (!isMissing) Reflect.set(card, name, ''); // runs the setter, if there is one
  return ownProperty(card, name).value === ''; // a proxy may only claim that it was set
}

/**
 * Whether it is a Uint8Array by its internal tag. So arrays of other realms, views of a part of
 * the memory and Node's Buffers count; imitations do not.
 */
function isUint8Array(value: unknown): value is Uint8Array {
  return readGetter(Symbol.toStringTag, value) === 'Uint8Array';
}

/**
 * Whether the bytes are in memory that no other thread shares and that cannot be resized. Only then
 * is the card gone when they are zeroed: another thread could write it back, and a view of memory
 * that became shorter no longer reaches all of its bytes. Engines without resizable memory have no
 * such getter.
 */
function hasMemoryOfItsOwn(bytes: Uint8Array): boolean {
  const memory = readGetter('buffer', bytes) as ArrayBufferLike;
  const resizable = ownProperty(ArrayBuffer.prototype, 'resizable');
  return !isSharedMemory(memory) && !resizable.get?.call(memory);
}

function isSharedMemory(memory: ArrayBufferLike): boolean {
  try {
    // The getter throws a TypeError for shared memory. `instanceof` would fail across realms.
    Reflect.get(ArrayBuffer.prototype, 'byteLength', memory);
    return false;
  } catch {
    return true;
  }
}

/**
 * Reads with the getter that all typed arrays share. So a property of that name that the value has
 * itself does not count. For anything but a typed array, `Symbol.toStringTag` is undefined, and the
 * other getters throw.
 */
function readGetter(name: 'length' | 'buffer' | typeof Symbol.toStringTag, value: unknown) {
  const typedArrayPrototype: object = Object.getPrototypeOf(Uint8Array.prototype);
  return Reflect.get(typedArrayPrototype, name, value) as unknown;
}
