import { vi } from 'vitest';

/**
 * Watches all byte arrays that are made from now on, copies included, and all that a native method
 * writes into.
 *
 * @param parts - Texts by which a card is found.
 */
export function watchMemory(parts: readonly string[]) {
  const made = new Set<ArrayBufferLike>();
  const written = new Set<ArrayBufferLike>();
  const held: string[] = [];
  const Own = Uint8Array;
  const { from } = Own;
  const { set, slice } = Own.prototype;
  const { encodeInto } = TextEncoder.prototype;
  const read = (buffer: ArrayBufferLike) =>
    [...new Own(buffer)].map((byte) => String.fromCharCode(byte)).join('');
  const hold = ({ buffer }: Uint8Array) => held.push(read(buffer));
  const wrote = (bytes: Uint8Array) => {
    written.add(bytes.buffer);
    hold(bytes);
  };
  const construct = (target: typeof Own, args: unknown[]) => {
    const bytes: Uint8Array = Reflect.construct(target, args);
    made.add(bytes.buffer);
    return bytes;
  };
  const makes =
    (make: (...args: never[]) => Uint8Array) =>
    (owner: unknown, args: unknown[]): Uint8Array => {
      const bytes = Reflect.apply(make, owner, args);
      made.add(bytes.buffer);
      hold(bytes);
      return bytes;
    };
  const makeFrom = makes(from as never);
  const makeSlice = makes(slice as never);
  vi.stubGlobal('Uint8Array', new Proxy(Own, { construct }));
  Own.from = ((...args: unknown[]) => makeFrom(Own, args)) as never;
  Own.prototype.slice = function (...args) {
    return makeSlice(this, args) as never;
  };
  Own.prototype.set = function (...args) {
    set.apply(this, args);
    wrote(this);
  };
  TextEncoder.prototype.encodeInto = function (source, target) {
    const result = encodeInto.call(this, source, target);
    wrote(target);
    return result;
  };
  return {
    unwatch() {
      vi.unstubAllGlobals();
      Own.from = from;
      Own.prototype.slice = slice;
      Own.prototype.set = set;
      TextEncoder.prototype.encodeInto = encodeInto;
    },
    /** Were these values at some time in what was watched, and was all that was written into seen when it was made? */
    everHeld: (values: string[]) =>
      values.length > 0 &&
      values.every((value) => held.some((text) => text.includes(value))) &&
      [...written].every((buffer) => made.has(buffer)),
    /** What holds a part of the card; and what was written into and is not all zero. */
    holds: () =>
      [...made, ...written].map(read).filter((text) => parts.some((part) => text.includes(part)))
        .length +
      [...written].filter((buffer) => new Own(buffer).some((byte) => byte !== 0)).length,
  };
}
