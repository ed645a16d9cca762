/** `node tools/explore-checkout.mjs`: the exploration of an order, deeper than `npm test` goes. */
import { start } from './prepare/start.mjs';

start([['--max-old-space-size=8192', '--import', 'tsx', 'test/checkout/explore-deeper.ts']]);
