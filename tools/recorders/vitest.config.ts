import { runApart } from '../../test/support/run-apart.ts';

/**
 * `npm run recorders`: real recorders beside a card form. They are dependencies of this folder
 * alone, and no part of `npm test`: they are large, and they wait before they send.
 */
export default runApart(import.meta.dirname, ['chromium']);
