/**
 * Returns the descriptor of an own property, or an empty object if there is none. Runs no getter.
 *
 * The result has no prototype: a descriptor of a getter has no `value`, and must not inherit one
 * from a polluted `Object.prototype`.
 *
 * Throws what a proxy throws, and a TypeError if `object` is null or undefined.
 */
export function ownProperty(object: object, name: PropertyKey): PropertyDescriptor {
  return Object.assign(Object.create(null), Object.getOwnPropertyDescriptor(object, name));
}
