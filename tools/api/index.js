/** `node tools/api`: writes docs/api/ from the doc comments in src/. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/api/write.ts']]);
