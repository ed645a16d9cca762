/** `node tools/test-runs.mjs`: how runs of the tests end when a test hangs, and what dist/ is made of. */
import { start } from './prepare/start.mjs';

start([['vitest', 'test/runs/vitest.config.ts']], { browsers: true, built: true });
