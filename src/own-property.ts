/**
 * The descriptor of an own property, or an empty one. It runs no getter. It has no prototype:
 * otherwise, on a polluted Object.prototype, the descriptor of a getter would have a `value`.
 *
 * Throws what a proxy throws, and a TypeError if `object` is null or undefined.
 */
export function ownProperty(object: object, name: PropertyKey): PropertyDescriptor {
  const property = Object.getOwnPropertyDescriptor(object, name) ?? {};
  return Object.setPrototypeOf(property, null);
}
