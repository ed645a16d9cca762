import { type Asset, script, stylesheet } from '../checkout/assets.ts';

/** The files that the explanation adds to a page, by file name. */
export function buildExplanation(): Map<string, Asset> {
  return new Map([
    ['explained.css', stylesheet(import.meta.dirname, 'explained.css')],
    ['panel.js', script(import.meta.dirname, 'panel.ts')],
  ]);
}
