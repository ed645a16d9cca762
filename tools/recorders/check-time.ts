/**
 * `node tools/check-time.mjs`: how long the scripts of a page run while a shopper types a card and
 * pays, with the check and without. Visits with and without it take turns, so that both see the
 * same machine. docs/check.md has the numbers. `node tools/check-time.mjs 5` makes five visits of
 * each kind.
 */
import { median, ratio } from '../bench/statistics.ts';
import { openVisits, type Setting } from './visit.ts';

const PAGES: [what: string, setting: Setting][] = [
  ['no other script', { recorder: 'none', options: '' }],
  ['rrweb', { recorder: 'rrweb', options: 'default' }],
  ['Sentry Replay', { recorder: 'sentry', options: 'open' }],
  ['PostHog', { recorder: 'posthog', options: 'open' }],
];

const count = Number(process.argv[2] ?? 12);
const visits = await openVisits();
const rows: Record<string, Record<string, string>> = {};
for (const [what, setting] of PAGES) {
  const bare: number[] = [];
  const checked: number[] = [];
  await visits.visit(setting); // fills the caches of the browser
  for (let i = 0; i < count; i++) {
    bare.push((await visits.visit(setting)).scriptMs);
    checked.push((await visits.visit({ ...setting, check: true })).scriptMs);
  }
  const { median: times, low, high } = ratio(checked, bare);
  rows[what] = {
    'without, ms': median(bare).toFixed(0),
    'with, ms': median(checked).toFixed(0),
    'the check, ms': (median(checked) - median(bare)).toFixed(0),
    ratio: `${times.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
  };
}
await visits.close();
console.log(`The time of scripts of a visit on their thread: medians of ${count} visits each`);
console.table(rows);
