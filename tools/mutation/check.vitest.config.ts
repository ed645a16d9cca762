import { inChromium } from './in-chromium.ts';

export default inChromium('../tools/mutation/check-tests.ts', 6_000); // one test waits 2.5 s for a block
