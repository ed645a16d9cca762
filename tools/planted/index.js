/** `node tools/planted`: which planted faults no test notices. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/planted/run.ts']], { browsers: true, built: true });
