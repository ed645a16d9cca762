import { inChromium } from './in-chromium.ts';

// One test visits all pages of presses.test.ts at once, which takes ten seconds where nothing else
// runs. Its limit is long: a mutant that only makes it slower must not count as found.
export default inChromium('../tools/mutation/check-tests.ts', 60_000);
