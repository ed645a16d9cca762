import { runApart } from '../tools/support/run-apart.ts';

/** `npm run interop`: what needs PHP and Python, with a shop of each in Chromium. */
export default runApart(import.meta.dirname, ['chromium']);
