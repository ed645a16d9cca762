import { log } from '../form/feedback/report.ts';
import { toJson } from '../form/page/to-json.ts';
import type { Site } from './call-site.ts';

/** What the check finds: docs/check.md has a row for each kind. */
export type FindingKind =
  | 'clear text'
  | 'about to leave'
  | 'block to others'
  | 'no block'
  | 'emptied fields'
  | 'not sent'
  | 'name'
  | 'lock';

/** Something that the page has to be changed for. */
export interface Finding {
  /** What kind it is: docs/check.md has a row for each. */
  kind: FindingKind;
  /** The path of the page. */
  page: string;
  /** What happens, in one sentence. */
  text: string;
  /** What to change. */
  advice: string;
  /** The part of the documents that says more. */
  help: string;
  /** `card number`, `security code`, `name on the card`. */
  fields?: string[];
  /** How it left, such as `fetch`. */
  way?: string;
  /** Where it went: a path, on another origin with its host. */
  to?: string | undefined;
  /** The name of the form's field that carries it, or the control. */
  control?: string | undefined;
  /** The page's own code. */
  site?: Site | undefined;
}

/** A finding before its texts were looked through. */
export interface Found extends Omit<Finding, 'page' | 'text'> {
  text: Piece[];
}

/** A piece of a sentence: a text of the check or of the page, or a place in a script. */
export type Piece = string | Site;

/** What one press of a bound form did. */
export interface PressLine {
  /** The path of the page. */
  page: string;
  /** What it did, in one sentence. */
  text: string;
}

/** What `CardsealCheck.report()` gives. */
export interface Report {
  /** What the page has to be changed for, the newest last; 100 at most. */
  findings: Finding[];
  /** What each press did, the newest last; 100 at most. */
  presses: PressLine[];
  /** What kept the check from looking. */
  notices: string[];
}

/** The check's entry in `sessionStorage`: what was found survives a navigation. */
const OWN_ENTRY = 'cardseal-check';

/** No test is that long; a page in a loop must not fill the storage. */
const MOST = 100;

/**
 * Keeps what is found, for this tab. Everything that the check prints, shows or stores goes through
 * here.
 *
 * @param shown - Gives a text as it may be printed: without anything of a card.
 */
export function findingStore(shown: (text: string) => string, onChange: (report: Report) => void) {
  const { setItem, getItem, removeItem } = Storage.prototype; // before they are watched
  let inMemory = emptyReport(); // where a page has no storage

  /** Read each time: another frame of this page may have added something. */
  function load(): Report {
    try {
      const text = getItem.call(sessionStorage, OWN_ENTRY);
      const report = text === null ? emptyReport() : JSON.parse(text);
      if (isReport(report)) return report;
    } catch {}
    return inMemory;
  }

  function save(report: Report): void {
    inMemory = report;
    try {
      setItem.call(sessionStorage, OWN_ENTRY, toJson(report));
    } catch {}
    onChange(report);
  }

  /** Adds the page, and takes out texts that hold something of a card. A line is no such text. */
  function printable<Of extends { text: Piece[] }>(of: Of) {
    const safe = JSON.parse(toJson(of), (_, it) => (typeof it === 'string' ? shown(it) : it));
    const pieces = (safe.text as Piece[]).map((it) => (typeof it === 'string' ? it : placeOf(it)));
    return { ...safe, text: pieces.join(''), page: shown(location.pathname) };
  }

  return {
    load,
    /** Adds a finding, unless it is there already. */
    add(found: Found): void {
      const finding: Finding = printable(found);
      const report = load();
      const key = keyOf(finding);
      if (report.findings.some((it) => keyOf(it) === key)) return;
      save({ ...report, findings: report.findings.concat(finding).slice(-MOST) });
      log('warn', `cardseal check: ${sentence(finding)}`);
    },
    /** Takes findings of this page back that later turned out to be none. */
    withdraw(isNone: (finding: Finding) => boolean, reason: string): void {
      const report = load();
      const path = shown(location.pathname);
      const stays = (it: Finding) => it.page !== path || !isNone(it);
      const kinds = report.findings.filter((it) => !stays(it)).map(({ kind }) => kind);
      if (!kinds.length) return;
      save({ ...report, findings: report.findings.filter(stays) });
      log('info', `cardseal check: ${reason}: no finding (${kinds.join(', ')})`);
    },
    addPress(text: Piece[]): void {
      const press: PressLine = printable({ text });
      const report = load();
      save({ ...report, presses: report.presses.concat(press).slice(-MOST) });
      log('info', `cardseal check: ${press.text}`);
    },
    /** Says something once. */
    notice(text: string): void {
      const report = load();
      if (report.notices.indexOf(text) >= 0) return;
      save({ ...report, notices: report.notices.concat(text) });
      log('warn', `cardseal check: ${text}`);
    },
    clear(): void {
      try {
        removeItem.call(sessionStorage, OWN_ENTRY);
      } catch {}
      inMemory = emptyReport();
      onChange(inMemory);
    },
  };
}

const emptyReport = (): Report => ({ findings: [], presses: [], notices: [] });

/** The page may have written something else there. */
function isReport({ findings, presses, notices }: Report): boolean {
  const texts = [findings, presses].map((list) => list.map(({ text }) => text)).concat([notices]);
  return texts.every((list) => list.every((text) => typeof text === 'string'));
}

export type FindingStore = ReturnType<typeof findingStore>;

const keyOf = ({ kind, page, way, to, control, fields, site }: Finding): string =>
  JSON.stringify([kind, page, way, to, control, fields, site]);

/** A finding in one line. */
export const sentence = ({ text, advice, help }: Finding): string =>
  `${text} ${advice} See ${help}`;

/** `checkout.js:12:5, through jquery.js`, or `a.js:1:2 (or b.js)`. */
export function placeOf({ script, line, column, through, or }: Site): string {
  const others = or ? ` (or ${or.join(' or ')})` : through ? `, through ${through}` : '';
  return `${script}:${line}:${column}${others}`;
}

/** The end of a text that names a place, where one is known. */
export const placed = (before: string, site: Site | undefined): Piece[] =>
  site ? [before, site] : [];
