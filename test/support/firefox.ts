import { launch } from 'puppeteer-core';
import type { Found } from '../../tools/prepare/browsers.ts';
import { PATIENCE } from './patience.ts';

/** Starts the system's Firefox, to be driven over WebDriver BiDi. */
export const launchFirefox = ({ path }: Found) =>
  launch({
    browser: 'firefox',
    executablePath: path,
    headless: true,
    timeout: PATIENCE.testTimeout,
  });
