import type { ChangeOfFile } from './load.ts';

/** A fault that would hurt somebody, and the tests that should notice it. */
export interface Fault extends ChangeOfFile {
  /** For the command line and the report. */
  name: string;
  /** What it breaks, for whom. */
  breaks: string;
  /** Why neither a mutant nor an exploration sees it. */
  why: string;
  /** As after `npm run try --`: the project, and a part of the path of a test file. */
  tests: readonly string[];
  /** The tests look at the built files. */
  isBuilt?: true;
}

/** What no mutant does: `node tools/mutation` makes the smallest changes only. */
export const WHY = {
  statement: 'No mutant drops one statement of several.',
  value: 'No mutant puts another value there that works.',
  number: 'No mutant changes a number.',
  error: 'No mutant lets an error through that is caught.',
} as const;
