/**
 * `node tools/explore-checkout.mjs [MINUTES]`: explores farther than `npm test` has the time for. Five
 * minutes of a part with many ways on take 4 GB.
 */
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { DEEPER, PARTS } from './bounds.ts';
import { explore } from './explore.ts';

const minutes = Number(process.argv[2] ?? 5);
for (const { name, ...part } of [...PARTS, ...DEEPER]) {
  const { states, transitions, depth, isComplete, violation } = await explore({
    checkoutOf,
    ...part,
    timeMs: minutes * 60_000,
  });
  const end = isComplete ? '' : ` (stopped after ${minutes} minutes)`;
  console.log(`${name}: ${states} states, ${transitions} transitions, depth ${depth}${end}`);
  if (violation) {
    console.log(`  ${violation.rule}\n  ${violation.path.join('\n  ')}`);
    process.exitCode = 1;
  }
}
