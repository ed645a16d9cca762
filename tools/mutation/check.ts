/**
 * What `node tools/mutation` makes of Stryker's report: every mutant that the tests let live must be
 * explained in explained.json, and every explanation must be needed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mutant {
  mutatorName: string;
  replacement: string;
  status:
    | 'Killed'
    | 'Timeout'
    | 'Survived'
    | 'NoCoverage'
    | 'CompileError'
    | 'RuntimeError'
    | 'Ignored';
  statusReason?: string | undefined;
  location: { start: Position; end: Position };
}
export interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}
type Position = { line: number; column: number };
/** `line`: the source line that the mutant begins in, trimmed. */
type Explanation = {
  file: string;
  line: string;
  original: string;
  replacement: string;
  why: string;
};

const explained: Explanation[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'explained.json'), 'utf8'),
);

const NOTHING = {
  mutants: 0,
  'refused by TypeScript': 0,
  found: 0,
  'make no difference': 0,
  unexplained: 0,
};
type Row = typeof NOTHING;

/**
 * Prints what is unexplained, what is explained without need, and the score: how many of the
 * mutants that can be told from the source were found. Returns whether all is as it should be.
 */
export function check(report: Report): boolean {
  const needed = new Set<Explanation>();
  const rows: Record<string, Row> = {};

  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const row: Row = { ...NOTHING, mutants: mutants.length };
    rows[file] = row;
    for (const mutant of mutants) {
      const { status, location, replacement, mutatorName } = mutant;
      if (status === 'CompileError') {
        row['refused by TypeScript']++;
        continue;
      }
      const found = {
        file,
        line: source.split('\n')[location.start.line - 1]!.trim(),
        original: cut(source, location),
        replacement,
      };
      const why = explained.find((entry) =>
        Object.entries(found).every(([name, value]) => Reflect.get(entry, name) === value),
      );
      if (why && status === 'Survived') {
        needed.add(why);
        row['make no difference']++;
      } else if (isNoticed(mutant)) {
        row.found++;
      } else {
        row.unexplained++;
        console.error(
          `${status} at line ${location.start.line} (${mutatorName}): ${JSON.stringify(found, null, 2)}`,
        );
      }
    }
  }

  const total: Row = { ...NOTHING };
  for (const row of Object.values(rows)) {
    for (const column of Object.keys(row) as (keyof Row)[]) total[column] += row[column];
  }
  console.table({ ...rows, total });
  const valid = total.mutants - total['refused by TypeScript'] - total['make no difference'];
  console.log(`Score: ${((100 * total.found) / valid).toFixed(1)} %`);

  const idle = explained.filter((entry) => report.files[entry.file] && !needed.has(entry));
  for (const entry of idle)
    console.error(
      `explained.json explains what needs no explanation: ${JSON.stringify(entry, null, 2)}`,
    );
  return total.unexplained === 0 && idle.length === 0;
}

/** An error that nobody catches, for example in a listener, fails a run of Vitest, too. */
export function isNoticed({ status, statusReason }: Mutant): boolean {
  if (status === 'RuntimeError') return statusReason?.startsWith(UNCAUGHT) ?? false;
  return status === 'Killed' || status === 'Timeout';
}

/** What Stryker says of such an error. */
const UNCAUGHT = 'An error occurred outside of a test run';

/** Lines and columns count from 1. */
function cut(source: string, { start, end }: Mutant['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column - 1);
  lines[0] = lines[0]!.slice(start.column - 1);
  return lines.join('\n');
}
