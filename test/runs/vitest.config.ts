import { runApart } from '../support/run-apart.ts';

/**
 * `node tools/test-runs.mjs`: how runs of the tests end when a test hangs. It is not a part of `npm test`:
 * it is about the tests, and its runs would slow the others down.
 */
export default runApart(import.meta.dirname, ['chromium']);
