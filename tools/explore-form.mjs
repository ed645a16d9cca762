/** `node tools/explore-form.mjs`: the exploration of the form, deeper than `npm test` goes. */
import { start } from './prepare/start.mjs';

start([['tsx', 'test/form/explore/run.ts']]);
