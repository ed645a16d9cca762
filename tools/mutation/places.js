/**
 * A plugin for Stryker that keeps it from mutating what stands within a place that it mutates. To
 * judge one change of a whole block again, it would otherwise judge every change within it, too.
 *
 * It is JavaScript, because Stryker's own processes load it as well. There it does nothing.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** @typedef {{ line: number, column: number }} Position - Lines count from 1, columns from 0. */
/** @typedef {{ file: string, start: Position, end: Position }} Place */

/** @type {Place[]} */
let places = [];

/**
 * Of the next run, only these places are mutated.
 *
 * @param {Place[]} only - None: every place.
 */
export function mutateOnly(only) {
  places = only;
}

/** @param {Position} a @param {Position} b */
const isBeforeOrAt = (a, b) => a.line < b.line || (a.line === b.line && a.column <= b.column);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'places', {
    /** What stands within an ignored node is ignored, so a node with a place in it never is. */
    shouldIgnore({ node, hub }) {
      const file = hub.file.opts.filename;
      const isWanted = places.some(
        (place) =>
          file.endsWith(place.file) &&
          isBeforeOrAt(node.loc.start, place.start) &&
          isBeforeOrAt(place.end, node.loc.end),
      );
      return places.length === 0 || isWanted ? undefined : 'Not to be judged again';
    },
  }),
];
