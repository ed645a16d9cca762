import { concat } from './old-browsers.ts';

/** Joins lists, each item once. Not by a `Set`: a page may have a class of that name. */
export const unique = <Item>(lists: readonly (readonly Item[])[]): Item[] =>
  concat(lists).filter((it, i, all) => all.indexOf(it) === i);
