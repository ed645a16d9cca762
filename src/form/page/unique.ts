/**
 * Joins lists, each item once. Not by a `Set`: a page may have a class of that name. And not by
 * `filter`: Prototype 1.6 and 1.7 give its function no third argument.
 */
export function unique<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const all: Item[] = [];
  for (const list of lists) for (const it of list) if (!all.includes(it)) all.push(it);
  return all;
}
