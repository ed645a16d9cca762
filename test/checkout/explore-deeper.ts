/**
 * `node tools/explore-checkout.mjs [MILLIONS]`: explores farther than `npm test` has the time for.
 * Two million states of a part with many ways on, the default, take 5 GB.
 */
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { DEEPER, PARTS } from './bounds.ts';
import { explore } from './explore.ts';

const maxStates = Number(process.argv[2] ?? 2) * 1_000_000;
for (const { name, ...part } of [...PARTS, ...DEEPER]) {
  const { states, transitions, depth, isComplete, violation } = await explore({
    checkoutOf,
    ...part,
    maxStates,
  });
  const end = isComplete ? '' : ' (there are more)';
  console.log(`${name}: ${states} states, ${transitions} transitions, depth ${depth}${end}`);
  if (violation) {
    console.log(`  ${violation.rule}\n  ${violation.path.join('\n  ')}`);
    process.exitCode = 1;
  }
}
