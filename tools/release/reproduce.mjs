/** `node tools/release/reproduce.mjs`: two builds make the same packages. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/release/reproduce.ts']]);
