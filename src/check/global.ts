import type { Report } from './findings.ts';

export type { Site } from './call-site.ts';
export type { Finding, FindingKind, PressLine, Report } from './findings.ts';

declare global {
  /** What `cardseal.check.js` adds to a page of a test system, and to no other. */
  interface CardsealCheckGlobal {
    /** What was found in this tab, as JSON has it. Nothing of a card is in it. */
    report(): Report;
    /** Forgets what was found. */
    clear(): void;
  }

  var CardsealCheck: CardsealCheckGlobal | undefined;
}
