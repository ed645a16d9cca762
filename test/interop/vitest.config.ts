import { runApart } from '../support/run-apart.ts';

/** `npm run interop`: what needs PHP, Python or PostgreSQL, with shops in Chromium. */
export default runApart(import.meta.dirname, ['chromium']);
