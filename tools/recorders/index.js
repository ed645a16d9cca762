/** `npm run recorders`: real session recorders beside a card form. */
import { start } from '../prepare/start.mjs';

start([['vitest', 'tools/recorders/vitest.config.ts']], {
  packages: ['tools/recorders'],
  browsers: true,
  built: true,
});
