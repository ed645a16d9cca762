import { inChromium } from './in-chromium.ts';

// One test visits all pages of presses.test.ts at once, which takes ten seconds where nothing else
// runs. The limit is shorter than the waits within it, so a run that is only slow ends by the limit,
// and the mutant is judged again in isolation.
export default inChromium('../tools/mutation/check-tests.ts', 18_000);
