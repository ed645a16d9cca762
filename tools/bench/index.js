/** `node tools/bench`: time and bytes, beside other libraries. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/bench/bench.ts']], {
  packages: ['tools/bench'],
  browsers: true,
  built: true,
});
