/** `node tools/memory`: what of a card remains in the memory of a browser. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/memory/observe.ts']], { browsers: true });
