/** `node tools/release/same.mjs`: `dist/` is what the tools make of `src/`. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/release/same.ts']]);
