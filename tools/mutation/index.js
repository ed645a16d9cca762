/** `node tools/mutation`: which small changes of the source no test notices. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/mutation/run.ts']], {
  packages: ['tools/mutation'],
  browsers: true,
  built: true,
});
