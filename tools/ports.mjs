/** `node tools/ports.mjs`: the corpus, by the ports in PHP and Python. */
import { start } from './prepare/start.mjs';

start([['vitest', 'test/interop/vitest.config.ts', 'corpus']], { programs: true });
