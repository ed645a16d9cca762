/**
 * The tables of docs/browsers.md, from what the built files use and MDN's compatibility data.
 * Run as a script (`npm run browser-table`), it writes them into the page, and beside them the list
 * of features that `test/old-browsers/old-engines.test.ts` removes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIST } from './built.ts';
import {
  BROWSERS,
  type Browser,
  FLOOR,
  format,
  isTooNew,
  type Meanings,
  NAMES,
  Sources,
  type Use,
  usesOf,
  type Versions,
  versionsOf,
} from './compatibility.ts';
import { FALLBACKS } from './fallbacks.ts';
import { writeRemovedFeatures } from './removed-features.ts';
import { shares, usageVersion } from './usage-share.ts';

const PAGE = join(import.meta.dirname, '../../../docs/browsers.md');
const START = '<!-- Written by `npm run browser-table`: from here -->';
const END = '<!-- to here -->';

/** Runs on servers. */
const NOT_FOR_BROWSERS = ['server/', 'checkout/'];

/** For test systems: no part of the library, and never beside a shopper's card. */
export const CHECK = 'cardseal.check.js';

const sources = new Sources();

/** The files for browsers, by their path in dist/. */
export const browserFiles = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.js') && file !== CHECK)
  .filter((file) => !NOT_FOR_BROWSERS.some((room) => file.startsWith(room)))
  .sort();

export const readBuilt = (file: string) => readFileSync(join(DIST, file), 'utf8');

/** What the names in a built file mean. The script-tag files hold all modules. */
export const meaningsIn = (file: string): Meanings =>
  sources.modules.get(moduleOf(file)) ?? sources.all;

export const moduleOf = (file: string) => file.replace(/\.js$/, '');

const PARTS: [title: string, isPart: (file: string) => boolean][] = [
  ['the script tag', (file) => file.startsWith('cardseal.')],
  ['the core', (file) => file.startsWith('core/')],
  ['the form', (file) => file.startsWith('form/')],
];

/** The tables, as they are in the page. */
export function tables(): string {
  const uses = new Map(
    browserFiles.map((file) => [file, usesOf(readBuilt(file), meaningsIn(file))]),
  );
  return [START, needed(uses), replaced(), usage(), END].join('\n\n');
}

/** The newest features that the built files need, and the versions that follow from them. */
function needed(uses: Map<string, Use[]>): string {
  const usedBy = new Map<string, Set<string>>();
  for (const [file, list] of uses) {
    for (const { feature } of list) {
      if (isTooNew(feature)) continue; // there is a fallback: the test of the built files sees to it
      const parts = usedBy.get(feature) ?? new Set();
      for (const [title, isPart] of PARTS) if (isPart(file)) parts.add(title);
      usedBy.set(feature, parts);
    }
  }
  const features = [...usedBy.keys()].sort();
  const least = {} as Versions;
  for (const browser of BROWSERS) {
    least[browser] = Math.max(...features.map((feature) => versionsOf(feature)[browser]));
  }
  const decides = (feature: string, browser: Browser) =>
    versionsOf(feature)[browser] === least[browser];
  // Edge 79 is the first with Chromium, so it decides nothing.
  const deciding = BROWSERS.filter((browser) => browser !== 'edge');
  const rows = features
    .filter((feature) => deciding.some((browser) => decides(feature, browser)))
    .map((feature) => {
      const parts = [...usedBy.get(feature)!].join(', ');
      return [
        nameOf(feature),
        parts,
        ...BROWSERS.map((browser) => format(versionsOf(feature)[browser])),
      ];
    });
  return table(
    ['newest features in use', 'by', ...BROWSERS.map((browser) => NAMES[browser])],
    [
      ...rows,
      ['**so the code needs**', '', ...BROWSERS.map((browser) => `**${format(least[browser])}**`)],
      ['**promised and tested**', '', ...BROWSERS.map((browser) => `**${FLOOR[browser]}**`)],
    ],
  );
}

function replaced(): string {
  const rows = FALLBACKS.map(({ feature, name, without }) => {
    const versions = versionsOf(feature);
    return [name, ...BROWSERS.map((browser) => format(versions[browser])), without];
  });
  return table(['feature', ...BROWSERS.map((browser) => NAMES[browser]), 'without it'], rows);
}

function usage(): string {
  const list = Object.entries(shares()).map(([name, share]) => [name, `${share.toFixed(2)} %`]);
  return table([`usage (caniuse-lite ${usageVersion})`, 'share'], list);
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** `javascript.builtins.Object.entries` is `Object.entries`. */
function nameOf(feature: string): string {
  const name = feature
    .replace(/^javascript\.builtins\./, '')
    .replace(/^javascript\.(statements|operators|functions)\./, '')
    .replace(/^api\./, '')
    .replaceAll('_', ' ');
  return WORDS[name] ?? `\`${name}\``;
}
const WORDS: Record<string, string> = {
  import: '`import` (modules)',
  export: '`export` (modules)',
  'async function': '`async` functions',
  'spread.spread in object literals': 'object spread',
  'destructuring.rest in objects': 'object rest',
};

/** The page with these tables in it. */
export function withTables(page: string, written: string): string {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error('docs/browsers.md has no place for the tables');
  return page.slice(0, from) + written + page.slice(to + END.length);
}

export const readPage = () => readFileSync(PAGE, 'utf8');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(PAGE, withTables(readPage(), tables()));
  writeRemovedFeatures();
}
