/** `node tools/check-time.mjs`: what the check costs a page, in time. */
import { start } from './prepare/start.mjs';

start([['tsx', 'tools/recorders/check-time.ts']], {
  packages: ['tools/recorders'],
  browsers: true,
  built: true,
});
