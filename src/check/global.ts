/**
 * The check: shows what the scripts of a page do with a card, on a test system.
 *
 * How to use it, and what it cannot see: docs/check.md. `/// <reference
 * types="cardseal/cardseal.check.js" />` declares the global.
 */

import type { Report } from './findings.ts';

export type { Site } from './call-site.ts';
export type { Finding, FindingKind, PressLine, Report } from './findings.ts';

/**
 * The global `CardsealCheck`, on a test system and on no other.
 *
 * @example
 * ```html
 * <script src="/js/cardseal.check.js"></script>
 * <form id="payment"><input data-cardseal-field="number" value="4242 4242 4242 4242"></form>
 * <script>
 *   CardsealCheck.clear();
 *   localStorage.setItem('draft', document.querySelector('input').value); // a fault of the page
 *   const [finding] = CardsealCheck.report().findings;
 *   document.title = finding.kind; // clear text
 * </script>
 * ```
 */
export interface CheckTag {
  /** What was found in this tab, as JSON has it. Nothing of a card is in it. */
  report(): Report;
  /** Forgets what was found. */
  clear(): void;
}

declare global {
  interface CardsealCheckGlobal extends CheckTag {}

  /** What `cardseal.check.js` adds to a page of a test system. */
  var CardsealCheck: CardsealCheckGlobal | undefined;
}
