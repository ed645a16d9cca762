import { inChromium } from './in-chromium.ts';

// One test visits all pages of presses.test.ts at once, which takes six seconds on two busy cores.
export default inChromium('../tools/mutation/check-tests.ts', 15_000);
