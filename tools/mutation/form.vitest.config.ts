import { inChromium } from './in-chromium.ts';

export default inChromium('../tools/mutation/form-tests.ts');
