/** A fault that would hurt somebody, and the tests that should notice it. */
export interface Fault {
  /** For the command line and the report. */
  name: string;
  /** The file, from the top of the repository. */
  file: string;
  /** What stands there. It occurs once. */
  before: string;
  /** What the fault puts there instead. */
  after: string;
  /** What it breaks, for whom. */
  breaks: string;
  /** As after `npm run try --`: the project, and a part of the path of a test file. */
  tests: readonly string[];
  /** The tests look at the built files. */
  isBuilt?: true;
}
