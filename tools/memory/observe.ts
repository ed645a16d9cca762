/**
 * `node tools/memory`: how often a card number stands in a Chromium renderer's memory after it was encrypted, beside numbers that were planted.
 * An observation of one browser on one day, with its numbers: engines and their garbage collectors promise nothing. Linux, as root.
 */
import { freshKey } from '../../test/support/core.ts';
import { countInProcess, heapSnapshot, openPage, rendererPid } from './chromium.ts';
import { digits } from './digits.ts';
import type { Act } from './page.ts';

/** Every act, with what the look must find so that it is worth something. */
const ACTS: { act: Act; what: string; found?: 'always' | 'never' }[] = [
  { act: 'keepString', what: 'control: a string that is kept', found: 'always' },
  { act: 'keepInClosure', what: 'control: a string in a closure', found: 'always' },
  { act: 'keepBytes', what: 'control: bytes that are kept', found: 'always' },
  { act: 'keepInput', what: 'control: the value of an <input>', found: 'always' },
  { act: 'wipeBytes', what: 'bytes, made and wiped' },
  { act: 'dropBytes', what: 'bytes, made and let go' },
  { act: 'encryptBytes', what: 'encryptCard, fields as bytes' },
  { act: 'encryptStrings', what: 'encryptCard, fields as strings' },
  { act: 'encryptInput', what: 'encryptCard, number from an <input>, emptied after' },
  { act: 'bareSnippet', what: 'the bare WebCrypto snippet' },
];
const NEVER = { what: 'control: a number that never was in the page', found: 'never' } as const;

if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.error('node tools/memory reads /proc/PID/mem of the browser: it needs Linux and root.');
  process.exit(1);
}

const chromium = await openPage();
try {
  const pid = await rendererPid(chromium.page);
  for (const [i, { act }] of ACTS.entries()) await chromium.act(act, seed(i), freshKey());
  const before = look(pid);
  const snapshot = await heapSnapshot(chromium.cdp); // collects the garbage, too
  const after = look(pid);

  const rows = [...ACTS, NEVER].map(({ what }, i) => ({
    what,
    'strings in the heap snapshot': snapshot.split(number(i).toString()).length - 1,
    'copies in memory at once': before[i]!,
    'after garbage collection': after[i]!,
  }));
  console.log(
    `Chromium ${chromium.browser.version()}, process ${pid}. Copies of the sixteen digits, in 8 or 16 bits a character:`,
  );
  console.table(Object.fromEntries(rows.map(({ what, ...counts }) => [what, counts])));

  for (const [i, { what, found }] of [...ACTS, NEVER].entries()) {
    const isFound = before[i]! > 0 && after[i]! > 0;
    if (
      (found === 'always' && !isFound) ||
      (found === 'never' && (before[i]! > 0 || after[i]! > 0))
    ) {
      console.error(`These numbers are worth nothing: ${what} was ${isFound ? '' : 'not '}found.`);
      process.exitCode = 1;
    }
  }
} finally {
  await chromium.close();
}

function look(pid: number): number[] {
  const needles = [...ACTS, NEVER].flatMap((_, i) => [
    number(i),
    Buffer.from(number(i).toString(), 'utf16le'),
  ]);
  const counts = countInProcess(pid, needles);
  return counts.filter((_, i) => i % 2 === 0).map((count, i) => count + counts[2 * i + 1]!);
}

function number(i: number) {
  return Buffer.from(digits(seed(i)));
}

function seed(i: number) {
  return 1000 + i;
}
